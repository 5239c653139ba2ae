"""Every error murk raises on purpose.

Two kinds, under one base: what the caller got wrong (also a ``ValueError``) and what broke while running
(also a ``RuntimeError``). A message is one sentence: what, what was given, what was expected.
"""

__all__ = [
    "AgentError",
    "AgentTimeoutError",
    "BackendError",
    "FormatError",
    "GameError",
    "IllegalMoveError",
    "InputError",
    "MissingDependencyError",
    "MurkError",
    "ObservationError",
    "RecallError",
    "TooLargeError",
]


class MurkError(Exception):
    """Base class of all errors raised by murk."""


class InputError(MurkError, ValueError):
    """The caller asked for something that cannot be: a bad argument, name, file or option."""


class GameError(InputError):
    """The game is not one murk can take: not two-player, not zero-sum, ill-formed."""


class RecallError(GameError):
    """The game's information states forget something their player knew (imperfect recall)."""


class FormatError(InputError):
    """A file is malformed, truncated, corrupted, or of a version this murk cannot read."""


class IllegalMoveError(InputError):
    """A move is not legal in the position it was given for, or names more than one that is."""


class ObservationError(InputError):
    """An observation cannot be what the player of a belief sees next: no position it holds possible explains it."""


class TooLargeError(InputError):
    """The game tree has more nodes than the caller allowed."""


class MissingDependencyError(MurkError, ImportError):
    """An optional package is needed for this and is not installed."""


class BackendError(MurkError, RuntimeError):
    """A solver underneath failed although its input was valid."""


class AgentError(MurkError, RuntimeError):
    """A player broke down: it crashed, or said what cannot be understood."""


class AgentTimeoutError(AgentError):
    """A player did not answer in time."""
