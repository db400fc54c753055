"""What must hold before a policy is approved. Pure: each check looks at :class:`Facts` alone.

A further condition is one more function in :data:`CHECKS`; pages, decisions and the list take it
from there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.conf import settings

from csro_web.accounts.models import User
from csro_web.accounts.permissions import TABLE
from csro_web.approvals.facts import Facts
from csro_web.approvals.models import Reevaluation
from games.match import ENGINE_VERSION, SandboxLevel
from oracles.reevaluation import episodes_for

DECIDE, EVALUATE, REVIEW = "approvals.decide", "approvals.evaluate", "reviews.write"


@dataclass(frozen=True)
class Condition:
    """``met`` or not; ``why`` it is not, in a sentence. ``needs`` is the right of those who can
    help (empty: nobody can), ``personal`` whether somebody else may meet what this person cannot.
    """

    name: str
    words: str
    met: bool
    why: str = ""
    needs: str = ""
    personal: bool = False


Check = Callable[[Facts, User], Condition]


def conditions(facts: Facts, person: User) -> list[Condition]:
    """All of them, in the order in which they are shown."""
    return [check(facts, person) for check in CHECKS]


def unmet(found: Sequence[Condition]) -> list[Condition]:
    return [condition for condition in found if not condition.met]


def readable(facts: Facts, _: User) -> Condition:
    why = ""
    if facts.policy.is_black_box:
        why = "It is a neural network: its code says nothing about what it does."
    elif not facts.policy.approvable:
        why = "It is a reference bot: there is no program to read."
    return Condition("readable", "People can read its program", not why, why)


def in_population(facts: Facts, _: User) -> Condition:
    there = facts.policy.withdrawn_by is None
    why = "" if there else "It was taken out; it would have to be restored."
    return Condition("member", "It is in its population", there, why, needs="changes.withdraw")


def same_content(facts: Facts, _: User) -> Condition:
    why = "" if facts.has_its_hash else "The stored program does not have its hash any more."
    return Condition("content", "Its stored program has its hash", not why, why)


def no_open_thread(facts: Facts, _: User) -> Condition:
    count = facts.open_threads
    why = "" if not count else "One thread is open or waits for a check."
    if count > 1:
        why = f"{count} threads are open or wait for a check."
    return Condition("threads", "No thread on it is open", not count, why, needs=REVIEW)


def re_evaluated(facts: Facts, _: User) -> Condition:
    words = "It was re-evaluated on unseen seeds, exactly as it is stored"
    result = facts.newest_result
    if result is not None and not facts.proved:
        why = "Its seed was not drawn for this program by a key of this installation."
    elif result is not None:
        why = outdated(result, facts.policy.run.game)
    elif not facts.policy.run.search_is_over:
        why = "It can be re-evaluated once its run has ended."
    elif facts.in_work is not None:
        why = "A re-evaluation is in work."
    elif facts.attempts:
        why = "No re-evaluation has given a result so far."
    else:
        why = "Nobody has asked for a re-evaluation."
    return Condition("reevaluated", words, not why, why, needs=EVALUATE)


def no_faults(facts: Facts, _: User) -> Condition:
    """Any result of this program counts, also of a copy of it: what timed out once is not saved by
    a luckier repeat."""
    words = "It had no faults there"
    results = [one for one in facts.attempts if one.found is not None]
    if not results:
        return Condition("faults", words, False, "Unknown until it was re-evaluated.", EVALUATE)
    faults = next((one.faults for one in results if one.faults), facts.twins.faults)
    told = ", ".join(f"{kind}: {number}" for kind, number in sorted(faults.items()))
    why = f"It forfeited decisions ({told}). An edit without them is a new policy." if told else ""
    return Condition("faults", words, not why, why)


def not_rejected_elsewhere(facts: Facts, _: User) -> Condition:
    """A rejected program does not come back as a copy, with another comment or in another run."""
    words = "The same program is rejected nowhere"
    twin = facts.twins.rejected
    why = ""
    if twin is not None:
        seen = twin.run.team_id in (None, facts.policy.run.team_id)
        where = f"as policy {twin.pk} of run {twin.run_id}" if seen else "in a run of another team"
        why = f"It was rejected {where}. An independent approver may have that one reviewed again."
    return Condition("twins", words, not why, why, needs=DECIDE)


def independent(facts: Facts, person: User) -> Condition:
    """Who had a part in it never approves it, whatever else they may; nor does a role's lack yield
    to being a superuser."""
    words = "You may decide, and had no part in it"
    parts = facts.involved.get(person.pk, ())
    why = ""
    if parts:
        why = f"You {', '.join(parts)}."
    elif person.role not in TABLE[DECIDE].roles or not person.is_active:
        why = "Approvers and administrators may; your role may not."
    return Condition("independent", words, not why, why, needs=DECIDE, personal=True)


def outdated(result: Reevaluation, game: str) -> str:
    """Why a result supports no approval any more; empty when it does."""
    if result.engine_version != ENGINE_VERSION:
        return (
            f"That was on engine version {result.engine_version}; it is {ENGINE_VERSION} now, and "
            "the same match gives other numbers."
        )
    levels = list(SandboxLevel)
    required = SandboxLevel(settings.REQUIRED_LEVEL)
    if levels.index(SandboxLevel(result.sandbox_level)) > levels.index(required):
        return f"That was at sandbox level {result.sandbox_level}; {required} is required."
    if result.episodes < episodes_for(game):
        return f"That was over {result.episodes} episodes; {episodes_for(game)} are required."
    return ""


CHECKS: tuple[Check, ...] = (
    readable,
    in_population,
    same_content,
    no_open_thread,
    re_evaluated,
    no_faults,
    not_rejected_elsewhere,
    independent,
)
