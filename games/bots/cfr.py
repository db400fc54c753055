"""CFR+ for Leduc Hold'em: solved once, kept on disk, with its exact exploitability.

Tammelin et al. 2015, "Solving Heads-up Limit Texas Hold'em", as OpenSpiel's ``CFRPlusSolver`` runs
it on ``leduc_poker(suit_isomorphism=True)`` (288 information sets). Suits do not matter, so the
strategy lifts to the full game by rank and keeps its exploitability.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from games.cache import cache_directory, exclusive, read_json, write_json
from games.leduc_tree import HIDDEN, NODES, info_code

ITERATIONS = 10_000
"""As in the evaluation population of arXiv:2603.10098."""


@dataclass(frozen=True)
class TabularSolution:
    """A strategy with the exploitability of the single hand, in chips (half of NashConv)."""

    strategy: dict[int, tuple[float, ...]]
    exploitability: float
    iterations: int


@cache
def cfr_plus(iterations: int = ITERATIONS) -> TabularSolution:
    """The CFR+ average strategy; some seconds the first time, then from the cache on disk.

    Raises:
        ValueError: when a row is not a probability distribution.
        OSError: when the cache directory cannot be written.
    """
    path = cache_directory() / f"leduc-cfr-plus-{iterations}.json"
    data = read_json(path)
    if data is None:
        with exclusive(path):
            data = read_json(path)
            if data is None:
                data = solve(iterations)
                write_json(path, data)
    strategy = {int(code): tuple(row) for code, row in data["strategy"].items()}
    check_rows(strategy)
    return TabularSolution(strategy, data["exploitability"], data["iterations"])


def solve(iterations: int) -> dict[str, Any]:
    """Run CFR+ through OpenSpiel; plain JSON data."""
    import pyspiel

    game = pyspiel.load_game("leduc_poker(suit_isomorphism=True)")
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    policy = solver.tabular_average_policy()
    table = policy.policy_table()
    strategy = {}
    for code, text in information_states():
        row = dict(table[text])
        strategy[code] = [row[action] for action in NODES[code // 12].legal]
    return {
        "strategy": strategy,
        "exploitability": pyspiel.exploitability(game, policy),
        "iterations": iterations,
    }


def information_states() -> Iterator[tuple[int, str]]:
    """Each information state's number with OpenSpiel's string for it, suits left out."""
    for index, node in enumerate(NODES):
        first, second = (" ".join(map(str, actions)) for actions in node.betting)
        head = f"[Round {node.round + 1}][Player: {node.player}][Pot: {sum(node.bets)}]"
        money = f"[Money: {100 - node.bets[0]} {100 - node.bets[1]}]"
        for rank in range(3):
            seat = f"[Observer: {node.player}][Private: {rank}]"
            for public in (HIDDEN,) if node.round == 0 else range(3):
                board = "" if public == HIDDEN else f"[Public: {public}]"
                text = f"{seat}{head}{money}{board}[Round1: {first}][Round2: {second}]"
                yield info_code(index, rank, public), text


def check_rows(strategy: dict[int, tuple[float, ...]]) -> None:
    """Raises ValueError unless every row is a distribution over its legal actions."""
    for code, row in strategy.items():
        if len(row) != len(NODES[code // 12].legal) or min(row) < 0 or abs(sum(row) - 1) > 1e-9:
            raise ValueError(f"information state {code} has no valid distribution: {row}")
