"""What a player sees: against python-chess, pyffish and the rules; its text, and what follows from it."""

import copy
import pickle
import random
import re

import chess
import pytest
from fog_digests import BLOCK, BOTH, FILE, NUM_BLOCKS, digest, fairy_view, positions
from hypothesis import given
from hypothesis import strategies as st
from rules_oracles import STUCK, PseudoBoard, random_game, random_positions, tried

from murk.darkchess import BLACK, WHITE, Board, Colour, Move, Observation, Position, parse_square
from murk.darkchess.picture import FOG
from murk.errors import InputError

START_SEEN = "********/********/********/********/8/8/PPPPPPPP/RNBQKBNR w KQ -"


def squares(mask: int) -> set[int]:
    return {square for square in range(64) if mask >> square & 1}


def named(*names: str) -> set[int]:
    return {parse_square(name) for name in names}


def view(position: Position, colour: Colour) -> tuple[set[int], dict[int, str | None]]:
    """Return the visible squares and what stands there, slowly: what python-chess can move to."""
    board = PseudoBoard(f"{position.fen} 0 1")
    if position.turn != colour:
        board.turn = not board.turn
        board.ep_square = None
    seen = set(chess.SquareSet(board.occupied_co[board.turn]))
    for move in board.generate_pseudo_legal_moves():
        seen.add(move.to_square)
        if board.is_en_passant(move):
            seen.add(chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square)))
    return seen, {square: position.piece_at(square) for square in seen}


def test_the_start():
    white, black = (Position().observation(colour) for colour in BOTH)
    assert white.fog_fen == START_SEEN
    assert white.text == START_SEEN + " w - -"
    assert black.fog_fen == "rnbqkbnr/pppppppp/8/8/********/********/********/******** w kq -"
    assert (white.colour, white.turn, black.colour, black.turn) == (WHITE, WHITE, BLACK, WHITE)
    assert white.visible == 0xFFFF_FFFF
    assert white.legal_moves == Position().legal_moves
    assert black.legal_moves == []
    assert white.winner is white.captured is white.en_passant is None
    assert (white.castling, black.castling) == ("KQ", "kq")
    assert white.piece_at(parse_square("e2")) == "P"
    assert white.piece_at(parse_square("e3")) is None
    assert white.piece_at(parse_square("e7")) == FOG


def test_equals_what_python_chess_can_move_to():
    for position in random_positions(1, 400):
        for colour in BOTH:
            seen, contents = view(position, colour)
            observation = position.observation(colour)
            assert squares(observation.visible) == seen
            assert {s: observation.piece_at(s) for s in seen} == contents
            assert all(observation.piece_at(s) == FOG for s in set(range(64)) - seen)


def as_pyffish(position: Position, colour: Colour) -> str:
    """Return our placement without the one known difference: pyffish does not show a pawn taken in passing.

    Where the pawn is seen by another piece as well, pyffish shows it too.
    """
    observation = position.observation(colour)
    placement = observation.fog_fen.split()[0]
    if observation.en_passant is None:
        return placement
    victim = observation.en_passant + (-8 if colour == WHITE else 8)
    assert observation.piece_at(victim) == ("p" if colour == WHITE else "P")
    anyway = Position(re.sub(r"\S+$", "-", position.fen)).observation(colour)
    if anyway.visible >> victim & 1:
        return placement
    ranks = [re.sub(r"\d", lambda m: "." * int(m[0]), rank) for rank in placement.split("/")]
    rank, file = 7 - victim // 8, victim % 8
    ranks[rank] = ranks[rank][:file] + "*" + ranks[rank][file + 1 :]
    return "/".join(re.sub(r"\.+", lambda m: str(len(m[0])), rank) for rank in ranks)


def test_equals_pyffish_on_20_000_positions_but_for_pawns_taken_in_passing():
    expected = FILE.read_text().split()
    assert (len(expected), BLOCK * NUM_BLOCKS) == (NUM_BLOCKS, 20_000)
    differences = 0
    for block in range(NUM_BLOCKS):
        listed = positions(block)
        ours = [as_pyffish(p, c) for p in listed for c in BOTH]
        assert digest(ours) == expected[block], f"block {block}"
        plain = [p.observation(c).fog_fen.split()[0] for p in listed for c in BOTH]
        differences += sum(a != b for a, b in zip(ours, plain, strict=True))
    assert differences > 100  # the known difference was there to be seen


@pytest.mark.parametrize("block", [0, 77, 199])
def test_pyffish_still_says_so(block):
    listed = positions(block)
    assert digest([fairy_view(p, c) for p in listed for c in BOTH]) == FILE.read_text().split()[block]


def test_the_known_difference():
    position = Position("4k3/8/8/3pP3/8/8/8/4K3 w - d6")
    observation = position.observation(WHITE)
    assert observation.en_passant == parse_square("d6")
    assert observation.fog_fen == "********/********/***2***/***pP***/********/********/***3**/***1K1** w - d6"
    assert fairy_view(position, WHITE) == "********/********/***2***/****P***/********/********/***3**/***1K1**"


def test_legal_moves_follow_from_the_observation_alone():
    for position in random_positions(2, 1500):
        mine = position.observation(position.turn)
        assert Observation(mine.text).legal_moves == position.legal_moves
        assert position.observation(Colour(1 - position.turn)).legal_moves == []


def test_what_follows_is_true_and_complete_for_pawns():
    for position in random_positions(3, 600):
        for colour in BOTH:
            seen = position.observation(colour)
            enemies = squares(position.pieces(Colour(1 - colour)))
            assert squares(seen.known_enemy) <= enemies
            assert not squares(seen.known_empty) & squares(position.occupied)
            assert squares(seen.known_enemy) >= squares(seen.seen) == squares(seen.visible) & enemies
            up = 8 if colour == WHITE else -8
            pawns = squares(position.pieces(colour, "p"))
            assert squares(seen.blocked) == {s for s in pawns if position.piece_at(s + up) is not None}
            for pawn in pawns:
                assert pawn + up in squares(seen.known_enemy | seen.known_empty | seen.own)
                for side in (-1, 1):
                    if 0 <= pawn % 8 + side < 8:
                        assert pawn + up + side in squares(seen.known_enemy | seen.known_empty | seen.own)


def test_a_pawn_stopped_by_the_unseen():
    one = Position("4k3/8/8/8/4n3/4P3/8/4K3 w - -").observation(WHITE)
    two = Position("4k3/8/8/8/4r3/4P3/8/4K3 w - -").observation(WHITE)
    assert one == two  # what stands there cannot be told
    assert squares(one.blocked) == named("e3")
    assert squares(one.known_enemy) == named("e4")
    assert squares(one.known_empty) >= named("d4", "f4")
    far = Position("4k3/8/8/8/4n3/8/4P3/4K3 w - -").observation(WHITE)
    assert squares(far.blocked) == set()
    assert squares(far.known_enemy) == named("e4")  # one step is free, two are not


def test_observations_are_equal_if_and_only_if_nothing_that_is_told_differs():
    told = {}
    for position in random_positions(4, 500, fen="4k3/1p6/8/8/8/8/P7/4K3 w - -", longest=12):
        seen = position.observation(WHITE)
        squares_seen, contents = view(position, WHITE)
        en_passant = position.en_passant if position.turn == WHITE else None
        told[position] = seen, (position.turn, en_passant, tuple(sorted(squares_seen)), tuple(sorted(contents.items())))
    assert (
        len({seen for seen, _ in told.values()})
        == len({facts for _, facts in told.values()})
        == len(set(told.values()))
    )
    assert len(set(told.values())) < len(told) - 50  # many did look the same


def test_rights_of_the_opponent_and_clocks_are_hidden():
    with_rights = Position("r3k2r/8/8/8/8/8/P7/4K3 w kq -")
    without = Position("r3k2r/8/8/8/8/8/P7/4K3 w - -")
    assert with_rights.observation(WHITE) == without.observation(WHITE)
    assert with_rights.observation(BLACK) != without.observation(BLACK)
    assert Board("4k3/8/8/8/8/8/P7/4K3 w - - 30 60").observation(WHITE) == Board(
        "4k3/8/8/8/8/8/P7/4K3 w - -"
    ).observation(WHITE)


def test_while_the_opponent_is_to_move_en_passant_is_not_seen():
    board = Board("4k3/3p4/8/4P3/8/8/8/4K3 b - -")
    board.push("d7d5")
    assert board.observation(WHITE).en_passant == parse_square("d6")
    board.push("e1e2")
    assert board.observation(WHITE).en_passant is None
    assert board.observation(WHITE).piece_at(parse_square("d5")) == FOG


def test_where_a_piece_was_taken_is_told_but_not_by_what():
    board = Board("4k3/8/8/8/5n2/8/3P4/4K3 w - -")
    board.push("d2d3")
    assert board.observation(WHITE).captured is None
    board.push("f4d3")
    seen = board.observation(WHITE)
    assert seen.captured == parse_square("d3")
    assert board.observation(BLACK).captured is None  # it was not hers
    assert seen != board.position.observation(WHITE)  # which knows of no move
    far = Board("4k3/6b1/8/8/8/2N5/8/6K1 b - -")
    far.push("g7c3")
    assert far.observation(WHITE).captured == parse_square("c3")
    assert far.observation(WHITE).piece_at(parse_square("c3")) == FOG


def test_a_pawn_taken_in_passing_is_missed_where_it_stood():
    board = Board("4k3/8/8/8/4p3/8/3P4/4K3 w - -")
    board.push("d2d4")
    board.push("e4d3")
    assert board.observation(WHITE).captured == parse_square("d4")


@pytest.mark.parametrize(
    ("fen", "move", "winner"),
    [
        ("4k3/8/8/8/8/8/4q3/4K3 b - -", "e2e1", BLACK),
        ("4k3/4Q3/8/8/8/8/8/4K3 w - -", "e7e8", WHITE),
        (STUCK.replace("4k3", "3k4").replace(" w ", " b "), "d8e8", BLACK),
    ],
)
def test_the_end_is_announced_to_both(fen, move, winner):
    board = Board(fen)
    board.push(move)
    for colour in BOTH:
        seen = board.observation(colour)
        assert seen.winner is winner
        assert seen.legal_moves == []
        assert Observation(seen.text) == seen


def test_no_move_at_all_is_the_end():
    assert Position(STUCK).observation(WHITE).winner is BLACK
    assert Position(STUCK).observation(BLACK).winner is BLACK


def test_values_can_be_evaluated_copied_pickled_and_hashed():
    for position in random_positions(5, 200):
        for colour in BOTH:
            seen = position.observation(colour)
            assert eval(repr(seen)) == seen == Observation(seen.text)
            assert pickle.loads(pickle.dumps(seen)) == seen == copy.deepcopy(seen)
            assert hash(seen) == hash(Observation(seen.text))
            assert seen.text.startswith(seen.fog_fen)
            assert seen != seen.text


def test_keys_differ():
    seen = {p.observation(c) for p in random_positions(6, 500) for c in BOTH}
    assert len({observation.key for observation in seen}) == len(seen)


GOOD = Position("4k3/8/8/3pP3/8/8/8/R3K3 w Q d6").observation(WHITE).text


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "0 fields, not seven"),
        (START_SEEN, "4 fields, not seven"),
        (START_SEEN + " x - -", 'the player is "x", not w or b'),
        (START_SEEN.replace(" w ", " v ") + " w - -", "the side to move"),
        (START_SEEN + " w - x", "the winner"),
        (START_SEEN + " w z9 -", "the square of the capture"),
        (START_SEEN.replace("KQ -", "KQ z9") + " w - -", "the en-passant square"),
        (START_SEEN.replace("KQ", "KQkq") + " w - -", "right of the opponent"),
        (START_SEEN.replace("KQ", "KK") + " w - -", "castling rights"),
        (START_SEEN.replace("RNBQKBNR", "NNBQKBNR") + " w - -", "king and a rook at home"),
        (START_SEEN.replace("8/8", "8/44") + " w - -", "two numbers"),
        (START_SEEN.replace("8/8", "8/9") + " w - -", "neither a piece"),
        (START_SEEN.replace("8/8", "8") + " w - -", "eight ranks of eight squares"),
        (START_SEEN.replace("8/8", "8/7") + " w - -", "eight ranks of eight squares"),
        (START_SEEN.replace("NR w", "NR/8 w") + " w - -", "eight ranks of eight squares"),
        (START_SEEN.replace("RNBQKBNR", "RNBPKBNR") + " w - -", "a pawn stands on d1"),
        (START_SEEN.replace("RNBQKBNR", "RNBKKBNR") + " w - -", "more than one king"),
        (START_SEEN.replace("RNBQKBNR w KQ", "RNBQ1BNR w -") + " w - -", "no king and has not lost"),
        (START_SEEN.replace("8/8", "8/*7") + " w - -", "a3 is hidden but would be seen"),
        (START_SEEN.replace("********/8", "*******1/8") + " w - -", "h5 is shown but would"),
        (START_SEEN + " w - b", "winner does not fit"),
        (START_SEEN.replace(" w ", " b ") + " w - b", "cannot have won before moving"),
        (START_SEEN.replace(" w ", " b ") + " w e4 -", "by her own move"),
        (START_SEEN + " w e2 -", "where one was just taken"),
        (START_SEEN.replace("KQ -", "KQ e6") + " w - -", "taken en passant on e6"),
    ],
)
def test_bad_texts(text, complaint):
    with pytest.raises(InputError, match=re.escape(complaint)) as caught:
        Observation(text)
    assert "\n" not in str(caught.value)


@given(st.data())
def test_damaged_texts_are_refused_or_read_back(data):
    seeds = [GOOD, START_SEEN + " w - -", Position(STUCK).observation(BLACK).text]
    text = list(data.draw(st.sampled_from(seeds)))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at] = data.draw(st.sampled_from("*12345678/ wbKQkqPNRpnrabdeh-\n\0é"))
    read, message = tried(Observation, "".join(text))
    if read is None:
        assert message.startswith("bad observation")
    else:
        assert Observation(read.text) == read


def test_pictures():
    seen = Position().observation(BLACK)
    lines = str(seen).splitlines()
    assert lines[0] == f"1 {' '.join(FOG * 8)}"  # Black sits below
    assert lines[-2] == "8 r n b k q b n r"
    assert seen._repr_svg_().count("fill-opacity") == 32
    with pytest.raises(InputError, match="bad square 64"):
        seen.piece_at(64)


def test_observation_after_a_move_checks_it():
    with pytest.raises(InputError, match="illegal move e2e5"):
        Position().observation_after(Move.from_uci("e2e5"), WHITE)


def test_along_games_the_board_tells_captures():
    rng = random.Random(7)
    taken = 0
    for _ in range(20):
        board = Board()
        for position, move in random_game(rng):
            board.push(move)
            mine = position.pieces(Colour(1 - position.turn)) & ~board.position.pieces(Colour(1 - position.turn))
            seen = board.observation(Colour(1 - position.turn))
            assert (set() if seen.captured is None else {seen.captured}) == squares(mine)
            taken += mine != 0
    assert taken > 100


def test_a_pawn_and_the_square_it_sees_do_not_cancel_in_the_key():
    queen = Position("rnb1kbnr/pp2pppp/2p5/1B1q4/8/8/PPPP1PPP/RNBQK1NR w KQkq -").observation(WHITE)
    pawn = Position("rnb1kbnr/pp2pppp/2pq4/1B1P4/8/8/PPPP1PPP/RNBQK1NR w KQkq -").observation(WHITE)
    assert queen != pawn
    assert queen.key != pawn.key


def test_observations_that_differ_have_different_keys():
    rng = random.Random("keys")
    by_key: dict[int, Observation] = {}
    for _ in range(60):
        position = Position()
        while position.winner is None and rng.random() > 0.01:
            position = position.play(rng.choice(position.legal_moves))
            for colour in (WHITE, BLACK):
                seen = position.observation(colour)
                assert by_key.setdefault(seen.key, seen) == seen
    assert len(by_key) > 3_000
