"""Threads as pages show them: where they stand now, with their comments and the reader's drafts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Q
from django.http import HttpRequest
from django.template.loader import get_template
from django.utils.safestring import SafeString, mark_safe

from csro_web.accounts.models import User
from csro_web.policies.models import Candidate, Policy
from csro_web.policies.programs import Program, Reference, reference
from csro_web.reviews import boxes, resolving, seen
from csro_web.reviews.anchors import Fit, Lines, Place, carry
from csro_web.reviews.boxes import Box
from csro_web.reviews.lineage import at as rows_at
from csro_web.reviews.models import Comment, Review, Side, Thread, of
from csro_web.reviews.selectors import ThreadAt, threads_of
from csro_web.reviews.standing import Standing


@dataclass(frozen=True)
class ShownThread:
    at: ThreadAt
    program: Program
    place: Place
    comments: Sequence[Comment]
    seen: str
    draft: Box | None
    """The reader's own reply, if one is kept."""
    may_confirm: bool

    @property
    def thread(self) -> Thread:
        return self.at.thread

    @property
    def standing(self) -> Standing:
        return self.at.standing

    @property
    def is_detached(self) -> bool:
        return self.place.fit is Fit.DETACHED

    @property
    def where(self) -> str:
        """Which lines it is about, as a heading."""
        lines = self.place.lines or Lines(self.thread.first_line, self.thread.last_line)
        words = f"Line {lines.first}"
        if lines.last > lines.first:
            words = f"Lines {lines.first} to {lines.last}"
        return words


@dataclass(frozen=True)
class Reading:
    """What one reader sees of a program's threads."""

    program: Program
    threads: Sequence[ShownThread]
    drafts: Sequence[Comment]
    """The reader's unpublished threads."""
    replies: int
    """The reader's unpublished replies."""
    review: Review | None
    """The reader's draft review."""

    @property
    def detached(self) -> list[ShownThread]:
        return [one for one in self.threads if one.is_detached]

    @property
    def open_count(self) -> int:
        return sum(one.standing.is_open for one in self.threads)

    @property
    def draft_count(self) -> int:
        return len(self.drafts) + self.replies


def reading(program: Program, person: User) -> Reading:
    """The threads at a program for one reader. At most 10 queries, however many there are."""
    threads = threads_of(program)
    sources = sources_of(threads, {reference(program): program.source})
    comments = _comments(program, threads, person)
    mark = _marks(program, threads)
    shown = [
        ShownThread(
            at=one,
            program=program,
            place=place_of(one, sources),
            comments=[c for c in comments[one.thread.pk] if not c.review.is_draft],
            seen=mark[one.thread.pk],
            draft=_reply_draft(one, program, comments[one.thread.pk], mark[one.thread.pk]),
            may_confirm=resolving.may_confirm(one.thread, person),
        )
        for one in threads
    ]
    shown.sort(key=_by_place)
    review = Review.objects.filter(**of(program), author=person, published_at__isnull=True).first()
    mine = Comment.objects.filter(review=review, thread__review=review)
    drafts = list(mine.select_related("thread", "review")) if review else []
    return Reading(
        program=program,
        threads=shown,
        drafts=drafts,
        replies=sum(one.draft is not None for one in shown),
        review=review,
    )


def place_of(one: ThreadAt, sources: Mapping[Reference, str]) -> Place:
    """Where the thread's lines stand at the version it is seen at."""
    lines = Lines(one.thread.first_line, one.thread.last_line)
    return carry(lines, [sources[version] for version in way_of(one)])


def way_of(one: ThreadAt) -> list[Reference]:
    """The versions that its lines are carried along, from its own to the one it is seen at: the
    policies on the way, without the many candidates between them."""
    since = one.line[: one.line.index(one.thread.reference) + 1]
    ends = (since[0], since[-1])
    return [one for one in reversed(since) if one in ends or not one.startswith("c")]


def _by_place(one: ShownThread) -> tuple[int, int]:
    return (one.place.lines.last if one.place.lines else 0, one.thread.pk)


def sources_of(threads: Iterable[ThreadAt], known: Mapping[Reference, str]) -> dict[Reference, str]:
    """The programs that threads are carried along, beside the known ones. At most 2 queries."""
    found = dict(known)
    needed = {version for one in threads for version in way_of(one)} - set(found)
    for kind, prefix in ((Policy, ""), (Candidate, "c")):
        keys = [int(one[len(prefix) :]) for one in needed if one.startswith("c") == bool(prefix)]
        if keys:
            rows = kind.objects.filter(pk__in=keys).values_list("pk", "source")
            found.update({f"{prefix}{pk}": source for pk, source in rows})
    return found


def _comments(
    program: Program, threads: Sequence[ThreadAt], person: User
) -> dict[int, list[Comment]]:
    """Published ones, and the reader's own drafts on this page. 1 query."""
    found: dict[int, list[Comment]] = defaultdict(list)
    mine = Q(**{f"review__{kind}": one for kind, one in of(program).items()}, author=person)
    wanted = Comment.objects.filter(thread__in=[one.thread.pk for one in threads])
    wanted = wanted.filter(Q(review__published_at__isnull=False) | mine)
    for comment in wanted.select_related("author", "review"):
        found[comment.thread_id].append(comment)
    return found


def _marks(program: Program, threads: Sequence[ThreadAt]) -> dict[int, str]:
    """For each thread, what its forms send back to tell an older page. 1 query."""
    head, *parts = seen.mark(program, threads).split(",")
    return {int(part.split(":")[0]): f"{head},{part}" for part in parts}


def _reply_draft(
    one: ThreadAt, program: Program, comments: Sequence[Comment], mark: str
) -> Box | None:
    for comment in comments:
        if comment.review.is_draft:
            return boxes.for_reply(one.thread, program, seen=mark, draft=comment)
    return None


def beside(request: HttpRequest, shown: Reading, letter: str, **more: Any) -> dict[str, SafeString]:
    """The HTML of what stands under each line (``csro_web.policies.templatetags.code_rows``)."""
    parts: dict[str, list[str]] = defaultdict(list)
    thread = get_template("reviews/thread.html")
    box = get_template("reviews/box.html")
    for one in shown.threads:
        if one.place.lines is not None:
            context = {"one": one, "letter": letter, **more}
            parts[f"{letter}{one.place.lines.last}"].append(thread.render(context, request))
    for draft in shown.drafts:
        context = {"box": boxes.for_draft_thread(draft, shown.program), **more}
        parts[f"{letter}{draft.thread.last_line}"].append(box.render(context, request))
    return {key: mark_safe("".join(found)) for key, found in parts.items()}  # noqa: S308


def on_page(request: HttpRequest, program: Program) -> dict[str, Any]:
    """What the page of a program adds to its context."""
    if not program.source:
        return {}
    found = reading(program, request.user)
    return {
        "reading": found,
        "beside": beside(request, found, "L"),
        "detached": found.detached,
        "new_boxes": [("L", boxes.for_new_thread(program))],
        "threads_shown": found.threads,
        "published_keys": published_keys(request.user, [program]),
    }


def on_diff_page(request: HttpRequest, left: Program, right: Program) -> dict[str, Any]:
    """What the page of a comparison adds; a thread that both sides have is shown at the newer."""
    if not (left.source and right.source) or left == right:
        return {}
    new = reading(right, request.user)
    old = reading(left, request.user)
    carried = {one.thread.pk for one in new.threads if not one.is_detached}
    only_old = replace(old, threads=[one for one in old.threads if one.thread.pk not in carried])
    shown = {one.thread.pk for one in only_old.threads if not one.is_detached} | carried
    lost = [one for one in [*new.detached, *old.detached] if one.thread.pk not in shown]
    return {
        "reading": new,
        "beside": beside(request, only_old, "A") | beside(request, new, "B"),
        "detached": lost,
        "new_boxes": [
            ("A", boxes.for_new_thread(left, side=Side.OLD, other=right)),
            ("B", boxes.for_new_thread(right, side=Side.NEW, other=left)),
        ],
        "threads_shown": [*only_old.threads, *new.threads],
        "published_keys": published_keys(request.user, [left, right]),
    }


def published_keys(person: User, programs: Iterable[Program]) -> str:
    """Boxes of this reader that are published: the browser need not keep their text. 1 query."""
    reviews = Review.objects.filter(rows_at(map(reference, programs)), author=person)
    newest = Comment.objects.filter(
        author=person, review__in=reviews.filter(published_at__isnull=False).order_by()
    ).order_by("-pk")
    return " ".join(str(key) for key in newest.values_list("key", flat=True)[:100])
