"""Makes the pictures of the README and of the documentation: ``make pictures``.

The board is a screenshot of the review of a game that is played for it, in a real browser; the plots are drawn by
murk's own commands. Everything is computed anew, nothing is touched up. Names of pictures as arguments make only those.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from murk.darkchess import pgn
from murk.darkchess.agents import make_agent
from murk.darkchess.referee import Referee, TimeControl

IMAGES = Path(__file__).with_name("images")
SEED = 16
NODES = 30_000
"""Positions a move, of the players and of the reviewer: with a limit of time no two runs would be the same."""
WINDOW = {"width": 1200, "height": 930}


def played() -> str:
    """Play the game of the screenshot and return it as PGN."""
    with make_agent("murk") as white, make_agent("pimc") as black:
        game = Referee(white, black, seeds=(SEED, SEED), control=TimeControl(nodes=NODES), max_plies=80).play()
    plies = tuple(pgn.Ply(ply.move) for ply in game.plies)
    return pgn.format_game(pgn.GameRecord(plies, game.ending.result, tags={"White": "murk", "Black": "pimc"}))


def serve_reviews(folder: str) -> None:
    """Serve the board, with a reviewer that counts positions and not seconds, and print its address."""
    from murk.web.app import WebConfig, make_app
    from murk.web.levels import Level
    from murk.web.server import address_of, listen, serve

    config = WebConfig(Path(folder), review=Level("Review", 60.0, nodes=NODES))
    socket = listen("127.0.0.1", 0)
    serve(make_app(config), socket, config.limits, on_start=lambda: print(address_of(socket), flush=True))


@contextmanager
def server() -> Iterator[str]:
    """Run a server in a process of its own and yield its address."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, "--serve", folder]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.terminate()
            process.wait()


def board() -> None:
    """Photograph the review of a game where White had most positions to mix over, in both themes."""
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with server() as address, sync_playwright() as playwright:
        body = json.dumps({"kind": "analyse", "pgn": played()}).encode()
        request = urllib.request.Request(f"{address}api/games", body, {"Origin": address.rstrip("/")})
        with urllib.request.urlopen(request) as answer:
            name = json.load(answer)["id"]
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        ply = None
        for theme in ("light", "dark"):
            page = browser.new_page(viewport=WINDOW, color_scheme=theme)
            page.goto(f"{address}#/g/{name}")
            wait_for_review(page)
            ply = foggiest(page) if ply is None else ply
            page.keyboard.press("Home")
            for _ in range(ply):
                page.keyboard.press("ArrowRight")
            page.keyboard.press("1")
            wait_for_pieces(page)
            page.screenshot(path=IMAGES / f"board-{theme}.png")
        browser.close()


def wait_for_review(page: Any) -> None:
    """Wait until everything is thought through."""
    from playwright.sync_api import expect

    expect(page.locator(".errors")).to_be_visible(timeout=300_000)
    expect(page.locator(".reviewing")).to_have_count(0, timeout=300_000)


def wait_for_pieces(page: Any) -> None:
    """Wait until nothing on the board moves any more."""
    before = None
    while before != (before := page.locator("div.board").inner_html()):
        page.wait_for_timeout(1000)


def foggiest(page: Any) -> int:
    """Return the ply at which White mixed with most positions in mind."""
    from playwright.sync_api import expect

    plies = int(page.locator(".steps output").inner_text().rpartition("/")[2])
    page.keyboard.press("Home")
    found = []
    for ply in range(0, plies, 2):
        expect(page.locator(".steps output")).to_have_text(f"{ply} / {plies}")
        shares = [int(share) for share in re.findall(r"(\d+) %", page.locator(".mixture").inner_text())]
        size = int(re.search(r"belief\s+([\d,]+)", page.locator(".facts").inner_text())[1].replace(",", ""))
        found.append((sum(share >= 5 for share in shares) > 1, size, ply))
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
    return max(found)[2]


def solving() -> None:
    """Draw the exploitability of Leduc poker over time, by four methods."""
    import murk
    from murk.plots import plot_exploitability

    tree = murk.build("leduc_poker")
    solutions = {name: murk.solve(tree, name, target=1e-7, seconds=3) for name in ("cfr", "cfr+", "dcfr", "pcfr+")}
    solutions["lp"] = murk.solve(tree, "lp")
    plot_exploitability(solutions, IMAGES / "solving.png", title=f"Leduc poker, {tree.num_nodes:,} nodes, one core")


def murk_command(*arguments: str) -> Callable[[], Any]:
    """Return what runs a command of murk's."""
    return lambda: subprocess.run([sys.executable, "-m", "murk", *arguments, "--quiet"], check=True)


PICTURES: dict[str, Callable[[], Any]] = {
    "board": board,
    "solving": solving,
    "table1": murk_command("reproduce", "table1", "--plot", str(IMAGES / "table1.png")),
}


def main(names: list[str]) -> None:
    """Make the pictures of these names; all if there are none."""
    IMAGES.mkdir(exist_ok=True)
    for name in names or PICTURES:
        PICTURES[name]()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve_reviews(sys.argv[2])
    else:
        main(sys.argv[1:])
