"""Small games in the terminal, against an equilibrium."""

import io

import pytest
from rich.console import Console

import murk
from murk.errors import InputError
from murk.games.explicit import ExplicitGame, decision, leaf
from murk.games.protocol import MAX
from murk.tui import play_game
from murk.tui.terminal import Terminal


def play(spec: str, answers: str, **options: object) -> tuple[str, float]:
    out = io.StringIO()
    terminal = Terminal(io.StringIO(answers), Console(file=out, width=120))
    total = play_game(murk.build(spec), seed=3, terminal=terminal, **options)  # type: ignore[arg-type]
    return out.getvalue(), total


def test_rounds_of_kuhn_poker() -> None:
    text, total = play("kuhn_poker", "1\n" * 40 + "q\n")
    assert "you are MAX against an equilibrium, and can expect -0.05556 a round" in text
    payoffs = [line for line in text.splitlines() if line.startswith("The round ends")]
    assert len(payoffs) > 15
    assert f"You leave with {total:+.4g} after {len(payoffs)} rounds." in text
    assert "opponent at " in text
    assert "an equilibrium: Pass" in text


def test_a_hint_is_the_equilibrium_and_its_values() -> None:
    text, _ = play("kuhn_poker", "hint\n?\nnonsense\npass\n1\nq\n")
    assert "% in equilibrium, worth" in text
    assert "'nonsense' is none of your actions: Pass, Bet, or 1 to 2" in text


def test_a_mistake_is_shown_with_what_it_costs() -> None:
    """To bet with the middle card is no part of any equilibrium, and costs a sixth."""
    text, _ = play("kuhn_poker", "bet\n2\n" * 30 + "q\n")
    assert "which lost 0.1667" in text


def test_either_side_and_other_games() -> None:
    text, _ = play("leduc_poker", "1\n" * 20 + "q\n", player="min")
    assert "you are MIN" in text
    assert "Your opponent: " in text
    text, _ = play("matching_pennies(n=4)", "1\n2\n1\nq\n")
    assert text.count("The round ends") == 3
    with pytest.raises(InputError, match="has no decision to make"):
        play_game(murk.build(ExplicitGame("alone", decision(MAX, {"a": leaf(1), "b": leaf(0)}))), player="min")


def test_a_hidden_choice_is_not_told() -> None:
    """In matching pennies nobody sees the other's coin before the end."""
    text, _ = play("matching_pennies(n=2)", "1\n1\nq\n", player="min")
    assert "Your opponent:" not in text


def test_the_input_ends() -> None:
    text, total = play("kuhn_poker", "")
    assert total == 0
    assert text.rstrip().endswith("You leave with +0 after 0 rounds.")
