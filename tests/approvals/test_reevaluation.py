"""A re-evaluation plays on seeds that follow from the program alone, and says what became of the
claims."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from csro_web import signing
from csro_web.approvals import reevaluations
from csro_web.approvals.models import Reevaluation
from csro_web.approvals.reevaluations import CannotReevaluate
from csro_web.audit.models import AuditEvent
from csro_web.jobs import services as jobs
from csro_web.jobs import work
from csro_web.jobs.models import Job, JobState
from csro_web.policies.models import Origin, Policy
from csro_web.runs.models import Iteration, Match, Run, RunState
from csro_web.runs.worker import Worker
from games.match import MatchSpec
from games.metrics import estimate
from games.players import CodePlayer, source_sha256
from games.registry import get_game
from oracles.fingerprint import fingerprint
from oracles.reevaluation import seed_from_signature, seed_message
from tests.approvals.conftest import COPIES, EPISODES
from tests.web.builders import FIRST, add_candidate, add_policy, make_run

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_own_key")]
Play = Callable[[Policy], Reevaluation]

CRASHES_LATE = FIRST.replace(
    "        return (seen.index",
    "        if len(theirs) > 995:\n            {}[1]\n        return (seen.index",
)


def proof_of(asked: Reevaluation) -> bytes:
    game = get_game(asked.policy.run.game, asked.policy.run.config["params"])
    return seed_message(game=game.name, params=game.params, program=asked.program)


def test_the_same_program_gets_the_same_numbers_again_and_in_another_run(
    policy: Policy, re_evaluate: Play, launcher: Any
) -> None:
    first = re_evaluate(policy)
    assert first.found is not None
    assert first.found["faults"] == {}
    assert first.sandbox_level == "full"
    assert first.found["held_out"]["pop_return"]["episodes"] == EPISODES * 43

    Match.objects.filter(cells=None).delete()
    again = re_evaluate(policy)
    assert (again.seed, again.found) == (first.seed, first.found)

    Match.objects.filter(cells=None).delete()
    other = make_run(state=RunState.FINISHED, seed=99)
    add_policy(other, COPIES, name="copies")
    other.final_sigma = [0.5, 0.5]
    other.save()
    elsewhere = re_evaluate(add_policy(other, FIRST, name="the same elsewhere"))
    assert elsewhere.seed == first.seed
    assert elsewhere.found is not None
    assert elsewhere.found["held_out"]["opponents"] == first.found["held_out"]["opponents"]
    against = [[row["estimate"] for row in one.found["opponents"]] for one in (first, elsewhere)]
    assert against[0] == against[1]


def test_another_program_gets_another_seed_and_a_comment_none(run: Run, policy: Policy) -> None:
    ask = reevaluations.ask
    first = ask(policy=policy, person=None)
    commented = add_policy(run, FIRST.replace("class", "# luck\nclass", 1), name="a comment more")
    edited = add_policy(run, FIRST.replace("-2:", "-1:"), name="another program")
    same, other = ask(policy=commented, person=None), ask(policy=edited, person=None)
    assert same.sha256 != first.sha256
    assert same.seed == first.seed
    assert other.seed != first.seed
    leduc = make_run(state=RunState.FINISHED, game="leduc")
    assert ask(policy=add_policy(leduc, FIRST, name="f"), person=None).seed != first.seed


def test_whoever_has_the_public_key_can_check_that_the_seed_belongs_to_the_program(
    policy: Policy,
) -> None:
    asked = reevaluations.ask(policy=policy, person=None)
    public, signature = bytes.fromhex(asked.public_key), bytes.fromhex(asked.signature)
    assert asked.program == fingerprint(policy.source)
    assert signing.is_signed(public, proof_of(asked), signature)
    assert seed_from_signature(signature) == asked.seed

    asked.program = fingerprint(policy.source + "\nLUCK = 1\n")
    assert not signing.is_signed(public, proof_of(asked), signature)
    tampered = bytes([signature[0] ^ 1]) + signature[1:]
    assert seed_from_signature(tampered) != asked.seed


def test_another_installation_draws_another_seed(
    policy: Policy, settings: Any, tmp_path: Any
) -> None:
    first = reevaluations.ask(policy=policy, person=None)
    jobs.cancel(first.job)
    settings.SIGNING_KEY_FILE = str(tmp_path / "another.pem")
    assert reevaluations.ask(policy=policy, person=None).seed != first.seed


def test_a_seed_that_was_replaced_in_the_database_is_not_played(
    policy: Policy, worker: Worker
) -> None:
    asked = reevaluations.ask(policy=policy, person=None)
    inputs = {**asked.job.inputs, "seed": 4}
    Job.objects.filter(pk=asked.job_id).update(inputs=inputs)
    assert work.perform(asked.job_id, worker) is work.Outcome.FAILED
    asked.job.refresh_from_db()
    assert "does not follow from the signature" in asked.job.failure
    assert asked.job.state == JobState.FAILED


def test_a_program_that_was_replaced_since_it_was_asked_for_is_not_played(
    policy: Policy, worker: Worker
) -> None:
    asked = reevaluations.ask(policy=policy, person=None)
    Policy.objects.filter(pk=policy.pk).update(source=COPIES)
    assert work.perform(asked.job_id, worker) is work.Outcome.FAILED
    asked.job.refresh_from_db()
    assert "not the one" in asked.job.failure


def test_an_attempt_that_was_called_off_stays_as_one_without_result(
    policy: Policy, re_evaluate: Play
) -> None:
    jobs.cancel(reevaluations.ask(policy=policy, person=None).job)
    done = re_evaluate(policy)
    attempts = list(policy.reevaluations.order_by("pk"))
    assert [one.found is None for one in attempts] == [True, False]
    assert attempts[1] == done
    told = AuditEvent.objects.filter(action__startswith="reevaluation").order_by("sequence")
    assert [event.action for event in told] == [
        "reevaluation.asked",
        "reevaluation.asked",
        "reevaluation.done",
    ]


def test_only_one_is_in_work_for_a_policy(policy: Policy) -> None:
    reevaluations.ask(policy=policy, person=None)
    with pytest.raises(CannotReevaluate, match="in work"):
        reevaluations.ask(policy=policy, person=None)


@pytest.mark.parametrize("state", [RunState.RUNNING, RunState.PAUSED, RunState.QUEUED])
def test_nothing_is_played_on_held_out_opponents_while_a_search_goes_on(
    policy: Policy, state: RunState
) -> None:
    Run.objects.filter(pk=policy.run_id).update(state=state, ended_at=None)
    policy.refresh_from_db()
    with pytest.raises(CannotReevaluate, match="only after a run has ended"):
        reevaluations.ask(policy=Policy.objects.get(pk=policy.pk), person=None)


def test_bots_and_black_boxes_are_refused(run: Run) -> None:
    bot = add_policy(run, "", name="rockbot", origin=Origin.BOT)
    network = add_policy(run, COPIES, name="network", origin=Origin.TRAINED)
    for refused in (bot, network):
        with pytest.raises(CannotReevaluate, match="people can read"):
            reevaluations.ask(policy=refused, person=None)


def test_faults_are_counted_and_kept_with_their_traceback(run: Run, re_evaluate: Play) -> None:
    done = re_evaluate(add_policy(run, CRASHES_LATE, name="crashes late"))
    assert done.faults["exception"] >= EPISODES * 43
    assert done.found is not None
    assert "KeyError" in done.found["tracebacks"][0]


def test_numbers_of_the_search_are_set_beside_the_fresh_ones(
    policy: Policy, re_evaluate: Play
) -> None:
    done = re_evaluate(policy)
    assert done.found is not None
    (row,) = done.found["claims"]
    assert row["name"] == "row"
    assert row["difference"]["mean"] == pytest.approx(row["found"]["mean"] - row["claimed"]["mean"])
    # its own weight of 0.75 wins nothing against itself
    (against,) = done.found["opponents"]
    assert row["found"]["mean"] == pytest.approx(0.25 * against["estimate"]["mean"])
    assert source_sha256(policy.source) == done.sha256


RANDOM = '''"""Throws at random."""

import random


class Policy:
    def __init__(self, player, num_players, game, seed):
        self.random = random.Random(seed + {salt})

    def act(self, obs):
        return self.random.randrange(3)
'''


def test_a_score_that_was_luck_does_not_come_back_on_unseen_seeds(
    run: Run, worker: Worker, re_evaluate: Play, settings: Any
) -> None:
    """The best of forty programs that all throw at random, chosen on the same ten episodes.

    The key is always the same, and so are the seeds: over four episodes, chance alone would now and
    then give back half of the luck.
    """
    key = Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33)))
    Path(settings.SIGNING_KEY_FILE).touch(mode=0o600)
    Path(settings.SIGNING_KEY_FILE).write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    )
    opponent = CodePlayer(COPIES)
    players = [CodePlayer(RANDOM.format(salt=salt)) for salt in range(40)]
    results = worker.engine().play(
        [MatchSpec("rrps", player, opponent, episodes=10, seed=5) for player in players]
    )
    lucky = max(range(40), key=lambda index: results[index].mean)
    score = estimate(results[lucky].payoffs)
    assert score.low is not None
    assert score.low > 0  # it looks as if it won
    candidate = add_candidate(
        run,
        1,
        1,
        source=players[lucky].source,
        score_mean=score.mean,
        score_low=score.low,
        score_high=score.high,
        episodes=10,
    )
    policy = add_policy(
        run, candidate.source, name="lucky", candidate=candidate, origin=Origin.GENERATED
    )
    Iteration.objects.create(
        run=run, index=1, sigma=[1.0], sigma_low=[1.0], sigma_high=[1.0], policy_index=policy.index
    )
    found = re_evaluate(policy).found
    assert found is not None
    (claim,) = found["claims"]
    assert claim["name"] == "score"
    assert claim["difference"]["mean"] < -score.mean / 2
    assert claim["found"]["low"] < 0 < claim["found"]["high"]
