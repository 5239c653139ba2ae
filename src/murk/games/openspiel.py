"""OpenSpiel games as murk trees.

The walk is native and calls OpenSpiel as little as it can: one state a node, of which one child reuses its parent's,
and two information-state strings at internal nodes. Simultaneous moves are made turn-based by OpenSpiel itself.

``recall="states"`` takes a player's information-state string for what she knows. Some of OpenSpiel's games forget in
it what their player did or saw (classical ``dark_hex``); such a game is refused, and ``recall="actions"`` instead
keys her infosets by her whole history of own actions and strings, a step at which nothing she sees changes not being
told apart.
"""

import difflib
import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from murk import _core
from murk.errors import GameError, InputError, MissingDependencyError, RecallError
from murk.games.build import DEFAULT_MAX_NODES, Progress, paused_gc, too_large
from murk.games.builtin import BUILTIN
from murk.tree.players import MAX, MIN, NATURE, TERMINAL
from murk.tree.tree import Tree

if TYPE_CHECKING:
    import pyspiel

__all__ = ["OpenSpielGame", "Recall", "build_openspiel", "import_pyspiel", "load_openspiel"]

Recall = Literal["states", "actions"]

_CHANCE, _TERMINAL = -1, -4
_Read = Callable[[Any, int], str]

_registered: set[str] = set()  # names of OpenSpiel's games as far as they are known; they only ever become more


def import_pyspiel() -> Any:
    """Return the ``pyspiel`` module or say how to get it."""
    try:
        import pyspiel
    except ImportError:
        raise MissingDependencyError(
            "this game needs OpenSpiel, which is not installed: pip install 'murk[openspiel]'"
        ) from None
    return pyspiel


def load_openspiel(spec: "str | pyspiel.Game", *, recall: Recall = "states") -> "OpenSpielGame":
    """Load an OpenSpiel game by name and parameters, as OpenSpiel writes them, or wrap a loaded one.

    Raises:
        InputError: there is no such game or it does not take such parameters.
        GameError: it is not a two-player zero-sum game with explicit chance.
    """
    pyspiel = import_pyspiel()
    if recall not in ("states", "actions"):
        raise InputError(f"recall is {recall!r}, expected 'states' or 'actions'")
    if isinstance(spec, str):
        _check_name(pyspiel, spec)
        try:
            game = pyspiel.load_game(spec)
        except (pyspiel.SpielError, RuntimeError) as error:
            raise InputError(f"OpenSpiel cannot load {spec!r}: {_first_sentence(error)}") from None
    else:
        game = spec
    keep = isinstance(spec, str) and type(game).__module__ == "pyspiel" and not _reads_file(game.get_parameters())
    kind = game.get_type()
    name = str(game) if not isinstance(spec, str) else spec
    if game.num_players() != 2:
        raise GameError(f"{name} has {game.num_players()} players, expected 2")
    if kind.utility != pyspiel.GameType.Utility.ZERO_SUM:
        raise GameError(f"{name} is {_enum(kind.utility)}, expected a zero-sum game")
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise GameError(f"{name} samples its chance events, expected explicit chance nodes")
    if kind.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        game = pyspiel.convert_to_turn_based(game)
    elif kind.dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
        raise GameError(f"{name} has {_enum(kind.dynamics)} dynamics, expected sequential or simultaneous moves")
    kind = game.get_type()
    if not (kind.provides_information_state_string or (recall == "actions" and kind.provides_observation_string)):
        hint = ", expected recall='actions' (--recall actions)" if kind.provides_observation_string else ""
        raise GameError(f"{name} provides no information states{hint}")
    return OpenSpielGame(name, game, recall, keep=keep)


def _check_name(pyspiel: Any, spec: str) -> None:
    """Refuse an unknown name in one sentence; OpenSpiel would print a hundred lines about it."""
    name = spec.split("(")[0].strip()
    if name in _registered:  # asking for all names takes longer than walking a small game
        return
    _registered.update(pyspiel.registered_names())
    if name.startswith("python_") and name not in _registered:
        importlib.import_module("open_spiel.python.games")  # registers OpenSpiel's games written in Python
        _registered.update(pyspiel.registered_names())
    if name not in _registered:
        near = difflib.get_close_matches(name, sorted({*BUILTIN, *_registered}), n=3)
        hint = f", did you mean {' or '.join(near)}?" if near else ""
        raise InputError(f"there is no game called {name!r}, in murk or in OpenSpiel{hint}")


def _reads_file(parameters: dict[str, Any]) -> bool:
    return any(_reads_file(v) if isinstance(v, dict) else "file" in k for k, v in parameters.items())


class OpenSpielGame:
    """An OpenSpiel game, ready to be built or walked."""

    def __init__(self, name: str, game: Any, recall: Recall, *, keep: bool = False) -> None:
        self.name = name
        self.game = game
        self.recall = recall
        self.keep = keep

    def cache_key(self) -> str | None:
        """Return what the tree depends on: the game, its parameters, the way it is read, OpenSpiel's version.

        Return None if that is not all, as for a game made in Python or read from a file.
        """
        if not self.keep:
            return None
        from importlib.metadata import version

        return f"openspiel {version('open_spiel')} {self.game} {self.recall}"

    def root(self) -> "OpenSpielState":
        """Return the initial state under the general protocol (slower to walk than :func:`build_openspiel`)."""
        return OpenSpielState(self.game.new_initial_state())

    def __repr__(self) -> str:
        return f"<murk.OpenSpielGame {self.name!r}>"


class OpenSpielState:
    """An OpenSpiel state under murk's protocol."""

    def __init__(self, state: Any) -> None:
        self.state = state

    def player(self) -> int:
        """Return who moves."""
        return _PLAYER[self.state.current_player()]

    def actions(self) -> list[int]:
        """Return OpenSpiel's legal actions (or chance outcomes)."""
        return list(self.state.legal_actions())

    def chance(self) -> list[float]:
        """Return nature's probabilities in the order of ``actions``."""
        outcomes = dict(self.state.chance_outcomes())
        return [outcomes[a] for a in self.state.legal_actions()]

    def child(self, action: int) -> "OpenSpielState":
        """Return the state after ``action``."""
        return OpenSpielState(self.state.child(action))

    def utility(self) -> float:
        """Return MAX's return; MAX is OpenSpiel's player 0."""
        return float(self.state.player_return(0))

    def information(self, player: int) -> str:
        """Return OpenSpiel's information-state string."""
        return str(self.state.information_state_string(int(player)))

    def observation(self, player: int) -> str:
        """Return OpenSpiel's information-state string, which says more than the newest observation but not less."""
        return self.information(player)

    def action_name(self, action: int) -> str:
        """Return OpenSpiel's name of the action."""
        return str(self.state.action_to_string(self.state.current_player(), action))


_PLAYER = {0: int(MAX), 1: int(MIN), _CHANCE: int(NATURE), _TERMINAL: int(TERMINAL)}


def build_openspiel(
    game: OpenSpielGame, *, max_nodes: int = DEFAULT_MAX_NODES, progress: Progress | None = None
) -> Tree:
    """Walk an OpenSpiel game and return its tree.

    Raises:
        RecallError: its information states forget something (ask for ``recall="actions"`` then).
        GameError, TooLargeError: as for any game.
    """
    pyspiel = import_pyspiel()
    source = (
        "information_state_string" if game.game.get_type().provides_information_state_string else "observation_string"
    )
    read: _Read = getattr(pyspiel.State, source)
    with paused_gc():
        try:
            walked = _walk(game, read, max_nodes, progress)
        except pyspiel.SpielError:
            walked = _walk(game, _CarefulReader(pyspiel.SpielError, read), max_nodes, progress)
    parent, player, action, chance, utility, infosets_max, infosets_min, names, actions = walked
    try:
        return Tree.from_arrays(
            parent=parent,
            player=player,
            action=action,
            chance=chance,
            utility=utility,
            infosets=(infosets_max, infosets_min),
            name=game.name,
            infoset_names=(names[0], names[1]),
            action_names=(actions[0], actions[1]),
        )
    except RecallError as error:
        if game.recall == "actions":
            raise
        raise RecallError(
            f"{error}: its information states forget; load it with recall='actions' (--recall actions)"
        ) from None


def _walk(game: OpenSpielGame, read: _Read, max_nodes: int, progress: Progress | None) -> tuple[Any, ...]:
    root, state_type = game.game.new_initial_state(), import_pyspiel().State
    try:
        return _core.walk_openspiel(root, state_type, read, game.recall == "actions", max_nodes, progress)
    except _core.TreeError as error:
        if error.args[0] == "too large":
            raise too_large(game.name, max_nodes) from None
        raise GameError(f"{game.name}: {error.args[-1]}") from None


class _CarefulReader:
    """Reads a player's string; where the game refuses (some do at chance nodes), she learns nothing there."""

    def __init__(self, refusal: type[Exception], read: _Read) -> None:
        self.refusal = refusal
        self.read = read
        self.refused: set[tuple[int, int]] = set()

    def __call__(self, state: Any, player: int) -> str:
        mover = state.current_player()
        if (player, mover) not in self.refused:
            try:
                return self.read(state, player)
            except self.refusal as error:
                if mover == player:
                    raise GameError(
                        f"OpenSpiel gives player {player} no information state: {_first_sentence(error)}"
                    ) from None
                self.refused.add((player, mover))
        return ""


def _first_sentence(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= 200 else text[:199] + "…"


def _enum(value: Any) -> str:
    return str(value).rsplit(".", 1)[-1].lower().replace("_", "-")
