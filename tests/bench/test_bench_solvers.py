"""The harness on tiny games: rows, agreement, and peers that are missing, wrong, broken or too slow."""

import math
from dataclasses import replace

import pytest
from own_peer import KUHN, KUHN_NODES, OwnPeer, rows

from murk.bench import solvers
from murk.bench.peers import GambitLp, LiteEfg, OpenSpiel, OpenSpielLp
from murk.bench.report import METRICS
from murk.bench.solvers import CASES, SOLVER_METRICS, Case, Settings, case_named
from murk.bench.worker import Outcome, UnfinishedError, run_limited
from murk.errors import BackendError, InputError

PENNIES = Case("pennies", "matching_pennies(n=4)")
BESIDE = ("build_nodes_per_second", "cfr_iterations_per_second", "exploitability_seconds")
FIELDS = {"metric", "case", "ours", "unit", "peer", "peer_value", "ratio", "note"}


def test_every_metric_gives_rows_of_the_same_shape():
    found = rows(KUHN, metrics=SOLVER_METRICS, cfr_peers=[OwnPeer()])
    assert {row.metric for row in found} == set(SOLVER_METRICS)
    for row in found:
        fields = row.to_dict()
        assert set(fields) >= FIELDS
        assert (row.case, row.nodes) == ("kuhn_poker", KUHN_NODES)
        assert row.unit == METRICS[row.metric].unit
        assert math.isfinite(row.ours)
        assert row.ours > 0
        assert (row.ratio is None) == (row.peer_value is None)


def test_a_peer_as_fast_as_we_are_has_a_ratio_near_one():
    # The same code on both sides: a factor of ten either way would be a mistake of the harness, not noise.
    found = rows(KUHN, metrics=BESIDE[1:], cfr_peers=[OwnPeer()], repeat=5, batch_seconds=0.01)
    assert [row.peer for row in found] == ["Own", "Own"]
    assert all(0.1 < row.ratio < 10 for row in found)


def test_without_peers_every_row_stands_alone():
    found = rows(KUHN, metrics=SOLVER_METRICS)
    assert {row.metric for row in found} == set(SOLVER_METRICS)
    assert all(row.peer is None and row.ratio is None for row in found)
    assert {row.method for row in found if row.metric == "cfr_iterations_per_second"} == {"pcfr+", "cfr+"}


def test_a_missing_peer_is_a_row_with_nulls_and_a_note():
    found = rows(KUHN, metrics=BESIDE, cfr_peers=[OwnPeer(missing=True)])
    beside = [row for row in found if row.peer == "Own"]
    assert [row.metric for row in beside] == list(BESIDE)
    for row in beside:
        assert row.ours > 0
        assert (row.peer_value, row.ratio) == (None, None)
        assert row.note == "own is not installed: pip install 'murk[bench]'"


@pytest.mark.parametrize("peer", [OpenSpiel(), LiteEfg(), OpenSpielLp(), GambitLp()], ids=lambda p: type(p).__name__)
def test_each_adapter_says_when_its_package_is_missing(peer, monkeypatch: pytest.MonkeyPatch):
    def absent(name: str):
        raise ImportError(name)

    monkeypatch.setattr("murk.bench.peers.importlib.import_module", absent)
    is_lp = isinstance(peer, OpenSpielLp | GambitLp)
    metrics = ("lp_seconds",) if is_lp else ("cfr_iterations_per_second",)
    (row,) = rows(KUHN, metrics=metrics, **{"lp_peers" if is_lp else "cfr_peers": [peer]})
    assert (row.peer, row.peer_value, row.ratio) == (peer.name, None, None)
    assert "is not installed: pip install 'murk[bench]'" in row.note


def test_a_peer_that_breaks_is_a_row_with_a_note_and_is_not_started_again():
    peer = OwnPeer(broken=True)
    found = rows(KUHN, metrics=BESIDE[1:], cfr_peers=[peer])
    assert [row.note for row in found] == ["failed: RuntimeError: out of order"] * 2
    assert peer.started == 1


def test_a_peer_that_would_take_too_long_is_skipped():
    peer = OwnPeer()
    peer.cost = {**peer.cost, "start": 1.0}
    (row,) = rows(KUHN, metrics=("cfr_iterations_per_second",), cfr_peers=[peer], peer_seconds=10.0)
    assert row.note == "skipped: its start would take about 58 s, 10 s are allowed"
    assert peer.started == 0


def test_a_peer_that_disagrees_on_exploitability_is_an_error():
    with pytest.raises(BackendError, match=r"nash_conv of Own's strategies is .* expected the same"):
        rows(KUHN, metrics=("cfr_iterations_per_second",), cfr_peers=[OwnPeer(error=1e-3)])


def test_a_peer_that_counts_other_nodes_is_an_error():
    with pytest.raises(BackendError, match="the number of nodes beside Own is 58 by murk and 59 by the peer"):
        rows(KUHN, metrics=("build_nodes_per_second",), cfr_peers=[OwnPeer(nodes=59)])


def test_rows_come_one_by_one():
    cases = [KUHN, replace(KUHN, spec="no such game")]
    settings = Settings(metrics=("bytes_per_node",), cfr_peers=(), lp_peers=())
    arriving = solvers.run(cases, settings)
    assert next(arriving).case == "kuhn_poker"


def test_games_that_are_not_openspiels_have_no_cfr_peers():
    found = rows(PENNIES, metrics=BESIDE, cfr_peers=[OwnPeer()])
    assert {row.note for row in found if row.peer} == {"not a game of OpenSpiel's"}


# Real peers


@pytest.mark.parametrize("peer", [OpenSpiel(), LiteEfg()], ids=["OpenSpiel", "LiteEFG"])
@pytest.mark.parametrize(
    "spec",
    ["kuhn_poker", "goofspiel(imp_info=True,num_cards=3,points_order=random,players=2)"],
    ids=["kuhn", "goofspiel"],
)
def test_real_peers_agree_and_are_measured(peer, spec: str, capfd: pytest.CaptureFixture[str]):
    found = rows(Case("case", spec), metrics=BESIDE, cfr_peers=[peer])
    beside = [row for row in found if row.peer]
    assert [row.metric for row in beside] == list(BESIDE)
    assert all(row.peer_value > 0 and row.ratio > 0 for row in beside)
    assert capfd.readouterr().out == ""


def test_liteefg_leaves_nothing_behind(tmp_path):
    rows(KUHN, metrics=("build_nodes_per_second",), cfr_peers=[LiteEfg()])
    assert list((tmp_path / "home").iterdir()) == []


def test_gambit_solves_kuhn():
    (row,) = rows(KUHN, metrics=("lp_seconds",), lp_peers=[GambitLp()], peer_seconds=30)
    assert (row.peer, row.peer_method) == ("pygambit", "lp_solve")
    assert row.ratio == pytest.approx(row.peer_value / row.ours)


def test_openspiels_linear_program_solves_kuhn():
    (row,) = rows(KUHN, metrics=("lp_seconds",), lp_peers=[OpenSpielLp()], peer_seconds=30)
    assert row.ratio == pytest.approx(row.peer_value / row.ours)


def test_openspiels_linear_program_needs_a_game_of_openspiels():
    (row,) = rows(PENNIES, metrics=("lp_seconds",), lp_peers=[OpenSpielLp()])
    assert row.note == "not a game of OpenSpiel's"


# Linear programs of others, in a process of their own


def test_a_solver_that_does_not_finish_is_stopped_and_bounds_the_ratio():
    leduc = Case("leduc_poker", "leduc_poker")
    (row,) = rows(leduc, metrics=("lp_seconds",), lp_peers=[GambitLp()], peer_seconds=1.0)
    assert (row.peer_value, row.ratio, row.note) == (None, None, "did not finish in 1 s")
    assert row.ratio_at_least == pytest.approx(1.0 / row.ours)


def test_a_solver_that_is_killed_has_no_bound(monkeypatch: pytest.MonkeyPatch):
    def stop(*args, **kwargs):
        raise UnfinishedError("did not get 1 s of CPU time in 64 s", None)

    monkeypatch.setattr(solvers, "run_limited", stop)
    (row,) = rows(KUHN, metrics=("lp_seconds",), lp_peers=[GambitLp()])
    assert (row.ratio, row.ratio_at_least, row.note) == (None, None, "did not get 1 s of CPU time in 64 s")


def test_a_solver_with_another_value_is_an_error(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(solvers, "run_limited", lambda *args, **kwargs: Outcome(-1 / 17, 1.0, 1))
    with pytest.raises(BackendError, match=r"the value beside pygambit is -0\.0555555556 by murk"):
        rows(KUHN, metrics=("lp_seconds",), lp_peers=[GambitLp()])


def test_a_solver_that_raises_says_why():
    with pytest.raises(Exception, match="failed: it ended with code 1"):
        run_limited(GambitLp(), "no such file.efg", seconds=5, repeat=1, enough=1)


def test_large_trees_are_not_given_to_gambit():
    peer = GambitLp()
    peer.largest = 57
    (row,) = rows(KUHN, metrics=("lp_seconds",), lp_peers=[peer])
    assert row.note == "skipped: tried on trees of up to 57 nodes only"


# Cases and settings


def test_the_cases_are_games_of_known_size():
    sizes = {"kuhn_poker": 58, "leduc_poker": 9457, "goofspiel_4": 26_773, "liars_dice_5": 51_181}
    for case in CASES:
        assert case_named(case.name) is case
        assert set(case.metrics) <= set(SOLVER_METRICS)
        if case.name in sizes:
            (row, _) = rows(case, metrics=("bytes_per_node",))
            assert row.nodes == sizes[case.name]
    assert [case.name for case in CASES if case.quick] == ["kuhn_poker", "leduc_poker", "liars_dice_5"]


def test_any_game_can_be_a_case():
    assert case_named("figure1") == Case("figure1", "figure1")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"metrics": ("speed",)}, "metric is 'speed', expected one of build_nodes_per_second"),
        ({"metrics": ("nested_klss_seconds",)}, "metric is 'nested_klss_seconds', expected one of"),
        ({"repeat": 0}, "repeat is 0, expected at least 1"),
        ({"peer_seconds": 0}, "peer_seconds is 0, expected a positive number"),
    ],
)
def test_wrong_settings_are_refused(wrong, message: str):
    with pytest.raises(InputError, match=message):
        Settings(**wrong)
