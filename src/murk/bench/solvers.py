"""``murk bench solvers``: trees, regret minimisation, exploitability and linear programs beside the peers'.

What is compared is first checked to be the same: a peer's strategies are measured by both programs, values of linear
programs are compared, nodes counted. A disagreement is an error, not a row.
"""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import murk
from murk.bench.measure import Job, Pace, Timing, best_of, cpu_seconds
from murk.bench.peers import CFR_PEERS, LP_PEERS, CfrPeer, LpPeer, Session, SkipError, environ
from murk.bench.report import METRICS, Row, make_row
from murk.bench.worker import Outcome, UnfinishedError, run_limited
from murk.errors import BackendError, InputError, MissingDependencyError, MurkError
from murk.games.openspiel import OpenSpielGame
from murk.solvers import CfrSolver, Limits, solve_cfr
from murk.tree import MIN, Profile, Tree

__all__ = ["CASES", "SOLVER_METRICS", "Case", "Settings", "case_named", "run"]

_USUAL = ("build_nodes_per_second", "bytes_per_node", "cfr_iterations_per_second", "exploitability_seconds")
_EXACT = (*_USUAL, "lp_seconds")
SOLVER_METRICS = (*_EXACT, "seconds_to_exploitability")
"""What is measured here; other benchmarks have other keys of ``METRICS``."""


@dataclass(frozen=True)
class Case:
    """A game to measure on.

    Attributes:
        name: what it is called in the rows.
        spec: the game as :func:`murk.build` takes it.
        metrics: what is measured unless metrics are named.
        quick: whether it is part of a quick run.
    """

    name: str
    spec: str
    metrics: tuple[str, ...] = _EXACT
    quick: bool = False


CASES: tuple[Case, ...] = (
    Case("kuhn_poker", "kuhn_poker", quick=True),
    Case("leduc_poker", "leduc_poker", quick=True),
    Case("goofspiel_4", "goofspiel(imp_info=True,num_cards=4,points_order=random,players=2)"),
    Case("liars_dice_5", "liars_dice(dice_sides=5)", quick=True),
    Case("dark_hex_2x3", "dark_hex(num_rows=2,num_cols=3,gameversion=adh)"),
    Case("liars_dice_6", "liars_dice(dice_sides=6)"),
    Case(
        "leduc_13",
        "universal_poker(betting=limit,numPlayers=2,numRounds=2,blind=1 1,raiseSize=2 4,firstPlayer=1 1,maxRaises=2 2,"
        "numSuits=2,numRanks=13,numHoleCards=1,numBoardCards=0 1)",
        metrics=(*_USUAL, "seconds_to_exploitability"),
    ),
)

_TARGET = 1e-3
_TARGET_METHODS = ("dcfr", "pcfr+")
_WARM_UP_ITERATIONS, _WARM_UP_SECONDS = 100, 6.0
_AGREEMENT = 1e-7  # of exploitabilities, relative to the range of payoffs

T = TypeVar("T")


def case_named(name: str) -> Case:
    """Return the case of that name, or a new one for any game :func:`murk.build` takes."""
    return next((case for case in CASES if case.name == name), Case(name, name))


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How to measure.

    Attributes:
        metrics: what to measure on every case, instead of what each has by default.
        repeat: batches of each job, the best of which counts.
        batch_seconds: least length of a batch.
        job_seconds: after this time a job is not repeated.
        peer_seconds: what a peer's operation may take; what would take longer is skipped or stopped.
        cfr_peers, lp_peers: whom to compare with.
        progress: called with what is being done.
    """

    metrics: tuple[str, ...] | None = None
    repeat: int = 5
    batch_seconds: float = 0.1
    job_seconds: float = 4.0
    peer_seconds: float = 60.0
    cfr_peers: Sequence[CfrPeer] = CFR_PEERS
    lp_peers: Sequence[LpPeer] = LP_PEERS
    progress: Callable[[str], None] = field(default=lambda text: None)

    def __post_init__(self) -> None:
        unknown = [m for m in self.metrics or () if m not in SOLVER_METRICS]
        if unknown:
            raise InputError(f"metric is {unknown[0]!r}, expected one of {', '.join(SOLVER_METRICS)}")
        if self.repeat < 1:
            raise InputError(f"repeat is {self.repeat!r}, expected at least 1")
        if not self.peer_seconds > 0:
            raise InputError(f"peer_seconds is {self.peer_seconds!r}, expected a positive number")


def run(cases: Sequence[Case], settings: Settings | None = None) -> Iterator[Row]:
    """Measure, case by case, and yield each row as soon as it is there.

    Raises:
        BackendError: a peer's answer is not the same as ours.
        InputError: a case is not a game.
    """
    settings = settings or Settings()
    pace = Pace(settings.peer_seconds)
    for case in cases:
        yield from _CaseRun(case, settings, pace).rows()


@dataclass(frozen=True)
class _Checked:
    """A peer's session whose strategies both programs agree on.

    ``seconds`` is what the peer's exploitability took; ``None`` if that takes too long and nothing was compared.
    """

    session: Session
    profile: Profile
    seconds: float | None


class _CaseRun:
    """One case: its tree, the peers' forms of it, and a method for each metric."""

    def __init__(self, case: Case, settings: Settings, pace: Pace) -> None:
        self.case = case
        self.settings = settings
        self.pace = pace
        self._sessions: dict[str, _Checked | SkipError] = {}

    def rows(self) -> Iterator[Row]:
        measures: dict[str, Callable[[], Iterator[Row]]] = {
            "build_nodes_per_second": self.build,
            "bytes_per_node": self.memory,
            "cfr_iterations_per_second": self.cfr,
            "exploitability_seconds": self.exploitability,
            "lp_seconds": self.lp,
            "seconds_to_exploitability": self.to_target,
        }
        for metric, measure in measures.items():
            if metric in (self.settings.metrics or self.case.metrics):
                yield from measure()

    # The case's own things

    @cached_property
    def tree(self) -> Tree:
        self.say("building the tree")
        return murk.build(self.case.spec, cache=False)

    @cached_property
    def game(self) -> Any:
        """The game as OpenSpiel's peers take it, or ``None`` if it is none of OpenSpiel's."""
        game = murk.load(self.case.spec)
        return game.game if isinstance(game, OpenSpielGame) else None

    def say(self, text: str) -> None:
        self.settings.progress(f"{self.case.name}: {text}")

    def time(self, *jobs: Job) -> tuple[Timing, ...]:
        s = self.settings
        return best_of(*jobs, repeat=s.repeat, batch_seconds=s.batch_seconds, budget=s.job_seconds)

    def row(self, metric: str, *, ours: float, notes: Sequence[str | None] = (), **other: Any) -> Row:
        note = "; ".join(filter(None, notes)) or None
        return make_row(metric, ours=ours, case=self.case.name, nodes=self.tree.num_nodes, note=note, **other)

    # Peers

    def beside(
        self,
        metric: str,
        peer: CfrPeer,
        ours: Job,
        theirs: Callable[[], "Job | Timing"],
        figure: "_Figure",
        **other: Any,
    ) -> Row:
        """Return the row of ``ours`` beside what ``theirs`` returns: a job, or its timing if that is known already.

        ``figure`` makes the metric's figure of the seconds of a call.
        """
        self.say(f"{METRICS[metric].title} beside {peer.name}")
        try:
            job = theirs()
            if isinstance(job, Timing):
                (mine,), his = self.time(ours), job
            else:
                mine, his = self.time(ours, _guarded(job))
        except SkipError as reason:
            (mine,) = self.time(ours)
            return self.row(metric, ours=figure(mine.seconds), peer=peer.name, notes=[str(reason)], **other)
        notes = [_ONCE if his.batches == 1 else None]
        values = {"ours": figure(mine.seconds), "peer_value": figure(his.seconds)}
        return self.row(metric, peer=peer.name, notes=notes, **values, **other)

    def allow(self, peer: CfrPeer, *operations: str) -> None:
        """Raise SkipError unless ``peer`` is there, knows the game, and does the operations in time."""
        _require(peer)
        if self.game is None:
            raise SkipError("not a game of OpenSpiel's")
        for operation in operations:
            expected = self.pace.foresee(peer.name, operation, self.tree.num_nodes, peer.cost[operation])
            if expected > self.pace.budget:
                limit = f"{self.pace.budget:g} s are allowed"
                raise SkipError(f"skipped: its {operation} would take about {expected:.0f} s, {limit}")

    def watch(self, peer: CfrPeer, operation: str, work: Callable[[], T]) -> tuple[T, float]:
        """Do a peer's work, return the result and the seconds, and learn what it costs."""
        started = cpu_seconds()
        try:
            result = work()
        except Exception as error:
            _failed(error)
        seconds = cpu_seconds() - started
        self.pace.learn(peer.name, operation, self.tree.num_nodes, seconds)
        return result, seconds

    def checked(self, peer: CfrPeer) -> _Checked:
        """Return the peer's session, warmed up, once both programs agree on the strategies in it."""
        if peer.name not in self._sessions:
            try:
                self._sessions[peer.name] = self._open(peer)
            except SkipError as reason:
                self._sessions[peer.name] = reason
        found = self._sessions[peer.name]
        if isinstance(found, SkipError):
            raise found
        return found

    def _open(self, peer: CfrPeer) -> _Checked:
        self.allow(peer, "start", "iterate")
        self.say(f"{peer.name} takes in the game")
        session, _ = self.watch(peer, "start", lambda: peer.start(self.game))
        self.say(f"{peer.name} warms up")
        done, spent = 0, 0.0
        while done < _WARM_UP_ITERATIONS and spent < _WARM_UP_SECONDS:
            _, seconds = self.watch(peer, "iterate", lambda: session.iterate(1))
            done, spent = done + 1, spent + seconds
        profile, _ = self.watch(peer, "profile", lambda: session.profile(self.tree))
        try:
            self.allow(peer, "nash_conv")
        except SkipError:
            return _Checked(session, profile, None)
        self.say(f"do {peer.name} and murk agree?")
        theirs, seconds = self.watch(peer, "nash_conv", session.nash_conv)
        ours = self.tree.sequence_form.nash_conv(profile.max.sequences, profile.min.sequences)
        self.agree(f"nash_conv of {peer.name}'s strategies", ours, theirs, _AGREEMENT)
        return _Checked(session, profile, seconds)

    def agree(self, what: str, ours: float, theirs: float, tolerance: float) -> None:
        """Raise BackendError unless two numbers are the same up to ``tolerance``, relative to the range of payoffs."""
        low, high = self.tree.utility_range()
        if not abs(ours - theirs) <= tolerance * max(high - low, 1.0):
            both = f"{ours:.9g} by murk and {theirs:.9g} by the peer"
            raise BackendError(f"{self.case.name}: {what} is {both}, expected the same")

    # Metrics

    def build(self) -> Iterator[Row]:
        metric, nodes = "build_nodes_per_second", self.tree.num_nodes
        ours = _repeated(lambda: murk.build(self.case.spec, cache=False))
        for peer in self.settings.cfr_peers:
            theirs = partial(self._their_build, peer)
            yield self.beside(metric, peer, ours, theirs, lambda s: nodes / s, peer_method=peer.building)
        if not self.settings.cfr_peers:
            yield self.row(metric, ours=nodes / self.time(ours)[0].seconds)
        if self.game is not None:
            yield self._cached_build()

    def _their_build(self, peer: CfrPeer) -> Job:
        self.allow(peer, "build")
        if self.tree.num_nodes > peer.largest_build:
            raise SkipError(f"skipped: tried on trees of up to {peer.largest_build:,} nodes only")

        def build() -> None:
            found, _ = self.watch(peer, "build", lambda: peer.build(self.game))
            if found is not None:
                self.agree(f"the number of nodes beside {peer.name}", self.tree.num_nodes, found, 0.0)

        return _repeated(build)

    def _cached_build(self) -> Row:
        self.say("loading the tree from the cache")
        load = _repeated(lambda: murk.build(self.case.spec))
        with tempfile.TemporaryDirectory() as folder, environ("MURK_CACHE_DIR", folder):
            load(1)
            (timing,) = self.time(load)
        rate = self.tree.num_nodes / timing.seconds
        note = "from the cache on disk, checksum and structure checked"
        return self.row("build_nodes_per_second", ours=rate, method="cached", notes=[note])

    def memory(self) -> Iterator[Row]:
        metric, tree = "bytes_per_node", self.tree
        note = f"of them {tree.bytes_per_node} in arrays over nodes, the rest in tables of infosets and sequences"
        yield self.row(metric, ours=tree.nbytes / tree.num_nodes, notes=[note])
        note = "made beside the tree when something is solved"
        ours = tree.sequence_form.nbytes / tree.num_nodes
        yield self.row(metric, ours=ours, method="sequence form", notes=[note])

    def cfr(self) -> Iterator[Row]:
        metric = "cfr_iterations_per_second"
        for peer in self.settings.cfr_peers:
            ours, theirs = self._iterating(peer.ours), partial(self._their_iterating, peer)
            methods = {"method": peer.ours, "peer_method": peer.method}
            yield self.beside(metric, peer, ours, theirs, lambda s: 1 / s, **methods)
        if not self.settings.cfr_peers:
            for method in ("pcfr+", "cfr+"):
                yield self.row(metric, ours=1 / self.time(self._iterating(method))[0].seconds, method=method)

    def _iterating(self, method: str) -> Job:
        solver = CfrSolver(self.tree, method)
        solver.iterate(_WARM_UP_ITERATIONS)
        return solver.iterate

    def _their_iterating(self, peer: CfrPeer) -> Job:
        return self.checked(peer).session.iterate

    def exploitability(self) -> Iterator[Row]:
        metric = "exploitability_seconds"
        for peer in self.settings.cfr_peers:
            try:
                ours = self._measuring(self.checked(peer).profile)
            except SkipError:
                ours = self._measuring(self._own_profile())
            yield self.beside(metric, peer, ours, partial(self._their_measuring, peer), lambda s: s)
        if not self.settings.cfr_peers:
            yield self.row(metric, ours=self.time(self._measuring(self._own_profile()))[0].seconds)

    def _own_profile(self) -> Profile:
        return solve_cfr(self.tree, "cfr+", limits=Limits(iterations=_WARM_UP_ITERATIONS)).profile

    def _measuring(self, profile: Profile) -> Job:
        x, y, form = profile.max.sequences, profile.min.sequences, self.tree.sequence_form
        return _repeated(lambda: form.nash_conv(x, y))

    def _their_measuring(self, peer: CfrPeer) -> "Job | Timing":
        checked = self.checked(peer)
        self.allow(peer, "nash_conv")
        # What took long when it was checked is not done again.
        if checked.seconds is not None and checked.seconds > self.settings.job_seconds:
            return Timing(checked.seconds, 1, 1)
        return _repeated(checked.session.nash_conv)

    def lp(self) -> Iterator[Row]:
        metric = "lp_seconds"
        solution = murk.solve(self.tree, "lp")

        def solve() -> None:
            self.tree.clear_extra(MIN)  # changes nothing, but now the sequence form is stale and made again
            murk.solve(self.tree, "lp")

        self.say(METRICS[metric].title)
        ours = _repeated(solve)
        (mine,) = self.time(ours)
        for peer in self.settings.lp_peers:
            known = {"method": solution.method, "peer": peer.name, "peer_method": peer.method}
            self.say(f"{METRICS[metric].title} beside {peer.name}")
            try:
                outcome = self._their_lp(peer)
            except SkipError as reason:
                stopped_at = reason.seconds if isinstance(reason, UnfinishedError) else None
                yield self.row(metric, ours=mine.seconds, stopped_at=stopped_at, notes=[str(reason)], **known)
                continue
            self.agree(f"the value beside {peer.name}", solution.value, outcome.value, peer.tolerance)
            mine = min(mine, *self.time(ours), key=lambda timing: timing.seconds)
            notes = [_ONCE if outcome.solves == 1 else None]
            yield self.row(metric, ours=mine.seconds, peer_value=outcome.seconds, notes=notes, **known)
        if not self.settings.lp_peers:
            yield self.row(metric, ours=mine.seconds, method=solution.method)

    def _their_lp(self, peer: LpPeer) -> Outcome:
        _require(peer)
        if self.tree.num_nodes > peer.largest:
            raise SkipError(f"skipped: tried on trees of up to {peer.largest:,} nodes only")
        s = self.settings
        with tempfile.TemporaryDirectory() as folder:
            source = peer.source(self.tree, self.game, Path(folder))
            return run_limited(peer, source, seconds=s.peer_seconds, repeat=s.repeat, enough=s.job_seconds)

    def to_target(self) -> Iterator[Row]:
        form = self.tree.sequence_form  # made before, so that only solving is timed
        for method in _TARGET_METHODS:
            self.say(f"{method} to {_TARGET:g}")
            solution = solve_cfr(self.tree, method, limits=Limits(target=_TARGET))
            (timing,) = self.time(_repeated(partial(solve_cfr, self.tree, method, limits=Limits(target=_TARGET))))
            note = f"to exploitability {_TARGET:g} in {solution.iterations} iterations, {form.num_entries:,} payoffs"
            yield self.row("seconds_to_exploitability", ours=timing.seconds, method=method, notes=[note])


_Figure = Callable[[float], float]
_ONCE = "the peer's figure is of one repetition"


def _require(peer: CfrPeer | LpPeer) -> None:
    try:
        peer.require()
    except MissingDependencyError as error:
        raise SkipError(str(error)) from None


def _failed(error: Exception) -> NoReturn:
    """Turn whatever a peer raised into a reason; what we raised ourselves stays what it is."""
    if isinstance(error, MurkError):
        raise error
    raise SkipError(f"failed: {type(error).__name__}: {' '.join(str(error).split())[:120]}") from error


def _guarded(job: Job) -> Job:
    def guarded(count: int) -> None:
        try:
            job(count)
        except Exception as error:
            _failed(error)

    return guarded


def _repeated(call: Callable[[], object]) -> Job:
    def job(count: int) -> None:
        for _ in range(count):
            call()

    return job
