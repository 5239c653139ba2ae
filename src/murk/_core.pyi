"""The native core of murk: the game tree and every loop over it."""

from collections.abc import Sequence
import enum
from typing import Annotated, Any, Final, overload

import numpy
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

    def expected_value(
        self,
        x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> float:
        """MAX's expected payoff of a profile of sequence-form strategies."""

    def best_response_value(
        self,
        responder: int,
        strategy: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> float:
        """
        Value to MAX when `responder` best-responds to the opponent's strategy.
        """

    def nash_conv(
        self,
        x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> float:
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
