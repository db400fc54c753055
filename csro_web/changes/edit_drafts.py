"""Keeping what people type. A save never replaces a text that its page did not know of."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from csro_web.accounts.models import User
from csro_web.changes.edit_models import EditDraft, SetAside
from csro_web.policies.models import Policy
from oracles.candidate import MAX_ANSWER_CHARACTERS
from oracles.text import storable

MOST_SET_ASIDE = 20


class DraftError(Exception):
    """The text was not saved; the message says why and what to do."""


class StaleDraft(DraftError):
    """Another page of the same person saved meanwhile; this page's text was set aside."""

    def __init__(self, draft: EditDraft) -> None:
        super().__init__(
            "Another page of yours has saved a newer draft of this policy. Both texts are kept:"
            " that draft, and beside it what you typed here."
        )
        self.draft = draft


@dataclass(frozen=True)
class Typed:
    """The text of a page.

    ``version`` is that of the draft the page began with or has saved (0: there was none), ``tab``
    the page's own name, ``order`` rises with every save of that page (0: a page without scripts).
    """

    text: str
    version: int = 0
    tab: str = ""
    order: int = 0


def save(*, policy: Policy, person: User, typed: Typed) -> EditDraft:
    """Keep the text as the person's draft, or set it aside beside a newer one.

    A text of the same page that is older than what was saved changes nothing.

    Raises:
        StaleDraft: when another page saved since; both texts are kept.
        DraftError: when the text is too long to be kept.
    """
    _check_length(typed.text)
    text = storable(typed.text)
    with transaction.atomic():
        draft, made = EditDraft.objects.get_or_create(
            policy=policy,
            person=person,
            defaults={
                "text": text,
                "version": typed.version + 1,
                "tab": typed.tab[:40],
                "tab_order": typed.order,
            },
        )
        stale = False if made else not _replace(draft, typed, text)
        if not stale:
            draft.set_aside.filter(tab=typed.tab[:40]).delete()
        else:
            set_aside(draft, tab=typed.tab, text=text)
    draft.refresh_from_db()
    if stale:
        raise StaleDraft(draft)
    return draft


def _replace(draft: EditDraft, typed: Typed, text: str) -> bool:
    """One conditional UPDATE decides; False when the text belongs beside the draft."""
    known = Q(version=typed.version)
    if typed.order and typed.tab:
        known |= Q(tab=typed.tab[:40], tab_order__lt=typed.order)
    fits = EditDraft.objects.filter(known, pk=draft.pk)
    if fits.update(
        text=text,
        version=F("version") + 1,
        tab=typed.tab[:40],
        tab_order=typed.order,
        updated_at=timezone.now(),
    ):
        return True
    draft.refresh_from_db()
    came_late = typed.order and draft.tab == typed.tab[:40]
    return bool(came_late) or draft.text == text


def set_aside(draft: EditDraft, *, tab: str, text: str) -> None:
    """Keep ``text`` beside the draft, in the place of what the same page had there."""
    SetAside.objects.update_or_create(
        draft=draft, tab=tab[:40], defaults={"text": text, "updated_at": timezone.now()}
    )
    surplus = list(draft.set_aside.values_list("pk", flat=True)[MOST_SET_ASIDE:])
    SetAside.objects.filter(pk__in=surplus).delete()


def take_up(*, draft: EditDraft, aside_id: int, typed: Typed) -> EditDraft:
    """Make a text that was set aside the draft; what was the draft takes its place beside it.

    What the page holds is saved first, so that nothing typed there is lost.

    Raises:
        DraftError: when that text is gone, or the page's own could not be saved.
    """
    draft = save(policy=draft.policy, person=draft.person, typed=typed)
    with transaction.atomic():
        chosen = draft.set_aside.filter(pk=aside_id).first()
        if chosen is None:
            raise DraftError("That text is not there any more: another page took it up.")
        moved = EditDraft.objects.filter(pk=draft.pk, version=draft.version).update(
            text=chosen.text,
            version=F("version") + 1,
            tab="",
            tab_order=0,
            updated_at=timezone.now(),
        )
        if not moved:
            raise StaleDraft(draft)
        before = draft.text
        chosen.delete()
        set_aside(draft, tab=f"draft {draft.version}", text=before)
    draft.refresh_from_db()
    return draft


def discard(*, policy: Policy, person: User, version: int) -> bool:
    """Drop the draft and what lies beside it; False when it has changed since ``version``."""
    gone, _ = EditDraft.objects.filter(policy=policy, person=person, version=version).delete()
    return bool(gone)


def draft_of(policy: Policy, person: User) -> EditDraft | None:
    return EditDraft.objects.filter(policy=policy, person=person).first()


def others_at_work(policy: Policy, person: User) -> list[EditDraft]:
    """Drafts of other people that differ from the policy, newest first. 1 query."""
    others = EditDraft.objects.filter(policy=policy).exclude(person=person)
    return list(others.exclude(text=policy.source).select_related("person").defer("text")[:20])


def _check_length(text: str) -> None:
    if len(text) > MAX_ANSWER_CHARACTERS:
        raise DraftError(
            f"The text is too long to be kept: {len(text):,} characters,"
            f" at most {MAX_ANSWER_CHARACTERS:,}. Copy it elsewhere, then shorten it."
        )
