from collections.abc import Callable, Iterator

import pytest
from uci_client import Client


@pytest.fixture
def client() -> Iterator[Callable[..., Client]]:
    made: list[Client] = []

    def make(**options: str) -> Client:
        made.append(Client(**options))
        return made[-1]

    yield make
    for one in made:
        assert one.engine.close()
