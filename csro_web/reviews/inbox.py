"""A person's inbox, without anything of runs that they may not see any more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from csro_web.accounts.models import User
from csro_web.accounts.ownership import visible
from csro_web.pages.keys import row_number
from csro_web.pages.navigation import counts
from csro_web.policies.programs import HEAVY
from csro_web.reviews.errors import ReviewError
from csro_web.reviews.models import InboxItem, InboxKind, MailChoice, SavedView
from oracles.text import storable

ITEMS_PER_PAGE = 50
MOST_SAVED_VIEWS = 30
SHOWS = ("unread", "read", "all")


@dataclass(frozen=True)
class Filters:
    """What of the inbox is shown; what an address holds beside these is passed over."""

    show: str = "unread"
    """unread, read or all."""
    kind: str = ""
    run: int | None = None
    person: int | None = None

    @classmethod
    def read(cls, given: Mapping[str, str]) -> Filters:
        show, kind = given.get("show", ""), given.get("kind", "")
        return cls(
            show=show if show in SHOWS else "unread",
            kind=kind if kind in InboxKind.values else "",
            run=row_number(given.get("run", "")),
            person=row_number(given.get("person", "")),
        )

    @property
    def query(self) -> str:
        """As it stands in an address, in one order, without what is not set."""
        fields = {"show": self.show, "kind": self.kind, "run": self.run, "person": self.person}
        return urlencode({name: value for name, value in fields.items() if value})


def items_of(person: User) -> QuerySet[InboxItem]:
    """The person's items about runs that they may see now."""
    return visible(InboxItem.objects.filter(person=person), person, "run")


@counts("inbox")
def unread_count(person: User) -> int:
    return items_of(person).filter(read_at__isnull=True).count()


def list_items(person: User, filters: Filters, page_number: str | None) -> Page[InboxItem]:
    """One page of items, newest first. 2 queries."""
    found = items_of(person).select_related(
        "run", "policy", "candidate", "actor", "review", "thread", "comment"
    )
    found = found.defer(
        "policy__source",
        "policy__summary",
        "thread__quote",
        *(f"candidate__{name}" for name in HEAVY),
    )
    if filters.show != "all":
        found = found.filter(read_at__isnull=filters.show == "unread")
    if filters.kind:
        found = found.filter(kind=filters.kind)
    if filters.run is not None:
        found = found.filter(run=filters.run)
    if filters.person is not None:
        found = found.filter(actor=filters.person)
    return Paginator(found, ITEMS_PER_PAGE).get_page(page_number)


def mark(person: User, item_ids: list[int], *, read: bool) -> int:
    """Mark these items of the person's read or unread; how many changed."""
    mine = items_of(person).filter(pk__in=item_ids, read_at__isnull=read)
    return mine.update(read_at=timezone.now() if read else None)


def mark_all_read(person: User, *, newest: int) -> int:
    """Mark read what the page could show: nothing newer than its newest item; how many changed."""
    mine = items_of(person).filter(read_at__isnull=True, pk__lte=newest)
    return mine.update(read_at=timezone.now())


def mark_read_at(person: User, *, threads: list[int], reviews: list[int]) -> None:
    """Whoever opened a review or a thread has seen what an item says about it."""
    unread = items_of(person).filter(read_at__isnull=True)
    now = timezone.now()
    if threads:
        unread.filter(thread__in=threads).update(read_at=now)
    if reviews:
        unread.filter(review__in=reviews, thread__isnull=True).update(read_at=now)


@transaction.atomic
def save_view(person: User, *, name: str, query: str) -> SavedView:
    """Keep filters under a name; the same name again replaces them.

    Raises:
        ReviewError: without a name, or with too many views.
    """
    name = storable(" ".join(name.split()))
    if not 1 <= len(name) <= 60:
        raise ReviewError("Give the view a name of at most 60 characters.")
    known = SavedView.objects.filter(person=person)
    if known.count() >= MOST_SAVED_VIEWS and not known.filter(name=name).exists():
        raise ReviewError(f"There are {MOST_SAVED_VIEWS} views already: remove one first.")
    return SavedView.objects.update_or_create(
        person=person, name=name, defaults={"query": query[:300]}
    )[0]


def remove_view(person: User, view_id: int) -> None:
    SavedView.objects.filter(person=person, pk=view_id).delete()


def wants_letters(person: User) -> bool:
    return not MailChoice.objects.filter(person=person, wanted=False).exists()


def choose_letters(person: User, *, wanted: bool) -> None:
    MailChoice.objects.update_or_create(person=person, defaults={"wanted": wanted})
