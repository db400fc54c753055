"""What stands at the top of every page: one table, narrowed to what the person may open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.urls import NoReverseMatch, reverse

from csro_web.accounts.models import User


@dataclass(frozen=True)
class Entry:
    """A link. ``pages`` are the names of the addresses on which it is the current one."""

    url_name: str
    label: str
    right: str
    pages: frozenset[str] = frozenset()


MAIN = (
    Entry("runs", "Runs", "runs.view"),
    Entry("run-new", "Launch", "runs.launch"),
    Entry("reviews", "Review", "reviews.view"),
    Entry("inbox", "Inbox", "reviews.view"),
    Entry("search", "Search", "policies.view"),
)
MORE = (
    Entry("results", "Results", "runs.view"),
    Entry("requests", "Requests", "requests.answer", frozenset({"request"})),
    Entry("approvals", "Approvals", "approvals.view"),
    Entry("exports", "Exports", "exports.view", frozenset({"export"})),
    Entry("audit", "Audit trail", "audit.view"),
    Entry("people", "People", "people.manage", frozenset({"person"})),
    Entry("teams", "Teams", "people.manage", frozenset({"team"})),
    Entry("account", "My account", "account.own"),
)


@dataclass(frozen=True)
class Link:
    label: str
    url: str
    current: bool
    count: int | None
    """What waits there for this person; None where nothing is counted."""


Count = Callable[[User], int]
_counts: dict[str, Count] = {}


def counts(url_name: str) -> Callable[[Count], Count]:
    """Make the decorated function say how much waits behind an entry."""

    def register(count: Count) -> Count:
        _counts[url_name] = count
        return count

    return register


def links(entries: tuple[Entry, ...], user: User, here: str) -> list[Link]:
    """The entries that this person may open."""
    found = []
    for entry in entries:
        if not user.has_perm(entry.right):
            continue
        try:
            url = reverse(entry.url_name)
        except NoReverseMatch:
            continue
        current = here == entry.url_name or here in entry.pages
        counted = _counts.get(entry.url_name)
        found.append(Link(entry.label, url, current, counted(user) if counted else None))
    return found
