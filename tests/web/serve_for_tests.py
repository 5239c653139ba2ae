"""The server with other agents and limits than people get: ``serve_for_tests.py FOLDER PORT OPTIONS``.

OPTIONS are JSON: ``agents``, ``limits``, ``movetime``.
"""

import json
import sys
from pathlib import Path

from murk.web.app import WebConfig, make_app
from murk.web.levels import Level, Offers
from murk.web.limits import Limits
from murk.web.server import address_of, listen, serve


def main(folder: str, port: str, options: str) -> None:
    chosen = json.loads(options)
    level = Level("Test", chosen.get("movetime", 0.01))
    config = WebConfig(
        data=Path(folder),
        offers=Offers(chosen.get("agents", ())),
        levels=(level,),
        level=0,
        review=Level("Review", 5.0, nodes=2000),
        names=("murk.test",),
        limits=Limits(**chosen.get("limits", {})),
    )
    sock = listen("127.0.0.1", int(port))
    serve(make_app(config), sock, config.limits, on_start=lambda: print(address_of(sock), flush=True))


if __name__ == "__main__":
    main(*sys.argv[1:])
