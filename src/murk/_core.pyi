"""The native core of murk: the game tree and every loop over it."""

from collections.abc import Callable, Mapping, Sequence
import enum
from typing import Annotated, Any, Final, overload

import numpy
import numpy.typing
from numpy.typing import NDArray

class TreeError(ValueError):
    """A tree that cannot be: args are (kind, player, subject, text)."""

class Tree:
    """Append-only game tree; see murk.tree.Tree."""

    @overload
    def __init__(self, capacity: int = 1073741824) -> None: ...
    @overload
    def __init__(
        self,
        parent: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        player: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        action: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        chance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        utility: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        infoset_max: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        infoset_min: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None:
        """Build and check a finished tree; raises TreeError."""

    @overload
    def __init__(
        self,
        parent: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        player: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
        action: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        chance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        utility: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        infosets: Sequence[
            Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        ],
        infoset_parents: Sequence[
            Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        ],
        infoset_actions: Sequence[
            Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        ],
        reach: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None:
        """
        Restore a tree from its own arrays, numbering and all; raises TreeError.
        """

    @overload
    def __init__(self, gadget: Subgame) -> None:
        """Take over the tree of a gadget, which is left without one."""

    @property
    def num_nodes(self) -> int: ...
    @property
    def capacity(self) -> int: ...

    bytes_per_node: Final[int] = ...
    """(arg: object, /) -> int"""

    @property
    def nbytes(self) -> int: ...
    @property
    def revision(self) -> int: ...
    def add_root(self, utility: float = 0.0) -> int:
        """Add the root, a leaf with a utility; returns 0."""

    def add_infoset(self, player: int, parent_sequence: int, num_actions: int) -> int:
        """
        Add an infoset (0 actions: the player only watches); returns its number.
        """

    def expand(
        self,
        node: int,
        player: int,
        infosets: Sequence[int],
        actions: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        chance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        utilities: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> int:
        """
        Turn a leaf into a node of `player` and append its children as leaves; returns the first child.
        """

    def set_utility(self, node: int, value: float) -> None: ...
    def add_extra(self, player: int, sequence: int, payoff: float) -> None:
        """Add to MAX's extra payoff B on a sequence of `player`."""

    def clear_extra(self, player: int) -> None: ...
    def extra(self, player: int) -> list[tuple[int, float]]:
        """
        The extra payoffs B on `player`'s sequences, as (sequence, payoff) pairs.
        """

    @property
    def parent(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...
    @property
    def first_child(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...
    @property
    def num_children(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...
    @property
    def player(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), writable=False)]: ...
    @property
    def action(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...
    @property
    def chance_reach(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...
    @property
    def utility(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...
    def infoset(self, player: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]:
        """The player's infoset at each node, -1 at terminal nodes."""

    def sequence(self, player: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]:
        """The player's sequence at each node."""

    def num_infosets(self, player: int) -> int: ...
    def num_sequences(self, player: int) -> int: ...
    def infoset_parent(self, player: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]:
        """The parent sequence of each infoset."""

    def infoset_first(self, player: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]:
        """The first sequence of each infoset, -1 where the player does not act."""

    def infoset_actions(self, player: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]:
        """
        The number of actions at each infoset, 0 where the player does not act.
        """

    def sequence_infoset(self, player: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]:
        """The infoset each sequence belongs to, -1 for the empty one."""

    def infoset_labels(self, player: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """The builder's own label of each infoset."""

    def depths(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """Plies from the root to each node."""

    def infoset_reach(
        self,
        owner: int,
        player: int,
        strategy: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        For each infoset of `owner`, the chance reach of its nodes weighted by `player`'s sequence-form strategy.
        """

    def node_values(
        self,
        behaviour_max: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        behaviour_min: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Expected payoff to MAX from each node on."""

def instruction_sets() -> list[str]:
    """Names of the kernels this processor can run, best last."""

class SequenceForm:
    """The sequence form of a tree: a snapshot for the solvers."""

    def __init__(self, tree: Tree) -> None: ...
    @property
    def revision(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def num_entries(self) -> int: ...
    @property
    def stored_values(self) -> list[int]: ...
    @property
    def num_blocks(self) -> list[int]: ...
    def matrix(self) -> tuple[Any, ...]:
        """
        MAX's payoffs A by sequences, as compressed rows (start, column, value).
        """

    def expected_value(self, x: numpy.typing.NDArray[numpy.float64], y: numpy.typing.NDArray[numpy.float64]) -> float:
        """MAX's expected payoff of a profile of sequence-form strategies."""

    def best_response_value(self, responder: int, strategy: numpy.typing.NDArray[numpy.float64]) -> float:
        """
        Value to MAX when `responder` best-responds to the opponent's strategy.
        """

    def nash_conv(self, x: numpy.typing.NDArray[numpy.float64], y: numpy.typing.NDArray[numpy.float64]) -> float:
        """
        How much both players together could gain by best-responding; 0 at an equilibrium.
        """

    def best_response(
        self,
        tree: Tree,
        responder: int,
        strategy: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> tuple[Any, ...]:
        """
        (value, value of each sequence, value of each infoset, a pure best response), all as MAX's payoff and unnormalised.
        """

    def assemble_lp(
        self,
        player: int,
        lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> tuple[Any, ...]:
        """
        The player's linear program (columns, rows, opponent rows, offset, cost, column bounds, row bounds, start, index, value).
        """

class Cfr:
    """Regret minimisation over a sequence form; see murk.solvers.cfr."""

    def __init__(
        self,
        game: SequenceForm,
        *,
        regret: str,
        linear_regret: bool,
        alpha: float,
        beta: float,
        average_power: float,
        alternating: bool,
        threads: int,
        kernels: str,
    ) -> None: ...
    def run(self, iterations: int) -> None: ...
    @property
    def iterations(self) -> int: ...
    def average(self, player: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    def current(self, player: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    def best_response_value(self, responder: int, average: bool) -> float: ...
    def save(self) -> tuple[Any, ...]: ...
    def restore(
        self,
        iteration: int,
        average_weight: float,
        vectors: Sequence[
            Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)]
        ],
    ) -> None: ...

def walk_openspiel(
    root: object, state_type: object, read: object, by_history: bool, max_nodes: int, progress: object | None
) -> tuple[Any, ...]:
    """
    Walk an OpenSpiel game; returns the arrays of murk.tree.Tree.from_arrays, infoset names and action names.
    """

class Hypergraph:
    """The infoset hypergraph of a tree; see murk.subgame.knowledge."""

    def __init__(self, tree: Tree) -> None: ...
    def nodes(self, player: int, infoset: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """The nodes of an infoset."""

    def is_edge(self, player: int, infoset: int) -> bool:
        """Whether an infoset is a hyperedge: its player acts there or below."""

    def ball(
        self,
        start: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        radius: int,
    ) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """All nodes at most `radius` hyperedges away, ascending."""

    def components(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """
        The common-knowledge closure each node belongs to, -1 at terminal nodes.
        """

    def mean_ball_sizes(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        Mean size of the balls of radius 1, 2, ... round decision nodes; there are as many entries as the diameter.
        """

class Subgame:
    """A gadget made by make_subgame; murk.tree.Tree takes its tree over."""

    def infosets(self, player: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """
        The game's infoset of each infoset of the gadget, -1 for the gadget's own.
        """

    def nodes(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
    def roots(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
    def reach(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    def alternate(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

def to_resolve(gadget: Tree, we: int) -> Subgame:
    """MaxmarginToResolve of Algorithm 1; murk.tree.Tree takes the tree over."""

def make_subgame(
    game: Tree,
    form: SequenceForm,
    graph: Hypergraph,
    we: int,
    strategy: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    inside: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    gifts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    skip: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> Subgame:
    """Algorithm 1 of [ZS21]; see murk.subgame.gadget."""

class GrowingOptions:
    """What the growing search does and how; see murk.search."""

    def __init__(self) -> None: ...
    @property
    def exploration(self) -> float: ...
    @exploration.setter
    def exploration(self, arg: float, /) -> None: ...
    @property
    def one_sided(self) -> bool: ...
    @one_sided.setter
    def one_sided(self, arg: bool, /) -> None: ...
    @property
    def best_first(self) -> bool: ...
    @best_first.setter
    def best_first(self, arg: bool, /) -> None: ...
    @property
    def gadget(self) -> str: ...
    @gadget.setter
    def gadget(self, arg: str, /) -> None: ...
    @property
    def hurry(self) -> float: ...
    @hurry.setter
    def hurry(self, arg: float, /) -> None: ...
    @property
    def threads(self) -> int: ...
    @threads.setter
    def threads(self, arg: int, /) -> None: ...
    @property
    def max_nodes(self) -> int: ...
    @max_nodes.setter
    def max_nodes(self, arg: int, /) -> None: ...
    @property
    def solver_share(self) -> float: ...
    @solver_share.setter
    def solver_share(self, arg: float, /) -> None: ...
    @property
    def expansion_cost(self) -> float: ...
    @expansion_cost.setter
    def expansion_cost(self, arg: float, /) -> None: ...
    @property
    def frozen_share(self) -> float: ...
    @frozen_share.setter
    def frozen_share(self, arg: float, /) -> None: ...
    @property
    def kept_regret(self) -> float: ...
    @kept_regret.setter
    def kept_regret(self, arg: float, /) -> None: ...
    @property
    def tremble(self) -> float: ...
    @tremble.setter
    def tremble(self, arg: float, /) -> None: ...
    @property
    def pruning(self) -> bool: ...
    @pruning.setter
    def pruning(self, arg: bool, /) -> None: ...
    @property
    def seed(self) -> int: ...
    @seed.setter
    def seed(self, arg: int, /) -> None: ...
    @property
    def averaging(self) -> bool: ...
    @averaging.setter
    def averaging(self, arg: bool, /) -> None: ...

class TreeSearch:
    """The growing search on a finished tree."""

    def __init__(
        self,
        tree: object,
        estimate: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        player: int,
        options: GrowingOptions,
    ) -> None: ...
    def expanded(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
    def run(
        self, seconds: float = 1000000000.0, nodes: int = 9223372036854775807, iterations: int = 9223372036854775807
    ) -> None: ...
    def strategy(
        self, player: int, average: bool = False
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    @property
    def num_nodes(self) -> int: ...
    @property
    def num_infosets(self) -> int: ...
    @property
    def iterations(self) -> int: ...
    @property
    def value(self) -> float: ...

class GameSearch:
    """The growing search on any game, for its MAX."""

    def __init__(self, game: object, root: Seed, options: GrowingOptions) -> None: ...
    def run(
        self, seconds: float = 1000000000.0, nodes: int = 9223372036854775807, iterations: int = 9223372036854775807
    ) -> None: ...
    def strategy(self, player: int, average: bool = False) -> tuple[Any, ...]: ...
    @property
    def num_nodes(self) -> int: ...
    @property
    def num_infosets(self) -> int: ...
    @property
    def iterations(self) -> int: ...
    @property
    def value(self) -> float: ...

class PlayerOptions:
    """Options of the dark chess player; see murk.search."""

    def __init__(self) -> None: ...
    @property
    def search(self) -> GrowingOptions: ...
    @search.setter
    def search(self, arg: GrowingOptions, /) -> None: ...
    @property
    def carry(self) -> bool: ...
    @carry.setter
    def carry(self, arg: bool, /) -> None: ...
    @property
    def carry_regrets(self) -> bool: ...
    @carry_regrets.setter
    def carry_regrets(self, arg: bool, /) -> None: ...
    @property
    def neighbours(self) -> bool: ...
    @neighbours.setter
    def neighbours(self, arg: bool, /) -> None: ...
    @property
    def uniform_prior(self) -> bool: ...
    @uniform_prior.setter
    def uniform_prior(self, arg: bool, /) -> None: ...
    @property
    def gifts(self) -> bool: ...
    @gifts.setter
    def gifts(self, arg: bool, /) -> None: ...
    @property
    def draw_cap(self) -> bool: ...
    @draw_cap.setter
    def draw_cap(self, arg: bool, /) -> None: ...
    @property
    def remember(self) -> bool: ...
    @remember.setter
    def remember(self, arg: bool, /) -> None: ...
    @property
    def positions(self) -> int: ...
    @positions.setter
    def positions(self, arg: int, /) -> None: ...
    @property
    def most_roots(self) -> int: ...
    @most_roots.setter
    def most_roots(self, arg: int, /) -> None: ...
    @property
    def plausibility(self) -> float: ...
    @plausibility.setter
    def plausibility(self, arg: float, /) -> None: ...
    @property
    def average(self) -> bool: ...
    @average.setter
    def average(self, arg: bool, /) -> None: ...
    @property
    def prudence(self) -> float: ...
    @prudence.setter
    def prudence(self, arg: float, /) -> None: ...
    @property
    def purify(self) -> bool: ...
    @purify.setter
    def purify(self, arg: bool, /) -> None: ...
    @property
    def mix(self) -> int: ...
    @mix.setter
    def mix(self, arg: int, /) -> None: ...

class Choice:
    """One move of a decision."""

    @property
    def move(self) -> Move: ...
    @property
    def probability(self) -> float: ...
    @property
    def strategy(self) -> float: ...
    @property
    def value(self) -> float: ...
    @property
    def seen(self) -> float: ...
    @property
    def stable(self) -> bool: ...

class Report:
    """What a search of the dark chess player found."""

    @property
    def choices(self) -> list[Choice]: ...
    @property
    def value(self) -> float: ...
    @property
    def resolve_weight(self) -> float: ...
    @property
    def margins(self) -> list[float]: ...
    @property
    def iterations(self) -> int: ...
    @property
    def nodes(self) -> int: ...
    @property
    def leaves(self) -> int: ...
    @property
    def infosets(self) -> int: ...
    @property
    def carried(self) -> int: ...
    @property
    def carried_leaves(self) -> int: ...
    @property
    def roots(self) -> int: ...
    @property
    def depth(self) -> int: ...
    @property
    def seconds(self) -> tuple[Any, ...]:
        """Seconds spent on evaluating, on the rest of the walks, and on solving."""

class ChessPlayer:
    """One side of a game of dark chess, from its own observations alone."""

    def __init__(self, evaluator: Evaluator, quick: Evaluator, colour: Colour, options: PlayerOptions) -> None:
        """
        `quick` values the many positions of which some are chosen for the tree.
        """

    def observe(self, observation: Observation, move: Move | None = None) -> None:
        """
        What the player sees, at the start and after every move; `move` is her own if it was hers.
        """

    def begin(self) -> list[Position]:
        """Positions of her infoset that the tree from before already holds."""

    def search(
        self,
        samples: Sequence[Position],
        stands_for: float = 1.0,
        seconds: float = 1000000000.0,
        nodes: int = 9223372036854775807,
        stop: Callable[[], bool] | None = None,
    ) -> Report:
        """
        Search until a limit is met or `stop`, which is asked every few milliseconds, returns true.
        """

    def report(self) -> Report:
        """
        What the search would say now; also for `stop` to call while it runs. Nothing before the first search.
        """

class Colour(enum.IntEnum):
    """A side."""

    WHITE = 0

    BLACK = 1

class Move:
    """
    A move: from, to and perhaps a promotion. Castling is the king's step of two squares.
    """

    def __init__(self, bits: int) -> None:
        """The move with these 16 bits: from + 64 to + 4096 promotion."""

    @staticmethod
    def from_uci(text: str) -> Move:
        """Read `e2e4` or `e7e8q`."""

    @staticmethod
    def from_squares(from_square: int, to_square: int, promotion: str | None = None) -> Move: ...
    @property
    def from_square(self) -> int: ...
    @property
    def to_square(self) -> int: ...
    @property
    def promotion(self) -> str | None:
        """One of n, b, r and q, or None."""

    @property
    def bits(self) -> int: ...
    def __str__(self) -> str: ...
    def __repr__(self) -> str: ...
    def __hash__(self) -> int: ...
    def __getstate__(self) -> int: ...
    def __setstate__(self, arg: int, /) -> None: ...
    def __eq__(self, arg: object, /) -> bool: ...
    def __lt__(self, arg: Move, /) -> bool: ...
    def __le__(self, arg: Move, /) -> bool: ...
    def __gt__(self, arg: Move, /) -> bool: ...
    def __ge__(self, arg: Move, /) -> bool: ...

class Position:
    """
    A position of dark chess: placement, side to move, castling and en-passant rights. Immutable; no clocks.
    """

    def __init__(self, fen: str = ..., *, allow_missing_king: bool = False) -> None: ...
    @property
    def fen(self) -> str:
        """The first four fields of FEN."""

    @property
    def turn(self) -> Colour:
        """The side to move."""

    @property
    def castling(self) -> str:
        """`KQkq`, some of it, or `-`."""

    @property
    def en_passant(self) -> int | None:
        """The square where a pawn can be taken in passing now, or None."""

    @property
    def key(self) -> int:
        """A 64-bit hash of the whole position: the transposition key."""

    @property
    def occupied(self) -> int:
        """The occupied squares, as a mask: bit 0 is a1, bit 63 is h8."""

    def pieces(self, colour: Colour, kind: str | None = None) -> int:
        """The squares of a side's pieces (of one kind), as a mask."""

    def piece_at(self, square: int) -> str | None:
        """The piece on a square as FEN writes it (`N` is White's), or None."""

    @property
    def legal_moves(self) -> list[Move]:
        """All moves, in a fixed order; none once a king is gone."""

    @property
    def num_moves(self) -> int:
        """How many legal moves there are."""

    def is_legal(self, move: Move) -> bool: ...
    def play(self, move: Move) -> Position:
        """The position after a legal move."""

    @property
    def winner(self) -> Colour | None:
        """
        Who has won: a king is gone, or the side to move has no move. Else None.
        """

    def perft(self, depth: int, *, instructions: str | None = None) -> int:
        """Leaves of the move tree at this depth; a captured king ends its line."""

    def divide(self, depth: int) -> dict[Move, int]:
        """Perft of each move: the leaves below it."""

    def san(self, move: Move) -> str:
        """A legal move in standard algebraic notation, without signs of check."""

    def parse_san(self, text: str) -> Move:
        """Read a move in standard algebraic notation."""

    def parse_move(self, text: str) -> Move:
        """Read a legal move in either notation, UCI or SAN."""

    @property
    def king_captured(self) -> bool: ...
    def observation(self, colour: Colour) -> Observation:
        """What a player sees."""

    def observation_after(self, move: Move, colour: Colour) -> Observation:
        """
        What a player sees after a legal move, and where it took a piece of hers.
        """

    def mirror(self) -> Position:
        """The position with colours exchanged and the board turned upside down."""

    def __str__(self) -> str: ...
    def __repr__(self) -> str: ...
    def __hash__(self) -> int: ...
    def __getstate__(self) -> str: ...
    def __setstate__(self, arg: str, /) -> None: ...
    def __eq__(self, arg: object, /) -> bool: ...

def square_name(square: int) -> str:
    """The name of a square: 0 is a1, 63 is h8."""

def parse_square(name: str) -> int:
    """The number of a square: a1 is 0, h8 is 63."""

def parse_fen(fen: str) -> tuple[Position, tuple[int, int]]:
    """
    A position and its clocks: plies without pawn move or capture, and the number of the move.
    """

def chess_instruction_sets() -> list[str]:
    """Names of the chess kernels this processor can run, best last."""

class Observation:
    """
    What one player sees of a position, and nothing else. Immutable; equal if and only if the player cannot tell the positions apart.
    """

    def __init__(self, text: str) -> None:
        """Read what `text` wrote."""

    @property
    def text(self) -> str:
        """
        The canonical form: the fog FEN, who looks, where a piece of hers was taken, who has won.
        """

    @property
    def fog_fen(self) -> str:
        """
        FEN with `*` for what is not seen, the player's own castling rights, and no clocks.
        """

    @property
    def colour(self) -> Colour:
        """Who looks."""

    @property
    def turn(self) -> Colour:
        """Whose move it is."""

    @property
    def visible(self) -> int:
        """The squares that are seen, as a mask."""

    @property
    def own(self) -> int:
        """The player's pieces, as a mask."""

    @property
    def seen(self) -> int:
        """The opponent's pieces that are seen, as a mask."""

    @property
    def blocked(self) -> int:
        """
        The player's pawns that have something in front of them, seen or not, as a mask.
        """

    @property
    def known_enemy(self) -> int:
        """
        Squares that must hold a piece of the opponent's: seen ones, and those where an unseen one stops a pawn.
        """

    @property
    def known_empty(self) -> int:
        """
        Squares that must be empty: seen ones, and diagonals on which a pawn sees nothing to take.
        """

    @property
    def castling(self) -> str:
        """The player's own castling rights."""

    @property
    def en_passant(self) -> int | None:
        """Where the player can capture en passant now, or None."""

    @property
    def captured(self) -> int | None:
        """Where the move just made took a piece of the player's, or None."""

    @property
    def winner(self) -> Colour | None:
        """Who has won, which both players are told; None while the game goes on."""

    @property
    def legal_moves(self) -> list[Move]:
        """The player's moves; none when it is not her turn."""

    @property
    def key(self) -> int:
        """A 64-bit hash."""

    def piece_at(self, square: int) -> str | None:
        """
        The piece on a square as FEN writes it, None if it is empty, `murk.darkchess.picture.FOG` if it is not seen.
        """

    def __repr__(self) -> str: ...
    def __str__(self) -> str: ...
    def __hash__(self) -> int: ...
    def __getstate__(self) -> str: ...
    def __setstate__(self, arg: str, /) -> None: ...
    def __eq__(self, arg: object, /) -> bool: ...

class PositionSet:
    """
    Positions that look the same to one player, in an order of their own. Immutable.
    """

    def __init__(self, position: Position, colour: Colour) -> None:
        """The set of one known position."""

    @staticmethod
    def from_packed(
        own: Sequence[int],
        colour: int,
        turn: int,
        castling: int,
        en_passant: int,
        winner: int,
        boards: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    ) -> PositionSet:
        """The set with this `known` and these `packed` boards, checked."""

    @staticmethod
    def unite(sets: Sequence[PositionSet], *, limit: int | None = None, seed: int = 0) -> PositionSet: ...
    def __len__(self) -> int: ...
    @property
    def colour(self) -> Colour: ...
    @property
    def turn(self) -> Colour: ...
    @property
    def winner(self) -> Colour | None: ...
    @property
    def known(self) -> tuple[Any, ...]:
        """
        (own pieces by kind, colour, turn, castling, en passant, winner), as numbers.
        """

    @property
    def complete(self) -> bool:
        """False if the step that led here had to keep a sample."""

    @property
    def nbytes(self) -> int: ...
    def positions(self, numbers: Sequence[int]) -> list[Position]:
        """The positions of these numbers."""

    def slice(self, first: int, last: int) -> PositionSet: ...
    def without(self, other: PositionSet) -> PositionSet:
        """Those that are not in another set, in which the same is known."""

    def sample(self, count: int, seed: int) -> list[Position]:
        """Different positions, in random order; all if there are no more."""

    def packed(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None))]:
        """Two numbers a position: the opponent's squares, and what stands there."""

    def squares(self, first: int, last: int) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None))]:
        """
        What stands on each of the 64 squares: 0 nothing, 1-6 White's pawn to king, 7-12 Black's.
        """

    def piece_counts(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None))]:
        """
        How often each square (rows) is empty or holds a piece (columns, as above).
        """

    def count_moves(self) -> int:
        """Legal moves in all positions together."""

    def own_move(self, observation: Observation) -> Move | None:
        """The player's move after which her pieces stand as observed, or None."""

    def after_own_move(
        self,
        move: Move,
        observation: Observation,
        *,
        threads: int = 1,
        limit: int | None = None,
        seed: int = 0,
        instructions: str | None = None,
    ) -> PositionSet: ...
    def after_opponent_move(
        self,
        observation: Observation,
        *,
        threads: int = 1,
        limit: int | None = None,
        seed: int = 0,
        instructions: str | None = None,
    ) -> PositionSet: ...
    def after_own_move_naive(self, move: Move, observation: Observation) -> PositionSet:
        """By making each child and comparing views: for tests and benchmarks."""

    def after_opponent_move_naive(self, observation: Observation) -> PositionSet:
        """By making each child and comparing views: for tests and benchmarks."""

    def __contains__(self, position: Position) -> bool: ...
    def __eq__(self, arg: object, /) -> bool: ...

class Advance:
    """
    From one set of positions to the next in parts, so that a player on a clock can stop in between.
    """

    def __init__(
        self,
        positions: PositionSet,
        observation: Observation,
        move: Move | None = None,
        *,
        expected: int = 0,
        instructions: str | None = None,
    ) -> None:
        """
        `positions` only tell what is known. `move` is the player's own, `expected` a guess of how many follow.
        """

    def __len__(self) -> int:
        """How many different positions follow from those that were added."""

    def add(self, positions: PositionSet, first: int, last: int) -> None:
        """Go on from positions number `first` to `last` - 1."""

    def take(self) -> PositionSet:
        """The positions that follow from those that were added; then begin anew."""

class Evaluator:
    """A value in [-1, 1] for every legal move, from the mover's side."""

    @property
    def name(self) -> str: ...
    @property
    def parameters(self) -> dict[str, str]:
        """What the values depend on: version, depth, tau, ..."""

    @property
    def licence(self) -> str:
        """Of what computes the values, as an SPDX identifier."""

    def values(self, position: Position) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """One value for each of `position.legal_moves`."""

    def values_of(self, positions: Sequence[Position]) -> list[Annotated[NDArray[numpy.float32], dict(shape=(None,))]]:
        """`values` of many positions at once."""

class QuiescenceLimits:
    def __init__(
        self,
        *,
        nodes: int = 2000,
        evasions: int = 2,
        quiet_evasions: int = 2,
        captures: int = 64,
        recaptures_from: int = 3,
        margin: int = 120,
    ) -> None: ...
    @property
    def nodes(self) -> int: ...
    @property
    def evasions(self) -> int: ...
    @property
    def quiet_evasions(self) -> int: ...
    @property
    def captures(self) -> int: ...
    @property
    def recaptures_from(self) -> int: ...
    @property
    def margin(self) -> int: ...

class Network:
    def __init__(self, file: bytes, kernels: str = "") -> None: ...
    @property
    def checksum(self) -> int: ...
    @property
    def kernels(self) -> str: ...
    def file(self) -> bytes: ...
    def value(self, position: Position) -> int: ...

def predict(
    records: Annotated[NDArray[numpy.uint8], dict(shape=(None, 32), order="C", device="cpu", writable=False)],
    network: Network,
    limits: QuiescenceLimits,
    threads: int = 1,
) -> tuple[Any, ...]:
    """
    Targets, static values, values with quiescence (all for the side to move), traits, and nodes searched.
    """

def resolve(
    records: Annotated[NDArray[numpy.uint8], dict(shape=(None, 32), order="C", device="cpu", writable=False)],
    network: Network,
    limits: QuiescenceLimits,
    threads: int = 1,
) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, 32))]:
    """The quiet positions that the records come down to, with their labels."""

class EmbeddedEvaluator(Evaluator):
    """The net with the quiescence search."""

    def __init__(self, network: Network, version: str, limits: QuiescenceLimits = ...) -> None: ...
    def value(self, position: Position) -> float:
        """The value of a position for its side to move."""

    def static_value(self, position: Position) -> float:
        """The same without the quiescence search."""

    @property
    def network(self) -> Network: ...
    @property
    def limits(self) -> QuiescenceLimits: ...

class SimpleEvaluator(Evaluator):
    """Material and the number of squares seen."""

    def __init__(self, *, square: float = 0.05, tau: float = 6.0) -> None: ...

class CustomEvaluator(Evaluator):
    """The base class of evaluators in Python."""

    def __init__(self, name: str, parameters: Mapping[str, str] = {}, licence: str = "") -> None: ...
    def move_values(self, position: Position, moves: Sequence[Move]) -> list[float]:
        """
        One value from -1 to 1 for each of `moves`, for the side that plays it. To be overridden.
        """

def decided_value(position: Position, move: Move) -> float | None:
    """
    What the rules alone say a move is worth to the side that plays it, or None if they do not decide.
    """

class FuzzReport:
    """What a hunt for broken promises found."""

    @property
    def positions(self) -> int: ...
    @property
    def moves(self) -> int: ...
    @property
    def out_of_range(self) -> int: ...
    @property
    def against_rules(self) -> int: ...
    @property
    def asymmetric(self) -> int: ...
    @property
    def not_incremental(self) -> int: ...
    @property
    def not_portable(self) -> int: ...
    @property
    def wrong_sign(self) -> int: ...
    @property
    def most_nodes(self) -> int: ...
    @property
    def first(self) -> str:
        """The first position that broke a promise, as a FEN; empty if none did."""

    @property
    def broken(self) -> int: ...

def fuzz_evaluator(evaluator: EmbeddedEvaluator, positions: int, seed: int) -> FuzzReport:
    """
    Check the promises of the evaluator on random positions, absurd ones too.
    """

class Trainer:
    def __init__(self, seed: int, threads: int = 1) -> None: ...
    def train(
        self,
        records: Annotated[NDArray[numpy.uint8], dict(shape=(None, 32), order="C", device="cpu", writable=False)],
        batch: int,
        rate: float,
        power: float = 2.0,
    ) -> float: ...
    def begin_from(self, network: Network) -> None:
        """Go on from the weights of a net."""

    @property
    def steps(self) -> int: ...
    def state(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...
    def restore(
        self, state: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)]
    ) -> None: ...
    def network(self) -> Network: ...

class OutcomeOptions:
    """How games in the fog are played whose outcomes are labels."""

    def __init__(self) -> None: ...
    @property
    def boards(self) -> int: ...
    @boards.setter
    def boards(self, arg: int, /) -> None: ...
    @property
    def plausibility(self) -> float: ...
    @plausibility.setter
    def plausibility(self, arg: float, /) -> None: ...
    @property
    def temperature(self) -> float: ...
    @temperature.setter
    def temperature(self, arg: float, /) -> None: ...
    @property
    def strays(self) -> float: ...
    @strays.setter
    def strays(self, arg: float, /) -> None: ...
    @property
    def persistence(self) -> float: ...
    @persistence.setter
    def persistence(self, arg: float, /) -> None: ...
    @property
    def opening(self) -> int: ...
    @opening.setter
    def opening(self, arg: int, /) -> None: ...
    @property
    def longest(self) -> int: ...
    @longest.setter
    def longest(self, arg: int, /) -> None: ...

class OutcomePlayer:
    """Plays games in the fog and labels positions with what became of them."""

    def __init__(self, evaluator: EmbeddedEvaluator, seed: int, options: OutcomeOptions = ...) -> None: ...
    def run(self, records: int) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, 32))]:
        """Play until there are so many records more, and return them."""

class StockfishPool(Evaluator):
    """A pool of UCI processes; see murk.darkchess.evaluators."""

    def __init__(
        self,
        *,
        path: str,
        processes: int = 1,
        depth: int = 1,
        nodes: int = 0,
        tau: float = 0.0,
        hash: int = 1,
        fresh: bool = False,
        timeout: float = 30.0,
    ) -> None: ...
    @property
    def engine(self) -> str:
        """What the program calls itself."""

    @property
    def tau(self) -> float:
        """Centipawns."""

    @property
    def restarts(self) -> int:
        """How many processes were started in place of others."""

    @property
    def pids(self) -> list[int]:
        """The processes that run now."""

    def scores(self, positions: Sequence[Position]) -> list[list[tuple[Move, int, bool]]]:
        """
        For each position a list of (move, centipawns or moves to mate, whether it is mate), for all moves that the rules do not decide.
        """

class Labeller:
    """Plays games and has Stockfish label positions of them."""

    def __init__(
        self,
        pool: StockfishPool,
        mixture: str,
        seed: int,
        excluded: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None: ...
    def run(self, records: int) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, 32))]:
        """At least so many records, as rows of bytes."""

    @property
    def positions(self) -> int:
        """How many positions Stockfish was asked about."""

def record_keys(
    records: Annotated[NDArray[numpy.uint8], dict(shape=(None, 32), order="C", device="cpu", writable=False)],
) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
    """The transposition key of each record's position."""

def record_position(record: bytes) -> Position: ...
def sample_positions(seed: int, number: int) -> list[Position]:
    """Positions of the games, and set up, from which the training data come."""

def shuffled_fog(position: Position, seed: int) -> Position:
    """
    A random position that looks the same to the side to move, with the same legal moves.
    """

def orthodox_fen(position: Position) -> str:
    """
    The FEN that an engine of ordinary chess is given, with only the rights that it grants.
    """

class Seed:
    """A state to begin from."""

    def __init__(self, state: int, ours: int, theirs: int, value: float) -> None: ...
    @property
    def state(self) -> int: ...
    @property
    def value(self) -> float: ...
    @property
    def keys(self) -> list[int]: ...

class SearchGame:
    """A game as a search sees it: the searcher is MAX."""

    def transposition(self, state: int) -> int:
        """A number equal for transpositions."""

    def clear(self) -> None:
        """Forget all states; no trunk of the game may be used any more."""

class PythonGame(SearchGame):
    """A game written in Python; see murk.search.game."""

    def __init__(self, expand: Callable[[Any, Any, Any], Any], transposition: Callable[[Any], Any]) -> None: ...
    def add(self, state: object) -> int:
        """Add a state; returns its number."""

class ChessGame(SearchGame):
    """Dark chess for a search; see cpp/search/chess_game.h."""

    def __init__(self, we: Colour, evaluator: Evaluator, draw_cap: bool = True) -> None: ...
    def set_history(self, views: Sequence[int], quiet_plies: int) -> None:
        """
        Tell what the searcher has seen so far and for how many plies nothing irreversible.
        """

    def add_position(self, position: Position, key: int) -> Seed:
        """
        Add a position with the searcher to move; `key` is what she knows. Returns its seed.
        """

    def add_positions(self, positions: Sequence[Position], key: int, seconds: float | None = None) -> list[Seed]:
        """
        Add as many positions as there is time to evaluate, at least one; evaluated in batches.
        """

    def position(self, state: int) -> Position: ...
    @property
    def evaluations(self) -> int:
        """Values of moves taken so far."""

    @property
    def nbytes(self) -> int: ...

def view_key(observation: Observation) -> int:
    """A hash of what a player sees."""

def next_key(key: int, action: int | None, observation: int) -> int:
    """
    A player's key after a step: her action if she acted, else None, and a hash of what she observes.
    """

class Trunk:
    """The expanded part of a game; see cpp/search/trunk.h."""

    @overload
    def __init__(self, game: SearchGame, root: Seed, capacity: int) -> None:
        """The whole game from one state on."""

    @overload
    def __init__(self, game: SearchGame, seeds: Sequence[Seed], alternates: Sequence[float], capacity: int) -> None:
        """A gadget in which the opponent knows the state she is at."""

    @property
    def tree(self) -> Tree: ...
    @property
    def num_nodes(self) -> int: ...
    @property
    def num_infosets(self) -> list[int]:
        """Infosets at which a player acts, ours first."""

    @property
    def num_roots(self) -> int: ...
    @property
    def has_gadget(self) -> bool: ...
    @property
    def root_nodes(self) -> list[int]: ...
    @property
    def alternates(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    @property
    def carried(self) -> int:
        """Roots that come from the trunk before."""

    @property
    def max_depth(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    def state(self, node: int) -> int: ...
    def keys(self, node: int) -> list[int]: ...
    def value(self, node: int) -> float: ...
    def depth(self, node: int) -> int: ...
    def is_frontier(self, node: int) -> bool: ...
    def find_infoset(self, player: int, key: int) -> int:
        """The infoset of this key, -1 if there is none."""

    def expand_roots(self, seconds: float | None = None, stop: Callable[[], bool] | None = None) -> bool:
        """Expand the root states, as many as there is time for (at least one)."""

    def grow(
        self,
        x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        *,
        rule: str,
        depth: int,
        nodes: int,
        seconds: float | None,
        stop: Callable[[], bool] | None = None,
    ) -> tuple[Any, ...]:
        """
        One round of expansion; returns (nodes expanded, whether depth held any back, whether a limit did).
        """

    def next_observation_entropy(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Bits we learn after each action at the root."""

    def margins(
        self, x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)]
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        How much more than its alternate value each root of the gadget pays us.
        """

    def action_values(
        self,
        x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """What each action at the root is worth against the opponent's strategy."""

    def extend(
        self,
        player: int,
        strategy: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        other: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        A strategy over all sequences from one over those there were: new infosets play what looks best.
        """

class CarryPlan:
    """What MakeSubgame takes over from an old trunk."""

    @property
    def found(self) -> int:
        """Nodes of our infoset in the old trunk."""

    @property
    def value(self) -> float:
        """The old profile's value at our infoset."""

    def states(self, old: Trunk) -> list[int]:
        """The states that stay, by their old numbers."""

    def meetings(self) -> list[tuple[Any, ...]]:
        """
        (key, nodes inside, nodes outside, D, reach, value, gift, alternate value) of each opponent infoset.
        """

def plan_carry(
    old: Trunk,
    key: int,
    x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    *,
    reach: bool,
    root_gifts: bool,
    merge: bool,
    resolve: bool,
    seed: int,
    limit: int,
) -> CarryPlan:
    """
    Look up our infoset in a trunk, with what MakeSubgame needs to know of it.
    """

def carry(
    old: Trunk,
    plan: CarryPlan,
    x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    lost: Sequence[Seed],
    alternates: Sequence[float],
    capacity: int,
    limit: int,
) -> Trunk:
    """
    MakeSubgame: the trunk below our infoset, and lost particles beside it. The old trunk is used up.
    """

class SearchProgram:
    """The linear program of a growing trunk; see cpp/search/program.h."""

    def __init__(self, trunk: Trunk, player: int) -> None: ...
    def update(self) -> None: ...
    @property
    def num_columns(self) -> int: ...
    @property
    def num_rows(self) -> int: ...
    @property
    def mark(self) -> tuple[Any, ...]:
        """
        (columns, rows, entries): how far a solver that has the program as it is has been told of it.
        """

    @property
    def largest_payoff(self) -> float: ...
    @property
    def places(self) -> tuple[Any, ...]:
        """
        Columns of own sequences, rows of the other's, columns of her infosets, rows of own ones; -1 for none.
        """

    def vectors(self, gadget: str, unit: float, tremble: float) -> tuple[Any, ...]:
        """(offset, cost, column bounds, row bounds)."""

    def growth(self, since: Sequence[int], unit: float) -> tuple[Any, ...]:
        """
        (start, index, value) of new columns in old rows, the same of new rows; places and values of changes.
        """

    def new_basis(
        self,
        first_column: int,
        first_row: int,
        first_node: int,
        x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> tuple[Any, ...]:
        """
        Where to begin with new columns and rows: 0 at its lower bound, 1 basic.
        """

    def strategies(
        self,
        columns: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        duals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        gadget: str,
        tolerance: float,
        tremble: float,
    ) -> tuple[Any, ...]:
        """Both players' sequence forms, ours first."""

def look_ahead(
    evaluator: Evaluator,
    position: Position,
    depth: int,
    *,
    seconds: float | None = None,
    values: int | None = None,
    best_only: bool = False,
    stop: Callable[[], bool] | None = None,
) -> tuple[Annotated[NDArray[numpy.float32], dict(shape=(None,))] | None, int]:
    """
    What each legal move is worth to the mover if both sides see everything and search `depth` plies, or None if `seconds` or so many `values` of the evaluator did not suffice, or `stop` returned true; and the number of values taken. With `best_only` the best move's value alone is exact and the others' are upper bounds.
    """
