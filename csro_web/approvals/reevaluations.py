"""Asking for a re-evaluation: its seed and everything else that decides its result is fixed now."""

from __future__ import annotations

from django.db import transaction

from csro_web import signing
from csro_web.accounts.models import User
from csro_web.approvals import claims, standings
from csro_web.approvals.models import Reevaluation
from csro_web.audit.actions import Action
from csro_web.audit.trail import record
from csro_web.changes.fingerprints import program_of
from csro_web.jobs import services as jobs
from csro_web.jobs.models import OVER
from csro_web.policies.models import Policy
from csro_web.policies.players import player_of
from games.players import source_sha256
from oracles.config import RunConfig
from oracles.fingerprint import GRAMMAR, fingerprint
from oracles.population import game_of
from oracles.reevaluation import episodes_for, seed_from_signature, seed_message

KIND = "reevaluation"


class CannotReevaluate(Exception):
    """The policy cannot be re-evaluated now; the message says why and what would help."""


def why_not(policy: Policy) -> str:
    """Why no re-evaluation can be asked for, in a sentence; empty when one can."""
    if not policy.approvable:
        return "Only a program that people can read is re-evaluated and approved."
    if not policy.run.search_is_over:
        return (
            "Held-out figures are looked at only after a run has ended, so that no search can "
            "be steered by them: let the run finish, or cancel it."
        )
    if policy.withdrawn_by is not None:
        return "It was taken out of its population: restore it first."
    if policy.sha256 != source_sha256(policy.source):
        return "The stored program does not have the hash that it was stored with."
    if in_work(policy) is not None:
        return "A re-evaluation of it is in work."
    return ""


def in_work(policy: Policy) -> Reevaluation | None:
    """The re-evaluation that has not ended yet."""
    open_ones = policy.reevaluations.exclude(job__state__in=OVER).select_related("job")
    found: Reevaluation | None = open_ones.first()
    return found


@transaction.atomic
def ask(*, policy: Policy, person: User | None) -> Reevaluation:
    """Have a worker play the policy on the seeds that follow from its program.

    Raises:
        CannotReevaluate: when :func:`why_not` says so, or the program cannot be parsed here.
    """
    standings.hold(policy)  # of two who ask at once, the second sees the first's
    if words := why_not(policy):
        raise CannotReevaluate(words)
    config = RunConfig.from_json(policy.run.config)
    game = game_of(config)
    try:
        program = fingerprint(policy.source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise CannotReevaluate(f"The program cannot be read here: {error}.") from error
    message = seed_message(game=game.name, params=game.params, program=program)
    signer = signing.signer()
    signature = signer.sign(message)
    seed = seed_from_signature(signature)
    episodes = episodes_for(game.name)
    job = jobs.enqueue(
        KIND,
        asked_by=person,
        run=policy.run,
        inputs={
            "policy": policy.pk,
            "sha256": policy.sha256,
            "seed": seed,
            "episodes": episodes,
            "opponents": _opponents(policy),
            "claims": claims.claims_of(policy),
        },
    )
    asked = Reevaluation.objects.create(
        policy=policy,
        job=job,
        sha256=policy.sha256,
        program=program,
        grammar=GRAMMAR,
        seed=seed,
        signature=signature.hex(),
        public_key=signer.public_key.hex(),
        episodes=episodes,
        asked_by=person,
    )
    detail = {"sha256": policy.sha256, "seed": str(seed), "reevaluation": asked.pk}
    record(
        Action.REEVALUATION_ASKED,
        actor=person,
        subject=policy,
        run_id=policy.run_id,
        detail=detail,
    )
    return asked


def is_proved(asked: Reevaluation, policy: Policy) -> bool:
    """Whether a key of this installation drew its seed, for the policy's program and game."""
    config = RunConfig.from_json(policy.run.config)
    game = game_of(config)
    message = seed_message(game=game.name, params=game.params, program=asked.program)
    public, signature = bytes.fromhex(asked.public_key), bytes.fromhex(asked.signature)
    return (
        any(key.public_key == public for key in signing.known_keys())
        and signing.is_signed(public, message, signature)
        and seed_from_signature(signature) == asked.seed
        and (asked.grammar != GRAMMAR or program_of(policy.source) == asked.program)
    )


def _opponents(policy: Policy) -> list[dict[str, object]]:
    """Everybody in the newest mixture and in the one that it was made for, but for itself."""
    newest, made_for = claims.newest_weights(policy.run), claims.weights_it_was_made_for(policy)
    members = policy.run.policies.filter(index__in={*newest, *made_for}).exclude(pk=policy.pk)
    return [
        {
            "policy": member.pk,
            "key": player_of(member).key,
            "newest": newest.get(member.index, 0.0),
            "made_for": made_for.get(member.index, 0.0),
        }
        for member in members
    ]
