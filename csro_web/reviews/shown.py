"""Threads as pages show them: where they stand now, with their comments and the reader's drafts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q
from django.http import HttpRequest
from django.template.loader import get_template
from django.utils.safestring import SafeString, mark_safe

from csro_web.accounts.models import User
from csro_web.policies.models import Policy
from csro_web.reviews import boxes, resolving, seen
from csro_web.reviews.anchors import Fit, Lines, Place, carry
from csro_web.reviews.boxes import Box
from csro_web.reviews.models import Comment, Review, Side, Thread
from csro_web.reviews.selectors import ThreadAt, threads_of
from csro_web.reviews.standing import Standing


@dataclass(frozen=True)
class ShownThread:
    at: ThreadAt
    policy: Policy
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
    """What one reader sees of a policy's threads."""

    policy: Policy
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


def reading(policy: Policy, person: User) -> Reading:
    """The threads at a policy for one reader. 9 queries, however many there are."""
    threads = threads_of(policy)
    sources = _sources(policy, threads)
    comments = _comments(policy, threads, person)
    mark = _marks(policy, threads)
    shown = [
        ShownThread(
            at=one,
            policy=policy,
            place=place_of(one, sources),
            comments=[c for c in comments[one.thread.pk] if not c.review.is_draft],
            seen=mark[one.thread.pk],
            draft=_reply_draft(one, policy, comments[one.thread.pk], mark[one.thread.pk]),
            may_confirm=resolving.may_confirm(one.thread, person),
        )
        for one in threads
    ]
    shown.sort(key=_by_place)
    drafts = list(
        Comment.objects.filter(
            author=person,
            review__policy=policy,
            review__published_at__isnull=True,
            thread__review__published_at__isnull=True,
        ).select_related("thread", "review")
    )
    return Reading(
        policy=policy,
        threads=shown,
        drafts=drafts,
        replies=sum(one.draft is not None for one in shown),
        review=Review.objects.filter(
            policy=policy, author=person, published_at__isnull=True
        ).first(),
    )


def place_of(one: ThreadAt, sources: Mapping[int, str]) -> Place:
    """Where the thread's lines stand at the version it is seen at."""
    lines = Lines(one.thread.first_line, one.thread.last_line)
    since = one.line[: one.line.index(one.thread.policy_id) + 1]
    return carry(lines, [sources[version] for version in reversed(since)])


def _by_place(one: ShownThread) -> tuple[int, int]:
    return (one.place.lines.last if one.place.lines else 0, one.thread.pk)


def _sources(policy: Policy, threads: Sequence[ThreadAt]) -> dict[int, str]:
    """The programs that threads are carried along. At most 1 query."""
    needed = {policy.pk: policy.source}
    carried = {version for one in threads if one.is_carried for version in one.line}
    if carried - set(needed):
        needed.update(Policy.objects.filter(pk__in=carried).values_list("pk", "source"))
    return needed


def _comments(
    policy: Policy, threads: Sequence[ThreadAt], person: User
) -> dict[int, list[Comment]]:
    """Published ones, and the reader's own drafts on this page. 1 query."""
    found: dict[int, list[Comment]] = defaultdict(list)
    mine = Q(author=person, review__policy=policy)
    wanted = Comment.objects.filter(thread__in=[one.thread.pk for one in threads])
    wanted = wanted.filter(Q(review__published_at__isnull=False) | mine)
    for comment in wanted.select_related("author", "review"):
        found[comment.thread_id].append(comment)
    return found


def _marks(policy: Policy, threads: Sequence[ThreadAt]) -> dict[int, str]:
    """For each thread, what its forms send back to tell an older page. 1 query."""
    head, *parts = seen.mark(policy, threads).split(",")
    return {int(part.split(":")[0]): f"{head},{part}" for part in parts}


def _reply_draft(
    one: ThreadAt, policy: Policy, comments: Sequence[Comment], mark: str
) -> Box | None:
    for comment in comments:
        if comment.review.is_draft:
            return boxes.for_reply(one.thread, policy, seen=mark, draft=comment)
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
        context = {"box": boxes.for_draft_thread(draft, shown.policy), **more}
        parts[f"{letter}{draft.thread.last_line}"].append(box.render(context, request))
    return {key: mark_safe("".join(found)) for key, found in parts.items()}  # noqa: S308


def on_policy_page(request: HttpRequest, policy: Policy) -> dict[str, Any]:
    """What the page of a policy adds to its context."""
    if not policy.source:
        return {}
    found = reading(policy, request.user)
    return {
        "reading": found,
        "beside": beside(request, found, "L"),
        "detached": found.detached,
        "new_boxes": [("L", boxes.for_new_thread(policy))],
        "threads_shown": found.threads,
        "published_keys": published_keys(request.user, [policy]),
    }


def on_diff_page(request: HttpRequest, left: Policy, right: Policy) -> dict[str, Any]:
    """What the page of a comparison adds; a thread that both sides have is shown at the newer."""
    if not (left.source and right.source) or left.pk == right.pk:
        return {}
    new = reading(right, request.user)
    old = reading(left, request.user)
    carried = {one.thread.pk for one in new.threads if not one.is_detached}
    only_old = Reading(
        policy=left,
        threads=[one for one in old.threads if one.thread.pk not in carried],
        drafts=old.drafts,
        replies=old.replies,
        review=old.review,
    )
    shown = {one.thread.pk for one in only_old.threads if not one.is_detached} | carried
    lost = [one for one in [*new.detached, *old.detached] if one.thread.pk not in shown]
    return {
        "reading": new,
        "beside": beside(request, only_old, "A") | beside(request, new, "B"),
        "detached": lost,
        "new_boxes": [
            ("A", boxes.for_new_thread(left, side=Side.OLD, other=right.pk)),
            ("B", boxes.for_new_thread(right, side=Side.NEW, other=left.pk)),
        ],
        "threads_shown": [*only_old.threads, *new.threads],
        "published_keys": published_keys(request.user, [left, right]),
    }


def published_keys(person: User, policies: Iterable[Policy]) -> str:
    """Boxes of this reader that are published: the browser need not keep their text. 1 query."""
    newest = Comment.objects.filter(
        author=person, review__policy__in=list(policies), review__published_at__isnull=False
    ).order_by("-pk")
    return " ".join(str(key) for key in newest.values_list("key", flat=True)[:100])
