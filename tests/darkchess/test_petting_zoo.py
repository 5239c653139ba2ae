"""The PettingZoo environment."""

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test
from played import random_boards

from murk.darkchess import Board, Colour, Move
from murk.darkchess.adapters.actions import action_of
from murk.darkchess.adapters.petting_zoo import AGENTS, env, raw_env
from murk.errors import IllegalMoveError, InputError

WHITE, BLACK = AGENTS

# PettingZoo's own chess has observations with an action mask too, and is warned of in the same words.
pytestmark = pytest.mark.filterwarnings(
    "ignore:Observation space for each agent probably should be:UserWarning",
    "ignore:Observation is not a NumPy array:UserWarning",
)


@pytest.mark.parametrize("make", [env, raw_env])
@pytest.mark.parametrize("options", [{}, {"max_plies": 30}, {"fen": "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 20"}])
def test_api(make, options, capsys: pytest.CaptureFixture[str]):
    api_test(make(**options), num_cycles=200)
    assert "Passed API test" in capsys.readouterr().out


def test_seeds():
    seed_test(lambda: env(max_plies=20), num_cycles=50)


def play(game, *moves: str) -> None:
    for move in moves:
        colour = AGENTS.index(game.agent_selection)
        game.step(action_of(Move.from_uci(move), colour))


def same(one, other) -> bool:
    return all(np.array_equal(one[key], other[key]) for key in ("observation", "action_mask"))


def test_what_is_hidden_stays_hidden():
    """Games that one side cannot tell apart give it the same observations, masks, rewards and infos."""
    one, other = raw_env(), raw_env()
    for game, moves in ((one, ["a2a3", "d7d5"]), (other, ["h2h4", "d7d5"])):
        game.reset()
        play(game, *moves)
    assert same(one.observe(BLACK), other.observe(BLACK))
    assert not same(one.observe(WHITE), other.observe(WHITE))
    assert one.infos == other.infos == {WHITE: {}, BLACK: {}}
    assert one.rewards == other.rewards == {WHITE: 0, BLACK: 0}


def test_the_mask_is_the_legal_moves_of_the_side_to_move():
    for board in random_boards(14, plies=40):
        if board.outcome() is not None:
            continue
        game = raw_env(fen=board.fen)
        game.reset()
        mover, waiting = AGENTS if board.turn == Colour.WHITE else AGENTS[::-1]
        assert game.agent_selection == mover
        mask = game.observe(mover)["action_mask"]
        assert set(np.flatnonzero(mask)) == {action_of(move, board.turn) for move in board.legal_moves}
        assert not game.observe(waiting)["action_mask"].any()
        assert game.observation_space(mover).contains(game.observe(mover))


def test_rewards():
    game = env(fen="4k3/8/8/8/8/8/8/4R1K1 w - - 0 1")
    game.reset()
    play(game, "e1e8")
    assert game.rewards == {WHITE: 1, BLACK: -1}
    assert all(game.terminations.values())
    cut = env(max_plies=1)
    cut.reset()
    play(cut, "e2e4")
    assert all(cut.truncations.values())
    assert cut.rewards == {WHITE: 0, BLACK: 0}
    over = raw_env(fen="KBN1k3/PPPpP3/1P1P4/8/8/8/8/8 w - - 0 1")
    over.reset()
    assert over.terminations[WHITE]
    assert over.rewards == {WHITE: -1, BLACK: 1}


def test_illegal_actions(capsys: pytest.CaptureFixture[str]):
    game = raw_env()
    game.reset()
    with pytest.raises(IllegalMoveError):
        play(game, "e1e3")
    with pytest.raises(IllegalMoveError):
        game.step(None)
    wrapped = env()
    wrapped.reset()
    play(wrapped, "e1e2")
    assert wrapped.rewards == {WHITE: -1, BLACK: 0}
    assert wrapped.terminations[WHITE]


def test_options_and_pictures():
    with pytest.raises(InputError, match="render_mode is 'human', expected one of ansi, white, black"):
        raw_env(render_mode="human")
    with pytest.raises(InputError, match="max_plies is -1"):
        raw_env(max_plies=-1)
    with pytest.raises(InputError):
        raw_env(fen="8/8 w - -")
    for mode, expected in (("ansi", str(Board())), ("black", str(Board().observation(Colour.BLACK)))):
        game = raw_env(render_mode=mode)
        game.reset()
        assert game.render() == expected
    assert raw_env().render() is None
