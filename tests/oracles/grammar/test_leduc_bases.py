"""Against a stranger every Leduc program must play close to an equilibrium (exact values)."""

from __future__ import annotations

from typing import Any

import pytest

from games.bots.leduc import Strategy, strategy
from games.exact import best_response_value, expected_payoff
from games.leduc_tree import HIDDEN, NODES, info_code
from oracles.writers.grammar.leduc.plan import Answer, Base, Memory, Plan, Reading
from oracles.writers.grammar.leduc.printing import print_program

DRAWS = [(number + 0.5) / 20 for number in range(20)]


class _Draws:
    """Stands in for the program's generator, so that each percentage is met exactly."""

    def __init__(self) -> None:
        self.next = 0.0

    def random(self) -> float:
        return self.next


def first_hand_strategy(source: str) -> Strategy:
    """What the program does in its first hand, by information state."""
    scope: dict[str, Any] = {}
    exec(compile(source, "policy.py", "exec"), scope)
    rows: dict[int, tuple[float, ...]] = {}
    for index, node in enumerate(NODES):
        policy = scope["Policy"](node.player, 2, {}, 0)
        policy.random = draws = _Draws()
        for rank in range(3):
            for public in (HIDDEN,) if node.round == 0 else range(3):
                obs = {
                    "round": node.round + 1,
                    "my_card": rank,
                    "public_card": -1 if public == HIDDEN else public,
                    "betting": [list(actions) for actions in node.betting],
                    "legal_actions": list(node.legal),
                    "past_hands": [],
                }
                chosen = []
                for draw in DRAWS:
                    draws.next = draw
                    chosen.append(policy.act(obs))
                row = tuple(chosen.count(action) / len(DRAWS) for action in node.legal)
                assert sum(row) == pytest.approx(1.0)
                rows[info_code(index, rank, public)] = row
    return rows


@pytest.mark.parametrize(
    ("base", "worst_loss"),
    [(Base.MIXED, 21.1), (Base.STRAIGHTFORWARD, 29.7), (Base.TRAPPING, 38.8)],
)
def test_nobody_wins_more_from_a_base_than_the_documentation_says(
    base: Base, worst_loss: float
) -> None:
    source = print_program(Plan(base, Reading.HONEST, Memory.WHOLE, Answer.LOOKAHEAD, 50))
    played = first_hand_strategy(source)
    assert worst_loss - 0.2 < best_response_value(played) < worst_loss
    for beaten in ("always_call", "always_fold", "always_raise", "uniform"):
        assert expected_payoff(played, strategy(beaten)) > 15
