"""Leduc: hands per second against OpenSpiel's rl_environment, and the exact values of CFR+."""

from __future__ import annotations

import time

from games.benchmarks.rows import Row, policy_source
from games.bots.cfr import cfr_plus
from games.bots.leduc import strategy
from games.exact import expected_payoff
from games.leduc import NUM_HANDS
from games.local_engine import LocalEngine
from games.match import MatchSpec
from games.players import CodePlayer

_REPEATS = 3
_PEER_HANDS = 2000


def throughput(name: str, *, target: float, episodes: int) -> Row:
    """Hands per second of two cheap policies, each in a sandbox of its own."""
    player = CodePlayer(policy_source("leduc_cheap"))
    spec = MatchSpec("leduc", player, player, episodes, 1, batch_size=episodes)
    ours, peer = 0.0, 0.0
    with LocalEngine(workers=2) as engine:
        engine.play([MatchSpec("leduc", player, player, 2, 1)])
        for _ in range(_REPEATS):
            started = time.perf_counter()
            engine.play([spec])
            ours = max(ours, 2 * NUM_HANDS * episodes / (time.perf_counter() - started))
            peer = max(peer, _environment_hands_per_second())
        level = engine.level
    return Row(
        name=name,
        ours=ours,
        peer=peer,
        ratio=ours / peer,
        target=target,
        unit="hands/s",
        note=(
            f"two cheap policies, each sandboxed at level {level}, {episodes} episodes in a batch, "
            "two referees; peer: rl_environment with the same two policies in process"
        ),
    )


def _environment_hands_per_second() -> float:
    """OpenSpiel's rl_environment with two agents that raise Kings and call the rest."""
    from open_spiel.python import rl_environment

    environment = rl_environment.Environment(f"repeated_leduc_poker(num_hands={NUM_HANDS})")
    started = time.perf_counter()
    for _ in range(_PEER_HANDS // NUM_HANDS):
        step = environment.reset()
        while not step.last():
            player = step.observations["current_player"]
            legal = step.observations["legal_actions"][player]
            card = step.observations["info_state"][player][2:8]
            king = card[4] or card[5]
            action = 2 if king and 2 in legal else 1 if 1 in legal else legal[0]
            step = environment.step([action])
    return _PEER_HANDS / (time.perf_counter() - started)


def exact_values() -> list[Row]:
    """CFR+ against the fixed opponents, chips per 100 hands, beside the reference values."""
    solution = cfr_plus()
    rows = []
    for opponent, reference, tolerance in (
        ("always_call", 63.29, 0.02),
        ("always_fold", 57.27, 0.01),
    ):
        value = expected_payoff(solution.strategy, strategy(opponent))
        rows.append(
            Row(
                name=f"leduc-exact-{opponent.replace('_', '-')}",
                ours=value,
                peer=reference,
                ratio=abs(value - reference),
                target=tolerance,
                unit="chips per 100 hands",
                note=(
                    f"CFR+ after {solution.iterations} iterations, exploitability "
                    f"{solution.exploitability:.1e} chips a hand; ratio: distance from the peer, "
                    "the value by OpenSpiel's own exact traversal"
                ),
                at_most=True,
            )
        )
    return rows
