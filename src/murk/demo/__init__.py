"""``make demo``: what murk does, in well under a minute once it is built.

Three rows of Table 1 of [ZS21] with exploitability falling as subgame after subgame is solved; one of the strategies
measured by OpenSpiel's own code; a game of dark chess with what the agent believed and considered; and how to open the
board. Nothing is read but what is installed, no other program is started, and it comes out the same every time.
"""

import io
import os
import sys
import time

from rich.console import Console
from rich.text import Text

import murk
from murk.demo.dark_chess import show_dark_chess
from murk.demo.table1 import show_agreement, show_table1
from murk.errors import MissingDependencyError
from murk.games.openspiel import import_pyspiel

__all__ = ["NEXT", "main", "show_next"]

INTERRUPTED = 130
PAGE_WIDTH = 100
NEXT = {
    "make web": "set up the board in the browser (needs Node.js)",
    ".venv/bin/murk play": "open it: play, watch two agents, or paste a PGN",
    ".venv/bin/murk play --tui": "the same game here in the terminal",
    ".venv/bin/murk play leduc_poker": "poker against an equilibrium",
    ".venv/bin/murk reproduce table1": "all ten rows of the paper's table",
    ".venv/bin/murk --help": "everything else",
}


def main() -> int:
    """Run the demonstration and return the exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that has no such letters gets others, and no traceback
    try:
        _show(_console())
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()  # or Python complains about the rest that nobody reads
    return 0


def _console() -> Console:
    """Return a console; where there is no terminal its width is that of a page."""
    width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else PAGE_WIDTH
    return Console(width=width, highlight=False, markup=False, emoji=False)


def _show(out: Console) -> None:
    started = time.perf_counter()
    out.rule(Text(f"murk {murk.__version__}"))
    try:
        import_pyspiel()
    except MissingDependencyError:
        out.print("The games of Table 1 come with OpenSpiel, which is not installed: pip install 'murk[openspiel]'.")
    else:
        show_table1(out)
        show_agreement(out)
    show_dark_chess(out)
    show_next(out, time.perf_counter() - started)


def show_next(out: Console, seconds: float) -> None:
    """Say how to open the board, and what else there is."""
    out.rule(Text("Your move"))
    out.print(f"All of it took {seconds:.0f} s. The board is two commands away:\n")
    width = max(map(len, NEXT))
    for command, purpose in NEXT.items():
        out.print(Text.assemble("  ", (command.ljust(width), "bold"), "   ", (purpose, "dim")), soft_wrap=True)
