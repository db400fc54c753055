"""What a page showed of its threads, so that an answer to an older page can be told.

A form carries a mark: for each thread its newest published comment and its standing, and whether
the policy was in the population. Before something is published, the mark is compared with how
things are now.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.db.models import Max

from csro_web.policies.models import Policy
from csro_web.reviews.errors import Stale
from csro_web.reviews.models import Comment
from csro_web.reviews.selectors import ThreadAt
from csro_web.reviews.standing import Standing

LONGEST_MARK = 50_000
Known = Mapping[int, tuple[int, str]]
"""By thread: its newest published comment, and its standing."""


def mark(policy: Policy, threads: Iterable[ThreadAt]) -> str:
    """What a page about these threads shows, as a form field. 1 query."""
    parts = ["w" if policy.withdrawn_by else "m"]
    parts += [f"{pk}:{newest}:{state}" for pk, (newest, state) in _now(threads).items()]
    return ",".join(parts)


def check(given: str, policy: Policy, threads: Iterable[ThreadAt], person_id: int) -> None:
    """Compare a form's mark with how things are. At most 2 queries.

    Raises:
        Stale: when somebody else replied or decided, or the policy was withdrawn, since then.
    """
    withdrawn, known = _read(given)
    shown = list(threads)
    changes = []
    if policy.withdrawn_by and not withdrawn:
        changes.append("The policy was taken out of its population while you wrote.")
    now = _now(shown)
    for one in shown:
        newest, state = now[one.thread.pk]
        seen_newest, seen_state = known.get(one.thread.pk, (0, ""))
        others = Comment.objects.filter(
            thread=one.thread, review__published_at__isnull=False, pk__gt=seen_newest
        ).exclude(author=person_id)
        if newest > seen_newest and (writers := _names(others)):
            changes.append(f"{writers} replied meanwhile, at {_where(one)}.")
        if state != seen_state:
            changes.append(_decided(one))
    if changes:
        raise Stale(changes)


def _decided(one: ThreadAt) -> str:
    by = one.decided.resolved_by
    if one.standing is Standing.OPEN or by is None:
        return f"The thread at {_where(one)} was opened again meanwhile."
    return f"{by.get_username()} resolved the thread at {_where(one)} meanwhile."


def _where(one: ThreadAt) -> str:
    first, last = one.thread.first_line, one.thread.last_line
    return f"line {first}" if first == last else f"lines {first} to {last}"


def _names(comments: Iterable[Comment]) -> str:
    names = sorted({comment.author.get_username() for comment in comments})
    return " and ".join(names)


def _now(threads: Iterable[ThreadAt]) -> dict[int, tuple[int, str]]:
    shown = {one.thread.pk: str(one.standing) for one in threads}
    newest = (
        Comment.objects.filter(thread__in=shown, review__published_at__isnull=False)
        .order_by()
        .values_list("thread")
        .annotate(newest=Max("pk"))
    )
    latest = dict(newest)
    return {pk: (latest.get(pk, 0), state) for pk, state in shown.items()}


def _read(given: str) -> tuple[bool, Known]:
    """A mark as a form sent it; what is not one tells nothing, so everything counts as news."""
    head, *parts = given[:LONGEST_MARK].split(",")
    known: dict[int, tuple[int, str]] = {}
    for part in parts:
        pieces = part.split(":")
        if len(pieces) == 3 and pieces[0].isdecimal() and pieces[1].isdecimal():
            known[int(pieces[0])] = (int(pieces[1]), pieces[2])
    return head == "w", known
