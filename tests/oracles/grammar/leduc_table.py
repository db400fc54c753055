"""A plain Leduc dealer for trusted programs, and requests to the grammar."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from games.leduc import Leduc
from oracles.config import ContextMode
from oracles.task import Feedback, OpponentView, WriteRequest

Act = Callable[[dict[str, Any]], int]
INITIAL = {policy.name: policy.source for policy in Leduc().initial_population()}
FOLD, CALL, RAISE = 0, 1, 2


def request(
    *names: str,
    seed: int = 0,
    context: ContextMode = ContextMode.CODE,
    incumbent: str | None = None,
    history: tuple[Feedback, ...] = (),
) -> WriteRequest:
    shown = context is ContextMode.CODE
    opponents = tuple(
        OpponentView(name, 1 / len(names), INITIAL[name] if shown else None, None) for name in names
    )
    return WriteRequest(Leduc(), context, opponents, incumbent, history, (), seed)


def feedback(source: str, score: float, per_opponent: dict[str, float]) -> Feedback:
    return Feedback(source, True, "", score, per_opponent, False, "")


def seated(source: str, player: int, seed: int) -> Act:
    scope: dict[str, Any] = {}
    exec(compile(source, "policy.py", "exec"), scope)
    policy = scope["Policy"]
    made = policy(player, 2, {}, seed) if "__init__" in vars(policy) else policy()
    act: Act = made.act
    return act


def play(first: Act, second: Act, *, seed: int, hands: int = 100) -> int:
    """Chips won by the first seat; fails on an illegal action."""
    deck = [0, 0, 1, 1, 2, 2]
    dealer = random.Random(seed)
    past: tuple[list[Any], list[Any]] = ([], [])
    totals = [0, 0]
    for number in range(hands):
        dealer.shuffle(deck)
        payoff, record = _hand((first, second), deck, number, past, totals)
        shown = record["ended"] == "showdown"
        for seat in (0, 1):
            won = payoff if seat == 0 else -payoff
            totals[seat] += won
            past[seat].append(
                {
                    "my_card": deck[seat],
                    "opponent_card": deck[1 - seat] if shown else -1,
                    "public_card": record["public_card"],
                    "betting": [list(actions) for actions in record["betting"]],
                    "payoff": won,
                    "ended": "showdown" if shown else ("my fold", "opponent fold")[won > 0],
                }
            )
    return totals[0]


def _hand(
    seats: tuple[Act, Act], deck: list[int], number: int, past: Any, totals: list[int]
) -> tuple[int, dict[str, Any]]:
    bets, betting = [1, 1], [[], []]  # type: ignore[var-annotated]
    for stage in (1, 2):
        actions = betting[stage - 1]
        public = deck[2] if stage == 2 else -1
        while True:
            player = len(actions) % 2
            facing = bets[player] < bets[1 - player]
            legal = [FOLD] * facing + [CALL] + [RAISE] * (actions.count(RAISE) < 2)
            action = seats[player](
                {
                    "player": player,
                    "hand": number,
                    "num_hands": 100,
                    "round": stage,
                    "my_card": deck[player],
                    "public_card": public,
                    "pot": sum(bets),
                    "my_bet": bets[player],
                    "opponent_bet": bets[1 - player],
                    "betting": [list(part) for part in betting],
                    "legal_actions": legal,
                    "action_names": [str(a) for a in legal],
                    "past_hands": past[player],
                    "my_total": totals[player],
                }
            )
            assert action in legal
            actions.append(action)
            if action == FOLD:
                won = bets[player] if player == 1 else -bets[player]
                return won, {"betting": betting, "public_card": public, "ended": "fold"}
            bets[player] = bets[1 - player] + 2 * stage * (action == RAISE)
            if action == CALL and len(actions) > 1:
                break
    mine, theirs = (3 if deck[seat] == deck[2] else deck[seat] for seat in (0, 1))
    won = bets[0] * ((mine > theirs) - (mine < theirs))
    return won, {"betting": betting, "public_card": deck[2], "ended": "showdown"}
