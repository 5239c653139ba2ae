"""What Stockfish's pool says about moves, beside python-chess driving Stockfish, and beside the rules."""

from collections.abc import Iterator

import chess
import chess.engine
import numpy as np
import pytest

from murk._core import orthodox_fen, sample_positions
from murk.darkchess import Colour, Move, Position
from murk.darkchess.evaluators.choose import make_evaluator
from murk.darkchess.evaluators.stockfish import Stockfish, find_stockfish
from murk.errors import InputError

TAU = 420.0
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -"


@pytest.fixture(scope="module")
def engine() -> Stockfish:
    return Stockfish()


@pytest.fixture(scope="module")
def oracle() -> Iterator[chess.engine.SimpleEngine]:
    with chess.engine.SimpleEngine.popen_uci(str(find_stockfish())) as found:
        found.configure({"Hash": 1, "Threads": 1})
        yield found


def by_name(evaluator: Stockfish, fen: str) -> dict[str, float]:
    position = Position(fen)
    return {str(m): float(v) for m, v in zip(position.legal_moves, evaluator.values(position), strict=True)}


def takes_king(position: Position, move: Move) -> bool:
    return position.play(move).king_captured


def decided(position: Position, move: Move) -> float | None:
    """The rules of the evaluator, from the moves alone."""
    child = position.play(move)
    if child.king_captured:
        return 1.0
    if any(takes_king(child, reply) for reply in child.legal_moves):
        return -1.0
    return None if child.legal_moves else 1.0


def test_scores_are_those_of_stockfish(oracle: chess.engine.SimpleEngine) -> None:
    """With nothing remembered between searches, the same centipawns as another program gets, to the last one."""
    fresh = Stockfish(fresh=True)
    for i, fen in enumerate([Position().fen, KIWIPETE, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -"]):
        board = chess.Board(fen + " 0 1")
        lines = oracle.analyse(board, chess.engine.Limit(depth=1), multipv=500, game=i)
        theirs = {line["pv"][0].uci(): line["score"].relative.score() for line in lines}
        (scores,) = fresh.scores([Position(fen)])
        ours = {str(move): value for move, value, _ in scores}
        assert {move: ours[move] for move in theirs} == theirs


def test_values_are_squashed_scores() -> None:
    fresh, wide = Stockfish(fresh=True), Stockfish(fresh=True, tau=1000.0)
    (scores,) = fresh.scores([Position()])
    values = fresh.values(Position())
    np.testing.assert_allclose(values, np.tanh([value / TAU for _, value, _ in scores]), atol=1e-6)
    np.testing.assert_allclose(np.arctanh(wide.values(Position())) * 1000, np.arctanh(values) * TAU, atol=0.01)
    assert wide.parameters["tau"] == "1000"


def test_the_rules_decide_before_stockfish_and_no_position_crashes_it(engine: Stockfish) -> None:
    positions = sample_positions(7, 400)
    kings = 0
    for position, values in zip(positions, engine.values_of(positions), strict=True):
        assert len(values) == len(position.legal_moves)
        for move, value in zip(position.legal_moves, values, strict=True):
            rule = decided(position, move)
            if rule is None:
                assert -1 < value < 1
            else:
                assert value == rule
                kings += takes_king(position, move)
    assert kings > 0
    assert engine.restarts == 0


@pytest.mark.parametrize(
    ("fen", "expected"),
    [
        # Castling through attack, out of attack; into attack it loses the king.
        ("4k3/8/8/8/8/5r2/8/4K2R w K -", {"e1g1": None, "e1f1": -1.0}),
        ("4k3/8/8/8/8/4r3/8/4K2R w K -", {"e1g1": None, "h1h2": -1.0}),
        ("4k3/8/8/8/8/6r1/8/4K2R w K -", {"e1g1": -1.0}),
        # A king that can be captured: +1 for that, and the other moves have values too.
        ("4k3/8/8/8/4Q3/8/8/4K3 w - -", {"e4e8": 1.0, "e1d1": None}),
        # Mated already: every move loses the king.
        ("7k/6Q1/5K2/8/8/8/8/8 b - -", {"h8g8": -1.0, "h8h7": -1.0, "h8g7": -1.0}),
        # En passant that bares the own king.
        ("8/8/8/K2pP2r/8/8/8/4k3 w - d6", {"e5d6": -1.0, "e5e6": None, "a5b5": None}),
        # The opponent is left without a move.
        ("k7/P1K5/8/8/8/8/8/8 w - -", {"c7b6": None}),
        ("8/8/8/8/8/4k1p1/6P1/6bK b - -", {"e3f2": None, "e3e2": None}),
    ],
)
def test_moves_that_ordinary_chess_forbids(engine: Stockfish, fen: str, expected: dict[str, float | None]) -> None:
    values = by_name(engine, fen)
    for move, value in expected.items():
        if value is None:
            assert -1 < values[move] < 1
        else:
            assert values[move] == value


def test_stalemate_wins(engine: Stockfish) -> None:
    """Stockfish calls both a draw."""
    # The king's only squares are attacked: it must step into capture.
    assert by_name(engine, "7k/5K2/8/8/8/6Q1/8/8 w - -")["g3g6"] > 0.9999
    assert by_name(engine, "7k/5K2/8/8/8/6Q1/8/8 w - -")["g3g6"] < 1
    # No move at all: all that Black has is walled in.
    assert set(by_name(engine, "7K/8/8/8/8/8/pppppppp/kbbbbbbb w - -").values()) == {1.0}


def test_castling_out_of_attack_has_the_value_of_the_child(oracle: chess.engine.SimpleEngine) -> None:
    fen = "r3k3/8/8/8/8/4r3/PP3PPP/5RK1 b q -"
    position = Position("r3k3/8/8/8/8/4r3/PP3PPP/4K2R w Kq -")
    child = position.play(Move.from_uci("e1g1"))
    assert child.fen == fen
    score = oracle.analyse(chess.Board(fen + " 0 1"), chess.engine.Limit(depth=1), game=1)["score"].relative.score()
    value = by_name(Stockfish(fresh=True), position.fen)["e1g1"]
    assert value == pytest.approx(-np.tanh(score / TAU), abs=1e-6)


def test_nearer_mates_are_worth_more_and_all_more_than_material(engine: Stockfish) -> None:
    one = by_name(engine, "7k/5K2/8/6Q1/8/8/8/8 w - -")["g5h5"]
    deep = Stockfish(depth=8)
    two = by_name(deep, "k7/8/2K5/8/8/8/8/6R1 w - -")
    longer = max(v for v in two.values() if v < one)
    assert 0.9999 <= longer < one < 1
    assert max(by_name(engine, "7k/8/8/8/8/8/PPPPPPP1/QQQ1K3 w - -").values()) <= one
    lost = by_name(deep, "7k/5K2/8/6Q1/8/8/8/8 b - -")
    assert all(-1 <= value <= -0.9999 for value in lost.values())


def test_nodes_and_depth(engine: Stockfish) -> None:
    """A search too short to see all moves still values all."""
    shallow = Stockfish(nodes=5)
    values = shallow.values(Position(KIWIPETE))
    assert shallow.parameters["nodes"] == "5"
    assert len(values) == 48
    assert np.corrcoef(values, engine.values(Position(KIWIPETE)))[0, 1] > 0.5
    deep = Stockfish(depth=6).values(Position(KIWIPETE))
    assert np.corrcoef(deep, engine.values(Position(KIWIPETE)))[0, 1] > 0.5


@pytest.mark.parametrize(
    ("fen", "sent"),
    [
        ("8/8/8/K2pP2r/8/8/8/4k3 w - d6", "8/8/8/K2pP2r/8/8/8/4k3 w - - 0 1"),
        ("8/8/8/3pP3/8/8/8/K3k3 w - d6", "8/8/8/3pP3/8/8/8/K3k3 w - d6 0 1"),
        ("3r4/8/8/3pP3/8/8/8/K2k4 w - d6", "3r4/8/8/3pP3/8/8/8/K2k4 w - d6 0 1"),
        ("r3k3/8/8/3pP3/8/8/8/K7 w q d6", "r3k3/8/8/3pP3/8/8/8/K7 w q - 0 1"),
        (KIWIPETE, KIWIPETE + " 0 1"),
    ],
)
def test_only_rights_that_ordinary_chess_grants_are_sent(fen: str, sent: str) -> None:
    assert orthodox_fen(Position(fen)) == sent
    assert chess.Board(sent).status() == chess.STATUS_VALID


def test_what_is_sent_is_what_python_chess_finds_valid() -> None:
    serious = chess.STATUS_OPPOSITE_CHECK | chess.STATUS_BAD_CASTLING_RIGHTS | chess.STATUS_INVALID_EP_SQUARE
    checked = 0
    for position in sample_positions(11, 2000):
        if any(takes_king(position, move) for move in position.legal_moves):
            continue
        board = chess.Board(orthodox_fen(position))
        assert not board.status() & serious
        # An en-passant square stays exactly if the capture is legal.
        assert (board.ep_square is not None) == board.has_legal_en_passant()
        legal = chess.Board(position.fen + " 0 1").has_legal_en_passant()
        assert board.has_legal_en_passant() == legal
        checked += 1
    assert checked > 1000


def test_evaluators_by_name() -> None:
    assert make_evaluator("stockfish").name == "stockfish"
    assert make_evaluator(f"stockfish:{find_stockfish()}", depth=3).parameters["depth"] == "3"
    assert make_evaluator("simple").name == "simple"
    assert make_evaluator().name == "embedded"
    for name in ("", "stockfish:", "simple:x", "net"):
        with pytest.raises(
            InputError, match=r"expected embedded, embedded:WEIGHTS, stockfish, stockfish:PATH, simple or file.py:Class"
        ):
            make_evaluator(name)
    with pytest.raises(InputError, match="depth and nodes are for stockfish"):
        make_evaluator("simple", depth=2)


def test_samples_are_diverse_and_depend_on_the_seed_alone() -> None:
    positions = sample_positions(3, 3000)
    assert positions == sample_positions(3, 3000)
    assert positions != sample_positions(4, 3000)
    assert len({position.key for position in positions}) > 2500
    for position in positions:
        assert Position(position.fen) == position
        assert position.winner is None

    def attacked(position: Position) -> bool:
        """Is the king of the side to move under attack?"""
        return chess.Board(position.fen + " 0 1").is_check()

    assert 100 < sum(map(attacked, positions)) < 1500
    assert 100 < sum(bin(p.occupied).count("1") <= 10 for p in positions) < 2000
    assert 1000 < sum(p.turn == Colour.WHITE for p in positions) < 2000
    assert sum(any(takes_king(p, m) for m in p.legal_moves) for p in positions) > 10
