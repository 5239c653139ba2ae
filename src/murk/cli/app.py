"""The command group: finds the commands, hands round the settings, and turns every failure into one line."""

import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from murk import __version__
from murk.cli.errors import Interrupted, one_line, report
from murk.cli.lazy import LazyGroup
from murk.cli.options import Settings, debug_option

__all__ = ["CommandLine", "main"]

COMMANDS = {
    "games": "murk.cli.games",
    "info": "murk.cli.info",
    "solve": "murk.cli.solve",
    "exploit": "murk.cli.exploit",
    "convert": "murk.cli.convert",
    "tree": "murk.cli.tree",
    "reproduce": "murk.cli.reproduce",
    "darkchess": "murk.cli.darkchess",
    "play": "murk.cli.play",
    "match": "murk.cli.match",
    "analyse": "murk.cli.analyse",
    "uci": "murk.cli.uci",
    "evaluate": "murk.cli.evaluate",
    "label": "murk.cli.label",
    "train": "murk.cli.train",
    "bench": "murk.bench.cli",
}
"""Each command and the module that holds it under its own name. They are imported when they are needed."""


class CommandLine(LazyGroup):
    """A group of lazily imported commands that reports errors the way murk does."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Ctrl-C is caught here, before click puts an empty line on standard error."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as interrupt:
            raise Interrupted from interrupt

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the command line and exit, unless ``standalone_mode`` is false: then errors are raised."""
        settings = extra.setdefault("obj", Settings())

        def run() -> Any:
            return super(CommandLine, self).main(
                args,
                prog_name or "murk",
                complete_var,
                standalone_mode=False,
                windows_expand_args=windows_expand_args,
                **extra,
            )

        if not standalone_mode:
            return run()
        with _log_to_stderr(settings):
            try:
                result = run()
                # Without standalone mode click returns the code of ctx.exit(), or what the command returned.
                code = result if isinstance(result, int) else 0
            except Exception as error:
                code = report(error, debug=settings.debug)
        sys.exit(code)


@click.group(
    "murk",
    cls=CommandLine,
    modules=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="\b\nExamples:\n"
    "  murk solve leduc_poker --method dcfr --target 1e-3 --out leduc.murk\n"
    "  murk play --tui\n"
    "  murk match murk greedy --games 10 --movetime 0.1",
)
@debug_option
@click.version_option(__version__, prog_name="murk", message="%(prog)s %(version)s")
def main() -> None:
    """Solve and play two-player zero-sum games of imperfect information, up to Fog of War (dark) chess.

    GAME is a built-in game, an OpenSpiel game, an .efg file, a tree saved by murk (.murk), or a game in Python
    (file.py:Name). `murk games` lists the ones with names.
    """


class _StderrHandler(logging.Handler):
    """Writes what the library logs as one line each, to wherever standard error now is."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(logging.WARNING)
        self.settings = settings

    def emit(self, record: logging.LogRecord) -> None:
        if not self.settings.quiet:
            click.echo(f"murk: {record.levelname.lower()}: {one_line(record.getMessage())}", err=True)


@contextmanager
def _log_to_stderr(settings: Settings) -> Iterator[None]:
    logger = logging.getLogger("murk")
    handler = _StderrHandler(settings)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
