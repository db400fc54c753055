"""Runs as the loop leaves them in the database, made of the game's own initial policies."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

from django.utils import timezone

from csro_web.changes import fingerprints
from csro_web.policies.models import Candidate, Origin, Policy
from csro_web.runs.models import Cell, Iteration, Match, Run, RunState, Step, StepState
from games.players import source_sha256
from games.registry import get_game

FIRST = '''"""A best response."""


class Policy:
    """Bets that habits last: counts what the opponent threw after its own last two throws.

    When the counts are thin it falls back on the opponent's favourite throw.
    """

    def __init__(self, player, num_players, game, seed):
        self.counts = {}
        self.favourite = [0, 0, 0]

    def act(self, obs):
        """Beat the throw that followed this situation most often."""
        theirs = obs["opponent_actions"]
        if theirs:
            self.favourite[theirs[-1]] += 1
        situation = tuple(theirs[-2:])
        seen = self.counts.get(situation, self.favourite)
        self._learn(theirs)
        return (seen.index(max(seen)) + 1) % 3

    def _learn(self, theirs):
        """Remember what came after the situation before this one."""
        if len(theirs) >= 3:
            before = tuple(theirs[-3:-1])
            self.counts.setdefault(before, [0, 0, 0])[theirs[-1]] += 1
'''


def refined(source: str, number: int) -> str:
    """A later version: a constant, a line and a helper differ."""
    return (
        source.replace("theirs[-2:]", f"theirs[-{2 + number}:]")
        .replace("theirs[-3:-1]", f"theirs[-{3 + number}:-1]")
        .replace("if len(theirs) >= 3:", f"if len(theirs) >= {3 + number}:")
        .replace(
            "        return (seen.index(max(seen)) + 1) % 3\n",
            "        likely = seen.index(max(seen))\n        return self._beat(likely)\n",
        )
        + f'\n    def _beat(self, throw):\n        """Version {number}."""\n'
        "        return (throw + 1) % 3\n"
    )


def config(**changes: Any) -> dict[str, Any]:
    return {
        "game": "rrps",
        "params": {},
        "oracle": "linear_refinement",
        "writer": "grammar",
        "context": "code",
        "opponents": "support",
        "iterations": 5,
        "episodes": 10,
        "evaluation_episodes": 20,
        "refinements": 10,
        "target": 0.0,
        "training_solver": "nash",
        "evaluation_solver": "nash",
        "initial": [],
        "allow_faulty": False,
        "seed": 7,
        "recording": "",
        **changes,
    }


def make_run(
    *, state: str = RunState.RUNNING, name: str = "", sandbox_level: str = "full", **changes: Any
) -> Run:
    chosen = config(**changes)
    now = timezone.now()
    return Run.objects.create(
        name=name,
        config=chosen,
        game=chosen["game"],
        oracle=chosen["oracle"],
        writer=chosen["writer"],
        seed=chosen["seed"],
        state=state,
        created_at=now - timedelta(minutes=6),
        started_at=now - timedelta(minutes=5),
        ended_at=now if state in ("finished", "cancelled", "failed") else None,
        steps_done=30,
        steps_expected=96,
        sandbox_level=sandbox_level,
        change=1,
    )


def add_policy(run: Run, source: str, *, name: str, **fields: Any) -> Policy:
    fields.setdefault("origin", Origin.INITIAL)
    fingerprints.remember({source_sha256(source): source})
    return Policy.objects.create(
        run=run,
        index=run.policies.count(),
        name=name,
        source=source,
        sha256=source_sha256(source) if source else "",
        **fields,
    )


def add_match(a: Policy, b: Policy, *, mean: float, spread: float = 12.0, **fields: Any) -> Match:
    rng = random.Random(f"{a.pk}:{b.pk}")
    payoffs = [round(mean + rng.gauss(0, spread)) for _ in range(20)]
    middle = sum(payoffs) / len(payoffs)
    values: dict[str, Any] = {
        "key": source_sha256(f"{a.pk}:{b.pk}"),
        "game": a.run.game,
        "params": a.run.config["params"],
        "a": f"code:{a.sha256}",
        "b": f"code:{b.sha256}",
        "episodes": len(payoffs),
        "seed": rng.randrange(2**40),
        "batch_size": 64,
        "sandbox_level": "full",
        "engine_version": "1",
        "mean": middle,
        "variance": sum((one - middle) ** 2 for one in payoffs) / (len(payoffs) - 1),
        "faults_a": 0,
        "faults_b": 0,
        "result": {
            "payoffs": payoffs,
            "a": {"counts": {}, "tracebacks": [], "output": ""},
            "b": {"counts": {}, "tracebacks": [], "output": ""},
            "decisions": 40000,
            "seconds": 0.31,
            "cpu_seconds": 0.28,
            "sandbox_level": "full",
            "reproducible": True,
            "engine_version": "1",
        },
    }
    return Match.objects.create(**{**values, **fields})


def add_cells(policy: Policy) -> None:
    """Plays the policy's row of the payoff matrix, with made-up but fixed numbers."""
    rng = random.Random(policy.index)
    for other in Policy.objects.filter(run=policy.run, index__lt=policy.index):
        mean = rng.gauss(40 * (policy.index - other.index), 110) if other.index else rng.gauss(0, 4)
        add_cell(policy, other, add_match(policy, other, mean=mean))


def add_cell(policy: Policy, other: Policy, match: Match) -> Cell:
    half = 1.96 * (match.variance / match.episodes) ** 0.5
    return Cell.objects.create(
        run=policy.run,
        row=policy.index,
        column=other.index,
        match=match,
        mean=match.mean,
        low=match.mean - half,
        high=match.mean + half,
    )


def add_candidate(run: Run, iteration: int, attempt: int, **fields: Any) -> Candidate:
    source = fields.pop("source", refined(FIRST, attempt))
    values: dict[str, Any] = {
        "key": f"it{iteration}/attempt{attempt}",
        "messages": [
            {"role": "system", "content": "You write policies for a game as Python code."},
            {"role": "user", "content": "Write a best response to the opponents below."},
        ],
        "completion": f"Here is my program.\n\n```python\n{source}```\n",
        "accepted": True,
        "source": source,
        "sha256": source_sha256(source) if source else "",
        "score_mean": 90.0 + 14 * attempt,
        "score_low": 84.5 + 14 * attempt,
        "score_high": 95.5 + 14 * attempt,
        "episodes": 40,
        "feedback": "It gains 104.0 per episode; the worst opponent is win_stay_lose_shift.",
    }
    fingerprints.remember({source_sha256(source): source})
    return Candidate.objects.create(
        run=run, iteration=iteration, attempt=attempt, **{**values, **fields}
    )


def add_iteration(run: Run, index: int, *, tries: int = 4) -> Policy:
    """A whole iteration: mixture, candidates (one refused), the best response and its row."""
    size = run.policies.count()
    rng = random.Random(index)
    raw = [rng.random() ** 3 for _ in range(size)]
    sigma = [weight / sum(raw) for weight in raw]
    last = None
    for attempt in range(tries):
        if attempt == 1:
            add_candidate(
                run,
                index,
                attempt,
                accepted=False,
                source="",
                score_mean=None,
                score_low=None,
                score_high=None,
                reason="line 14: the module 'os' may not be imported; allowed are math, random, …",
                line=14,
                parent=last,
            )
            continue
        difference = 14.0 if last else None
        last = add_candidate(
            run,
            index,
            attempt,
            parent=last,
            improved=True if last else None,
            difference_mean=difference,
            difference_low=difference and difference - 3,
            difference_high=difference and difference + 3,
        )
    policy = add_policy(
        run,
        refined(FIRST, index),
        name=f"best response {index}",
        origin=Origin.REFINED,
        iteration=index,
        candidate=last,
    )
    policy.parents.set(Policy.objects.filter(run=run, index__lt=2))
    Iteration.objects.create(
        run=run,
        index=index,
        sigma=sigma,
        sigma_low=[max(0, weight - 0.12) for weight in sigma],
        sigma_high=[min(1, weight + 0.15) for weight in sigma],
        gain_mean=160.0 / index,
        gain_low=160.0 / index - 21,
        gain_high=160.0 / index + 21,
        policy_index=policy.index,
        finished=True,
    )
    add_cells(policy)
    return policy


def populated_run(*, iterations: int = 3, **changes: Any) -> Run:
    """A run in the middle of its work, or at its end if ``state`` says so."""
    run = make_run(**changes)
    for initial in get_game(run.game).initial_population():
        add_cells(add_policy(run, initial.source, name=initial.name))
    for index in range(1, iterations + 1):
        add_iteration(run, index)
    if run.state == RunState.FINISHED:
        finish(run)
    else:
        add_steps(run)
    return run


def add_steps(run: Run) -> None:
    now = timezone.now()
    for order in range(6):
        Step.objects.create(
            run=run,
            key=f"it1/row/{order}",
            kind="play",
            label="iteration 1: playing the best response against the population",
            order=order,
            state=StepState.DONE,
            result={"matches": []},
            started_at=now - timedelta(seconds=60 - order * 4),
            ended_at=now - timedelta(seconds=57 - order * 4),
        )
    Step.objects.create(
        run=run,
        key="it4/attempt2/score/0",
        kind="score",
        label="iteration 4: playing proposal 2",
        order=7,
        state=StepState.CLAIMED,
        owner="worker-1@lab",
        lease_until=now + timedelta(seconds=20),
        started_at=now - timedelta(seconds=2),
        attempts=1,
    )


def finish(run: Run) -> None:
    """The final mixture and the held-out scores."""
    size = run.policies.count()
    weights = [0.0] * size
    weights[-1], weights[-2], weights[0] = 0.62, 0.31, 0.07
    run.final_sigma = weights
    run.final_sigma_low = [max(0.0, weight - 0.1) for weight in weights]
    run.final_sigma_high = [weight + 0.12 if weight else 0.03 for weight in weights]
    run.best_policy_index = size - 1
    run.stop_reason = "all iterations were made"
    run.held_out = [
        held_out("final_mixture", None, run.game, 0),
        held_out("best_policy", size - 1, run.game, 9),
        held_out("last_policy", size - 1, run.game, 9),
    ]
    run.save()


def held_out(subject: str, policy: int | None, game: str, better: float) -> dict[str, Any]:
    rng = random.Random(subject)

    def estimate(mean: float, half: float) -> dict[str, Any]:
        return {"mean": mean, "low": mean - half, "high": mean + half, "episodes": 860}

    return {
        "subject": subject,
        "policy": policy,
        "pop_return": estimate(214.3 + better, 4.1),
        "pop_expl": estimate(41.8 - better, 7.7),
        "agg_score": estimate(172.5 + 2 * better, 8.9),
        "opponents": [
            {
                "name": name,
                "estimate": estimate(rng.gauss(200, 150), 12),
                "faults": {},
                "seed": rng.randrange(2**40),
            }
            for name in get_game(game).evaluation_population()
        ],
    }
