"""Servers for the tests: one with the usual agents, one with agents that misbehave, and others of one's own."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from web_server import Server


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with the usual agents that nobody breaks."""
    server = Server(
        tmp_path_factory.mktemp("games"),
        limits={"new_games": 1000.0, "messages": 1000.0, "games": 1000, "games_each": 1000},
    )
    yield server
    server.stop()


@pytest.fixture(scope="session")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with agents that misbehave."""
    agents = [f"web_agents:{name}(label={name.lower()})" for name in ("Sleeper", "Dier", "Outlaw")]
    server = Server(tmp_path_factory.mktemp("games"), agents=agents, limits={"new_games": 1000.0, "messages": 1000.0})
    yield server
    server.stop()


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Start servers of one's own."""
    servers: list[Server] = []

    def start(**options: Any) -> Server:
        servers.append(Server(tmp_path / "games", **options))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()
