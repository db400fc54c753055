"""What a page showed of its threads, so that an answer to an older page can be told.

A form carries a mark: for each thread how many comments of it are published and its standing, and
whether the policy was in the population. Before something is published, the mark is compared with
how things are now. Comments are counted, since their keys do not tell: one that was drafted before
another may be published after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.db.models import Count

from csro_web.pages.keys import row_number
from csro_web.policies.models import Policy
from csro_web.policies.programs import Program
from csro_web.reviews.errors import Stale
from csro_web.reviews.models import Comment
from csro_web.reviews.selectors import ThreadAt
from csro_web.reviews.standing import Standing

LONGEST_MARK = 50_000
Known = Mapping[int, tuple[int, str]]
"""By thread: how many of its comments are published, and its standing."""


def mark(program: Program, threads: Iterable[ThreadAt]) -> str:
    """What a page about these threads shows, as a form field. 1 query."""
    parts = ["w" if is_withdrawn(program) else "m"]
    parts += [f"{pk}:{count}:{state}" for pk, (count, state) in _now(threads).items()]
    return ",".join(parts)


def check(given: str, program: Program, threads: Iterable[ThreadAt], person_id: int) -> None:
    """Compare a form's mark with how things are. 1 query, and 1 for each thread with news.

    Raises:
        Stale: when somebody else replied or decided, or the policy was withdrawn, since then.
    """
    withdrawn, known = _read(given)
    shown = list(threads)
    changes = []
    if is_withdrawn(program) and not withdrawn:
        changes.append("The policy was taken out of its population while you wrote.")
    now = _now(shown)
    for one in shown:
        count, state = now[one.thread.pk]
        seen_count, seen_state = known.get(one.thread.pk, (0, ""))
        if count > seen_count and (writers := _writers(one, count - seen_count, person_id)):
            changes.append(f"{writers} replied meanwhile, at {_where(one)}.")
        if state != seen_state:
            changes.append(_decided(one))
    if changes:
        raise Stale(changes)


def is_withdrawn(program: Program) -> bool:
    """Whether it was taken out of its population; a candidate is in none."""
    return isinstance(program, Policy) and program.withdrawn_by is not None


def _decided(one: ThreadAt) -> str:
    by = one.decided.resolved_by
    if one.standing is Standing.OPEN or by is None:
        return f"The thread at {_where(one)} was opened again meanwhile."
    return f"{by.get_username()} resolved the thread at {_where(one)} meanwhile."


def _where(one: ThreadAt) -> str:
    first, last = one.thread.first_line, one.thread.last_line
    return f"line {first}" if first == last else f"lines {first} to {last}"


def _writers(one: ThreadAt, newest: int, person_id: int) -> str:
    """Who but this person wrote the newest comments, as many as are asked for."""
    published = Comment.objects.filter(thread=one.thread, review__published_at__isnull=False)
    latest = published.select_related("author").order_by("-created_at", "-pk")[:newest]
    names = {each.author.get_username() for each in latest if each.author_id != person_id}
    return " and ".join(sorted(names))


def _now(threads: Iterable[ThreadAt]) -> dict[int, tuple[int, str]]:
    shown = {one.thread.pk: str(one.standing) for one in threads}
    counted = (
        Comment.objects.filter(thread__in=shown, review__published_at__isnull=False)
        .order_by()
        .values_list("thread")
        .annotate(Count("pk"))
    )
    counts = dict(counted)
    return {pk: (counts.get(pk, 0), state) for pk, state in shown.items()}


def _read(given: str) -> tuple[bool, Known]:
    """A mark as a form sent it; what is not one tells nothing, so everything counts as news."""
    head, *parts = given[:LONGEST_MARK].split(",")
    known: dict[int, tuple[int, str]] = {}
    for part in parts:
        thread, count, state = [*part.split(":"), "", "", ""][:3]
        if (key := row_number(thread)) is not None and (seen := row_number(count)) is not None:
            known[key] = (seen, state)
    return head == "w", known
