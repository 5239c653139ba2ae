"""OpenSpiel games as murk trees.

The walk calls OpenSpiel as little as it can: one state a node, of which the last child reuses its parent's, and two
information-state strings at internal nodes. Simultaneous moves are made turn-based by OpenSpiel itself.

``recall="states"`` takes a player's information-state string for what she knows. Some of OpenSpiel's games forget in it what their
player did or saw (classical ``dark_hex``); such a game is refused, and ``recall="actions"`` instead keys her infosets by her whole
history of own actions and strings, a step at which nothing she sees changes not being told apart.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from murk.errors import GameError, InputError, MissingDependencyError, RecallError
from murk.games.build import DEFAULT_MAX_NODES, Progress, TreeRecorder, paused_gc
from murk.tree.players import MAX, MIN, NATURE, TERMINAL
from murk.tree.tree import Tree

if TYPE_CHECKING:
    import pyspiel

__all__ = ["OpenSpielGame", "Recall", "build_openspiel", "import_pyspiel", "load_openspiel"]

Recall = Literal["states", "actions"]

_CHANCE, _TERMINAL = -1, -4
_Read = Callable[[Any, int], str]


def import_pyspiel() -> Any:
    """Return the ``pyspiel`` module or say how to get it."""
    try:
        import pyspiel
    except ImportError:
        raise MissingDependencyError("this game needs OpenSpiel, which is not installed: pip install 'murk[openspiel]'") from None
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
        try:
            game = pyspiel.load_game(spec)
        except (pyspiel.SpielError, RuntimeError) as error:
            raise InputError(f"OpenSpiel cannot load {spec!r}: {_first_sentence(error)}") from None
    else:
        game = spec
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
        hint = ", expected recall='actions' to be asked for" if kind.provides_observation_string else ""
        raise GameError(f"{name} provides no information states{hint}")
    return OpenSpielGame(name, game, recall)


class OpenSpielGame:
    """An OpenSpiel game, ready to be built or walked."""

    def __init__(self, name: str, game: Any, recall: Recall) -> None:
        self.name = name
        self.game = game
        self.recall = recall

    def cache_key(self) -> str:
        """Return what the tree depends on: the game with all its parameters, the way it is read, OpenSpiel's version."""
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


def build_openspiel(game: OpenSpielGame, *, max_nodes: int = DEFAULT_MAX_NODES, progress: Progress | None = None) -> Tree:
    """Walk an OpenSpiel game and return its tree.

    Raises:
        RecallError: its information states forget something (ask for ``recall="actions"`` then).
        GameError, TooLargeError: as for any game.
    """
    pyspiel = import_pyspiel()
    walk = _walk_actions if game.recall == "actions" else _walk_states
    source = "information_state_string" if game.game.get_type().provides_information_state_string else "observation_string"
    read: _Read = getattr(pyspiel.State, source)
    with paused_gc():
        try:
            record = TreeRecorder(game.name, max_nodes, progress)
            names = walk(game.game, record, read)
        except pyspiel.SpielError:
            record = TreeRecorder(game.name, max_nodes, progress)
            names = walk(game.game, record, _CarefulReader(pyspiel.SpielError, read))
        try:
            return record.finish(names)
        except RecallError as error:
            if game.recall == "actions":
                raise
            raise RecallError(f"{error}: its information states forget; load it with recall='actions' (--recall actions)") from None


def _walk_states(game: Any, record: TreeRecorder, read: "_Read") -> tuple[list[str], list[str]]:
    labels: tuple[dict[str, int], dict[str, int]] = ({}, {})
    labels0, labels1 = labels
    infosets0, infosets1 = record.infosets
    players, utilities, names = record.player, record.utility, record.action_names
    root = game.new_initial_state()
    who = root.current_player()
    stack: list[tuple[Any, int, int]] = [(root, 0, who)] if who != _TERMINAL else []
    if who == _TERMINAL:
        utilities[0] = root.player_return(0)
    while stack:
        state, node, mover = stack.pop()
        infosets0[node] = labels0.setdefault(read(state, 0), len(labels0))
        infosets1[node] = labels1.setdefault(read(state, 1), len(labels1))
        actions, chance = _moves(state, mover)
        if mover >= 0:
            players[node] = mover
            label = record.infosets[mover][node]
            if label not in names[mover]:
                names[mover][label] = [state.action_to_string(mover, a) for a in actions]
        else:
            players[node] = NATURE
        child_node = record.add_children(node, actions, chance)
        last = actions.pop()
        for action in actions:
            below = state.child(action)
            who = below.current_player()
            if who == _TERMINAL:
                utilities[child_node] = below.player_return(0)
            else:
                stack.append((below, child_node, who))
            child_node += 1
        state.apply_action(last)
        who = state.current_player()
        if who == _TERMINAL:
            utilities[child_node] = state.player_return(0)
        else:
            stack.append((state, child_node, who))
    return list(labels0), list(labels1)


def _walk_actions(game: Any, record: TreeRecorder, read: "_Read") -> tuple[list[str], list[str]]:
    """The same walk with infosets keyed by the player's own history of actions and strings."""
    labels: tuple[dict[Any, int], dict[Any, int]] = ({}, {})
    newest: tuple[list[str], list[str]] = ([], [])  # label -> the string last seen
    moves: tuple[list[str], list[str]] = ([], [])  # label -> own actions so far
    stack: list[tuple[Any, int]] = [(game.new_initial_state(), 0)]
    while stack:
        state, node = stack.pop()
        mover = state.current_player()
        if mover == _TERMINAL:
            record.utility[node] = state.player_return(0)
            continue
        up = record.parent[node]
        above = record.player[up] if up >= 0 else None
        for p in (0, 1):
            text = read(state, p)
            before = record.infosets[p][up] if up >= 0 else -1
            if above is not None and above != p and mover != p and newest[p][before] == text:
                record.infosets[p][node] = before
                continue
            made = str(record.action[node]) if above == p else ""
            label = labels[p].setdefault((before, made, text, mover == p), len(labels[p]))
            if label == len(newest[p]):
                newest[p].append(text)
                moves[p].append(" ".join(filter(None, [moves[p][before] if before >= 0 else "", made])))
            record.infosets[p][node] = label
        record.player[node] = mover if mover >= 0 else NATURE
        actions, chance = _moves(state, mover)
        if mover >= 0 and record.infosets[mover][node] not in record.action_names[mover]:
            label = record.infosets[mover][node]
            record.action_names[mover][label] = [state.action_to_string(mover, a) for a in actions]
        first = record.add_children(node, actions, chance)
        stack.extend((state.child(a), first + i) for i, a in enumerate(actions))
    both = [[f"[{made}] {text}" for made, text in zip(moves[p], newest[p], strict=True)] for p in (0, 1)]
    return both[0], both[1]


def _moves(state: Any, mover: int) -> tuple[list[int], list[float] | None]:
    if mover >= 0:
        actions = state.legal_actions()
        if not actions:
            raise GameError("OpenSpiel gives a decision without legal actions")
        return actions, None
    if mover != _CHANCE:
        raise GameError(f"OpenSpiel gives player {mover}, expected 0, 1 or chance")
    outcomes = state.chance_outcomes()
    return [a for a, _ in outcomes], [p for _, p in outcomes]


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
                    raise GameError(f"OpenSpiel gives player {player} no information state: {_first_sentence(error)}") from None
                self.refused.add((player, mover))
        return ""


def _first_sentence(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= 200 else text[:199] + "…"


def _enum(value: Any) -> str:
    return str(value).rsplit(".", 1)[-1].lower().replace("_", "-")
