"""The native core of murk: the game tree and every loop over it."""

from collections.abc import Sequence
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
