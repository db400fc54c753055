"""Resolves, reopens and confirms threads, at the version somebody looks at.

A decision at a later version than the thread's own is kept for that version and what descends from
it (:mod:`csro_web.reviews.standing`).
"""

from __future__ import annotations

from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from csro_web.accounts.models import Role, User
from csro_web.audit.actions import Action
from csro_web.audit.trail import record
from csro_web.policies.programs import Program, reference
from csro_web.reviews import audience, seen
from csro_web.reviews.errors import ReviewError, Stale
from csro_web.reviews.models import Decided, Decision, InboxKind, State, Thread, of
from csro_web.reviews.publishing import named, policies_from
from csro_web.reviews.selectors import ThreadAt, thread_at
from csro_web.reviews.signals import thread_opened
from csro_web.reviews.standing import Standing

_NOBODY: dict[str, Any] = {
    "resolved_by": None,
    "resolved_at": None,
    "confirmed_by": None,
    "confirmed_at": None,
}


def resolve(*, thread: Thread, program: Program, person: User, mark: str) -> None:
    """Say that the question is answered at ``program`` and what descends from it.

    Where the asker wants to confirm, it waits for them; resolving one's own confirms it.

    Raises:
        ReviewError: when it is resolved already.
        Stale: when somebody replied since the page of ``mark``.
    """
    now = timezone.now()
    own = thread.opened_by_id == person.pk
    fields = {**_NOBODY, "resolved_by": person, "resolved_at": now}
    if own and thread.wants_confirmation:
        fields |= {"confirmed_by": person, "confirmed_at": now}
    with transaction.atomic():
        at = _look(thread, program)
        if at.standing is not Standing.OPEN:
            raise ReviewError(f"{_who(at.decided)} has resolved this thread already.")
        seen.check(mark, program, [at], person.pk)
        _decide(at, program, {"state": State.OPEN}, {"state": State.RESOLVED, **fields})
        if not own:
            waits = thread.wants_confirmation
            kind = InboxKind.CONFIRM if waits else InboxKind.RESOLVED
            audience.tell_asker(thread, program, kind=kind, actor=person)
        _record(Action.THREAD_RESOLVED, thread, program, person)


def reopen(*, thread: Thread, program: Program, person: User) -> None:
    """Open it again at ``program`` and what descends from it; approvals there lapse.

    Raises:
        ReviewError: when it is open.
    """
    with transaction.atomic():
        at = _look(thread, program)
        if at.standing is Standing.OPEN:
            raise ReviewError("This thread is open already.")
        _decide(at, program, {"state": State.RESOLVED}, {"state": State.OPEN, **_NOBODY})
        if thread.opened_by_id != person.pk:
            audience.tell_asker(thread, program, kind=InboxKind.REPLY, actor=person)
        for version in policies_from(program):
            thread_opened.send(Thread, policy=version, person=person)
        _record(Action.THREAD_REOPENED, thread, program, person)


def confirm(*, thread: Thread, program: Program, person: User) -> None:
    """The asker agrees that it is resolved at ``program``; an administrator may in their place.

    Raises:
        ReviewError: when it waits for nobody, or for somebody else.
    """
    if not may_confirm(thread, person):
        raise ReviewError(
            f"Only {thread.opened_by.get_username()}, who asked, or an administrator can confirm "
            "that it is resolved."
        )
    with transaction.atomic():
        at = _look(thread, program)
        if at.standing is not Standing.WAITING:
            raise ReviewError("This thread does not wait for a confirmation any more.")
        before = at.decided
        fields = {
            "state": State.RESOLVED,
            "resolved_by": before.resolved_by,
            "resolved_at": before.resolved_at,
            "confirmed_by": person,
            "confirmed_at": timezone.now(),
        }
        _decide(at, program, {"state": State.RESOLVED, "confirmed_at": None}, fields)
        _record(Action.THREAD_CONFIRMED, thread, program, person)


def may_confirm(thread: Thread, person: User) -> bool:
    return thread.opened_by_id == person.pk or person.role == Role.ADMINISTRATOR


def _look(thread: Thread, program: Program) -> ThreadAt:
    at = thread_at(thread, program)
    if at is None:
        raise ReviewError("The thread does not belong to this version of the program.")
    return at


def _decide(at: ThreadAt, program: Program, before: dict[str, Any], after: dict[str, Any]) -> None:
    """One conditional UPDATE, or the first row at a later version; nobody decides twice."""
    if not at.is_carried:
        changed = Thread.objects.filter(pk=at.thread.pk, **before).update(**after)
    elif isinstance(at.decided, Decision) and at.decided.reference == reference(program):
        changed = Decision.objects.filter(pk=at.decided.pk, **before).update(**after)
    else:
        try:
            with transaction.atomic():
                Decision.objects.create(thread=at.thread, **of(program), **after)
            changed = 1
        except IntegrityError:
            changed = 0
    if not changed:
        raise Stale(["Somebody else decided about this thread at the same moment."])


def _record(action: Action, thread: Thread, program: Program, person: User) -> None:
    record(
        action,
        actor=person,
        subject=thread,
        run_id=program.run_id,
        detail={
            **named(program),
            "sha256": program.sha256,
            "asked_at": thread.policy_id or thread.reference,
        },
    )


def _who(decided: Decided) -> str:
    return decided.resolved_by.get_username() if decided.resolved_by else "Somebody"
