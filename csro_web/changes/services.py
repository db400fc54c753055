"""What people do to a population: commit a policy, take one out of the mixtures, put it back.

Each is a step of its run that is done at once, with its own row, what follows from it and its entry
in the audit trail, all in one transaction or not at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from csro_web.accounts.models import User
from csro_web.audit.actions import Action
from csro_web.audit.trail import record
from csro_web.changes import fingerprints
from csro_web.changes.models import LONGEST_NAME, LONGEST_REASON, Change, ChangeKind
from csro_web.changes.signals import withdrawing
from csro_web.policies.models import Origin, Policy
from csro_web.runs.changing import CHANGEABLE, NotChangeable, record_change
from csro_web.runs.models import Run
from oracles import changes
from oracles.candidate import Extraction
from oracles.change_book import twin_of, withdrawn_in_the_end
from oracles.handwritten import judge
from oracles.state import PolicyRecord
from oracles.state import RunState as Known
from oracles.steps import StepResult
from oracles.text import storable

EDITED_BY = ", edited by "
_ACTIONS = {
    ChangeKind.WITHDRAW: Action.POLICY_WITHDRAWN,
    ChangeKind.RESTORE: Action.POLICY_RESTORED,
}


class ChangeError(Exception):
    """The change was not made; the message says why and what can be done.

    ``policy`` is the member that is in the way, to be linked; ``line`` the line of the program
    that is wrong, from 1.
    """

    def __init__(
        self, message: str, *, policy: Policy | None = None, line: int | None = None
    ) -> None:
        super().__init__(message)
        self.policy = policy
        self.line = line


def why_unchangeable(run: Run) -> str | None:
    """Why nobody can change the population of ``run``, in a sentence; None when people can."""
    if run.is_challenge:
        return "This run is a challenge: its opponents are frozen, and it has no population."
    if not run.has_loop:
        return "This run is a baseline that is only evaluated: it has no population to change."
    if run.state not in CHANGEABLE:
        state = run.get_state_display().lower()
        return f"This run is {state}: its population is what it was, and takes no changes."
    return None


def commit(
    *,
    run: Run,
    person: User,
    source: str,
    reason: str,
    name: str = "",
    parent: Policy | None = None,
    origin: str = Origin.EDITED,
    provenance: Mapping[str, Any] | None = None,
) -> Change:
    """Add a program to the population of ``run``; its row is played, and the mixtures know it.

    It takes effect with the next mixture that the run has not asked for yet; when the run has its
    final mixture, that one is solved anew. ``parent`` is what it was edited from; an import needs
    none. Without a ``name`` it gets one that tells who made it of what.

    Raises:
        ChangeError: when the run takes no changes, the program is no policy, or a member has it.
    """
    if origin not in (Origin.EDITED, Origin.IMPORTED):
        raise ValueError(f"a person commits what was edited or imported, not {origin}")
    if origin == Origin.EDITED and parent is None:
        raise ValueError("an edit needs the policy that it was made from")
    reason = _checked_reason(reason)
    _check_run(run)
    program = checked_program(source)
    wanted = _checked_name(name)
    assert program.source is not None
    assert program.sha256 is not None

    def decide(known: Known, before: int | None) -> StepResult:
        _check_new(run, known, program.source or "")
        return changes.commit_result(
            source=program.source or "",
            sha256=program.sha256 or "",
            name=_free_name(known, wanted, person, parent),
            origin=str(origin),
            parent=parent.index if parent is not None and parent.run_id == run.pk else None,
            before=before,
        )

    return _record(
        run,
        person,
        decide,
        kind=ChangeKind.COMMIT,
        reason=reason,
        action=Action.POLICY_IMPORTED if origin == Origin.IMPORTED else Action.POLICY_COMMITTED,
        parent=parent,
        provenance=storable(dict(provenance or {})),
    )


def withdraw(*, policy: Policy, person: User, reason: str) -> Change:
    """Take a member out of the mixtures. Its program and row stay, and it can be restored.

    Raises:
        ChangeError: when the run takes no changes, the policy is approved or withdrawn already, or
            nothing would be left to play.
    """
    return _mark(ChangeKind.WITHDRAW, policy, person, reason)


def restore(*, policy: Policy, person: User, reason: str) -> Change:
    """Let the mixtures play a withdrawn member again.

    Raises:
        ChangeError: when the run takes no changes, or the policy is not withdrawn.
    """
    return _mark(ChangeKind.RESTORE, policy, person, reason)


def _mark(kind: ChangeKind, policy: Policy, person: User, reason: str) -> Change:
    reason = _checked_reason(reason)
    _check_run(policy.run)

    def decide(known: Known, before: int | None) -> StepResult:
        _check_mark(kind, policy, known)
        return changes.standing_result(changes.ChangeKind(kind), policy=policy.index, before=before)

    return _record(
        policy.run,
        person,
        decide,
        kind=kind,
        reason=reason,
        action=_ACTIONS[kind],
        policy=policy,
    )


def _record(
    run: Run,
    person: User,
    decide: Any,
    *,
    kind: ChangeKind,
    reason: str,
    action: Action,
    **columns: Any,
) -> Change:
    def write(number: int, result: StepResult) -> None:
        if "source" in result:
            fingerprints.remember({result["sha256"]: result["source"]})
        if kind == ChangeKind.WITHDRAW:
            withdrawing.send(Change, policy=columns["policy"])
        told = ("source", "sha256", "name", "origin", "before")
        Change.objects.create(
            run=run,
            number=number,
            kind=kind,
            author=person,
            reason=reason,
            **{key: result[key] for key in told if key in result},
            **columns,
        )

    def audit(number: int, result: StepResult) -> None:
        change = Change.objects.get(run=run, number=number)
        detail = {
            "number": number,
            "reason": reason,
            "before_iteration": change.before,
            "policy": change.policy_id,
            "parent": change.parent_id,
            "name": change.name,
            "sha256": change.sha256,
            "exposed": change.provenance.get("exposed"),
        }
        known = {key: value for key, value in detail.items() if value not in ("", None)}
        record(action, actor=person, subject=change, run_id=run.pk, detail=known)

    try:
        number = record_change(run, decide=decide, write=write, audit=audit)
    except NotChangeable as error:
        run.refresh_from_db()
        raise ChangeError(why_unchangeable(run) or f"{run} takes no changes.") from error
    return Change.objects.select_related("run", "author", "policy", "parent").get(
        run=run, number=number
    )


def checked_program(source: str) -> Extraction:
    """The program as it would be committed: as it was typed, checked as a writer's is.

    Raises:
        ChangeError: when it is no policy; ``line`` says where.
    """
    found = judge(source)
    if found.accepted:
        return found
    where = "" if found.line is None else f"line {found.line}: "
    raise ChangeError(f"This is no policy yet: {where}{found.reason}", line=found.line)


def _check_run(run: Run) -> None:
    why = why_unchangeable(run)
    if why is not None:
        raise ChangeError(why)


def _checked_reason(reason: str) -> str:
    found: str = storable(reason.replace("\r\n", "\n").strip())
    if not found:
        raise ChangeError("Say why, in a sentence: whoever looks at this policy later asks that.")
    if len(found) > LONGEST_REASON:
        raise ChangeError(
            f"The reason is too long: {len(found)} characters; at most {LONGEST_REASON}."
        )
    return found


def _checked_name(name: str) -> str:
    found: str = storable(" ".join(name.split()))
    if len(found) > LONGEST_NAME:
        raise ChangeError(f"The name is too long: {len(found)} characters; at most {LONGEST_NAME}.")
    return found


def _free_name(known: Known, wanted: str, person: User, parent: Policy | None) -> str:
    """``wanted`` if it is free; else who made it of what, numbered.

    Raises:
        ChangeError: when another member has the name.
    """
    taken = {one.name for one in known.population} | {one.name for one in known.changes}
    if wanted:
        if wanted in taken:
            raise ChangeError(f"Another policy of this run is named “{wanted}”: choose a new name.")
        return wanted
    by = storable(person.get_username())
    if parent is None:
        stem = f"imported by {by}"
    else:
        stem = parent.name.split(EDITED_BY)[0] + EDITED_BY + by
    stem = stem[: LONGEST_NAME - 8]
    return next(name for n in range(1, len(taken) + 2) if (name := f"{stem} ({n})") not in taken)


def _check_new(run: Run, known: Known, source: str) -> None:
    twin = twin_of(known, source)
    if twin is None:
        return
    if isinstance(twin, PolicyRecord):
        member = Policy.objects.filter(run=run, index=twin.index).first()
        raise ChangeError(
            f"This is the same program as {twin.name} (policy {twin.index}), apart from layout"
            " and comments: there is nothing to commit.",
            policy=member,
        )
    raise ChangeError(
        f"This is the same program as {twin.name}, which change {twin.number} is about to add,"
        " apart from layout and comments: there is nothing to commit."
    )


def _check_mark(kind: ChangeKind, policy: Policy, known: Known) -> None:
    out = withdrawn_in_the_end(known)
    if kind == ChangeKind.RESTORE:
        if policy.index not in out:
            raise ChangeError(f"{policy.name} is not withdrawn: there is nothing to restore.")
        return
    if policy.index in out:
        raise ChangeError(f"{policy.name} is withdrawn already.")
    if len(out) + 1 >= len(known.population):
        raise ChangeError(
            f"{policy.name} is the last policy that mixtures may play: restore or commit another"
            " one first."
        )
