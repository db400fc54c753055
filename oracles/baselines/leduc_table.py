"""A Leduc strategy as a program: a chart by betting, board and card, and what plays it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from games.bots.leduc import Strategy
from games.leduc_tree import CALL, FOLD, HIDDEN, NODES, RAISE, BettingNode, info_code

RANKS = ("Jack", "Queen", "King")
_PARTS = 10_000
"""Probabilities are printed, and played, in hundredths of a percent."""


def rounded(strategy: Strategy) -> Strategy:
    """The strategy in whole hundredths of a percent, each row summing to 1 (largest remainders)."""
    return {code: tuple(part / _PARTS for part in _parts(row)) for code, row in strategy.items()}


def program(strategy: Strategy, *, made: str) -> str:
    """Source of a policy that plays the strategy; ``made`` says how it was found, in a sentence.

    Args:
        strategy: as :func:`rounded` gives it, over all information sets.
    """
    return _PROGRAM.format(
        made=made,
        round_one="\n".join(_round_one(strategy)),
        round_two="\n".join(_round_two(strategy)),
    )


def told(actions: Sequence[int]) -> str:
    """The betting of a round in words; passing is a call once somebody has raised."""
    words: list[str] = []
    for action in actions:
        words.append("raise" if action == RAISE else "call" if "raise" in words else "check")
    return " ".join(words)


def _parts(row: Sequence[float]) -> list[int]:
    whole = [int(chance * _PARTS) for chance in row]
    by_remainder = sorted(range(len(row)), key=lambda i: (whole[i] - row[i] * _PARTS, i))
    for index in by_remainder[: _PARTS - sum(whole)]:
        whole[index] += 1
    return whole


def _round_one(strategy: Strategy) -> Iterator[str]:
    for index, node in enumerate(NODES):
        if node.round == 0:
            yield f"    {_key(node.betting[0]):<20} ({_answers(strategy, index, node, HIDDEN)}),"


def _round_two(strategy: Strategy) -> Iterator[str]:
    before: tuple[int, ...] | None = None
    for index, node in enumerate(NODES):
        if node.round == 0:
            continue
        if node.betting[0] != before:
            if before is not None:
                yield "    },"
            before = node.betting[0]
            words = told(before).replace(" ", ", ")
            yield f"    # Round one went {words}: {sum(node.bets)} chips are in."
            yield f"    {_key(before)} {{"
        yield f"        {_key(node.betting[1])} {{"
        for board, rank in enumerate(RANKS):
            key = f'"{rank}":'
            yield f"            {key:<8} ({_answers(strategy, index, node, board)}),"
        yield "        },"
    yield "    },"


def _key(actions: Sequence[int]) -> str:
    return f'"{told(actions)}":'


def _answers(strategy: Strategy, index: int, node: BettingNode, board: int) -> str:
    """What to do with a Jack, a Queen and a King."""
    answers = []
    for card in range(3):
        row = strategy[info_code(index, card, board)]
        chances = dict(zip(node.legal, row, strict=True))
        percent = (f"{100 * chances.get(action, 0.0):.4g}" for action in (FOLD, CALL, RAISE))
        answers.append(f"({', '.join(percent)})")
    return " ".join(f"{answer + ',':<22}" for answer in answers[:2]) + answers[2]


_PROGRAM = '''"""Leduc Hold'em from a chart: how often to fold, to check or call, and to raise."""

import random

FOLD, CALL, RAISE = 0, 1, 2
RANKS = ("Jack", "Queen", "King")

# How to read the chart. Each line is a situation: the betting of the round so far
# ("" when nobody has acted yet) and, in round two, also that of round one and the card
# on the board. It holds three answers: for a Jack, a Queen and a King in hand; with the
# board's own rank in hand you have a pair. An answer is in percent: (fold, check or
# call, raise). Nobody folds where checking is free.

ROUND_ONE = {{
{round_one}
}}

ROUND_TWO = {{
{round_two}
}}


def told(actions):
    """The betting of a round in words; passing is a call once somebody has raised."""
    words = []
    for action in actions:
        words.append("raise" if action == RAISE else "call" if "raise" in words else "check")
    return " ".join(words)


class Policy:
    """Plays every hand from one chart and learns nothing from the hands before.

    {made}
    """

    def __init__(self, player, num_players, game, seed):
        self.random = random.Random(seed)
        self.percent = ()

    def act(self, obs):
        """Draw one of the answers that the chart gives."""
        self.percent = self.answer(obs)
        return self.random.choices((FOLD, CALL, RAISE), weights=self.percent)[0]

    def answer(self, obs):
        """The line of this situation, and in it the answer for the card in hand."""
        first, second = (told(actions) for actions in obs["betting"])
        if obs["round"] == 1:
            line = ROUND_ONE[first]
        else:
            line = ROUND_TWO[first][second][RANKS[obs["public_card"]]]
        return line[obs["my_card"]]
'''
