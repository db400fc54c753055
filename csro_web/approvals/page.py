"""What the approval page and the panel on a policy's page show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from csro_web.accounts.models import User
from csro_web.approvals import reevaluations, selectors
from csro_web.approvals.attempts import Attempts, attempts_of
from csro_web.approvals.conditions import Condition, conditions, outdated, unmet
from csro_web.approvals.facts import Facts, gather
from csro_web.approvals.forms import WORDS
from csro_web.approvals.models import Reevaluation
from csro_web.approvals.selectors import Shown
from csro_web.approvals.states import Event, move_from
from csro_web.approvals.who import who_could
from csro_web.policies.models import Policy
from csro_web.runs import heldout
from csro_web.runs.catalogue import facts_of
from csro_web.runs.models import Run
from games.match import ENGINE_VERSION

CLAIMS = {
    "score": "Against the mixture it was made for, as the search scored it",
    "gain": "Against the mixture it was made for, when it joined",
    "row": "Against the newest mixture, from the payoff matrix",
    "pop_return": "PopReturn, held out",
    "pop_expl": "PopExpl, held out (lower is better)",
    "agg_score": "AggScore, held out",
}
OTHERS = {
    "row": "Against the newest mixture",
    "pop_return": "PopReturn, held out",
    "pop_expl": "PopExpl, held out",
    "agg_score": "AggScore, held out",
}
TRANSITIONS_SHOWN = 100


@dataclass(frozen=True)
class Line:
    """A condition with the names of those who could meet it."""

    condition: Condition
    who: list[str]


@dataclass(frozen=True)
class Panel:
    """A policy's approval in a few words. ``missing``: what is, in one line; empty: nothing."""

    standing: Shown
    missing: str


def panel_of(policy: Policy, person: User) -> Panel:
    """For the policy's own page."""
    return Panel(selectors.standing_of(policy), missing_in_words(gather([policy])[0], person))


def missing_in_words(facts: Facts, person: User) -> str:
    """What stands in the way of an approval by whoever may, in one line; empty: nothing."""
    lacking = [one for one in unmet(conditions(facts, person)) if not one.personal]
    if lacking and not lacking[0].needs:  # nobody can help, so the rest does not matter
        return lacking[0].why
    return " ".join(one.why for one in lacking if one.name != "faults" or len(lacking) == 1)


def of(policy: Policy, person: User) -> dict[str, Any]:
    """The context of the approval page."""
    facts = gather([policy])[0]
    found = conditions(facts, person)
    result = facts.newest_result
    shown = selectors.standing_of(policy)
    attempts = attempts_of(policy, person)
    return {
        "policy": policy,
        "run": policy.run,
        "facts": facts_of(policy.run),
        "standing": shown,
        "lines": [Line(one, _who(one, facts)) for one in found],
        "unmet": unmet(found),
        "independent": found[-1].met,
        "choices": [event for event in WORDS if move_from(shown.state, event)],
        "in_work": facts.in_work,
        "result": result,
        "claims": claim_rows(result),
        "others": unclaimed(result),
        "looks": _count_looks(policy.run, attempts),
        "outdated": outdated(result, policy.run.game) if result else "",
        "newer_engine": _newer_engine(shown),
        "why_no_reevaluation": reevaluations.why_not(policy),
        "attempts": attempts,
        "approvals": list(policy.approvals.select_related("approver")),
        "transitions": list(
            policy.transitions.select_related("by", "approval")[:TRANSITIONS_SHOWN]
        ),
        "events": Event,
    }


def claim_rows(result: Reevaluation | None) -> list[dict[str, Any]]:
    """The claims of a result with their names in words."""
    if result is None or result.found is None:
        return []
    return [{**claim, "words": CLAIMS[claim["name"]]} for claim in result.found["claims"]]


def unclaimed(result: Reevaluation | None) -> list[tuple[str, dict[str, Any]]]:
    """What was found where the run claims nothing, with its name: Estimates as JSON."""
    if result is None or result.found is None:
        return []
    claimed = {claim["name"] for claim in result.found["claims"]}
    found = {"row": result.found["newest"], **result.found["held_out"]}
    return [(OTHERS[name], found[name]) for name in OTHERS if name not in claimed and found[name]]


def _count_looks(run: Run, attempts: Attempts) -> int:
    """One at the held-out figures of every run that the page shows some of; those of ``run``."""
    looked_at = {one.policy.run_id: one.policy.run for one in attempts.shown if one.found}
    looks = {pk: heldout.count_look(other) for pk, other in looked_at.items()}
    return looks.get(run.pk, run.held_out_looks)


def _who(condition: Condition, facts: Facts) -> list[str]:
    if condition.met or not condition.needs:
        return []
    without = tuple(facts.involved) if condition.personal else ()
    return who_could(condition.needs, facts.policy.run, without=without)


def _newer_engine(shown: Shown) -> str:
    """The engine version that a current approval rests on, where it is not today's."""
    if shown.approval is None:
        return ""
    version: str = shown.approval.reevaluation.engine_version
    return version if version != ENGINE_VERSION else ""
