"""An agent of one's own: it keeps a belief, and plays the move whose worst case over a sample of it is best.

An agent is shown what its side sees and is asked for moves; it never gets hold of the board. ``BelievingAgent`` keeps
the belief up to date, knows the evaluator and the clock, and leaves one thing to do: decide.

    murk match "examples/custom_agent.py:Cautious(positions=20)" random --games 2 --nodes 500
"""

from collections.abc import Sequence

from murk.darkchess import Move
from murk.darkchess.agents import Decision, make_agent
from murk.darkchess.agents.believing import BelievingAgent, Deadline, evaluate, point_mixture
from murk.darkchess.referee import Referee, TimeControl


class Cautious(BelievingAgent):
    """Fears the worst of the positions it looks at. Keywords of the constructor are its options."""

    name = "cautious"

    def __init__(self, *, positions: int = 50, evaluator: str = "embedded") -> None:
        super().__init__(evaluator=evaluator)
        self._positions = positions

    def decide(self, moves: Sequence[Move], deadline: Deadline) -> Decision:
        values = evaluate(self.evaluator, self.sample(self._positions), moves, deadline)
        worst = values.min(axis=0)
        best = moves[int(worst.argmax())]
        return Decision(
            move=best, mixture=point_mixture(moves, worst, best), value=float(worst.max()), nodes=values.size
        )


def main() -> None:
    game = Referee(Cautious(), make_agent("random"), seeds=(1, 2), control=TimeControl(nodes=1000)).play()
    print(game.ending.result, game.ending.reason, f"after {len(game.plies)} plies")


if __name__ == "__main__":
    main()
