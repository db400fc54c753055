"""The order in which policies are worth a reviewer's time, and what is known of each.

First those whose weight in the newest mixture may be largest: the upper end of its interval, since
a policy that may be played often matters whether or not it turns out to be. A policy whose range is
not known comes before all others. What is decided, as approved or rejected, waits for nobody and
comes after all that does. Withdrawn policies, reference bots and black boxes are not in the
queue; they are counted, so that nobody thinks they were looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import Case, Count, F, IntegerField, Q, QuerySet, When
from django.db.models.functions import Coalesce

from csro_web.accounts.models import User
from csro_web.accounts.ownership import Somebody, visible
from csro_web.approvals.selectors import standings
from csro_web.approvals.states import State
from csro_web.changes.models import Change, ChangeKind
from csro_web.pages.keys import row_number, wanted_text
from csro_web.policies.models import UNKNOWN_URGENCY, Origin, Policy
from csro_web.reviews.models import Review, Thread
from csro_web.reviews.selectors import open_thread_counts

PER_PAGE = 50
_DECIDED = Q(standing__state=State.REJECTED) | Q(
    standing__state=State.APPROVED, standing__approval__sha256=F("sha256")
)
"""Opening a thread, asking for changes or another content takes a policy out of it."""
_READABLE = Q(withdrawn_by__isnull=True) & ~Q(origin__in=[Origin.BOT, Origin.TRAINED])


@dataclass(frozen=True)
class QueueFilter:
    """What the queue is narrowed to. ``mine``: what the person wrote, edited or reviewed."""

    game: str = ""
    run: int | None = None
    state: str = ""
    mine: bool = False

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> QueueFilter:
        """Out of a query string; what is unknown narrows nothing, so no link breaks the page."""
        state = query.get("state", "")
        return cls(
            game=wanted_text(query.get("game", ""), 40),
            run=row_number(query.get("run", "")),
            state=state if state in State.values else "",
            mine=query.get("mine") == "1",
        )

    def apply(self, policies: QuerySet[Policy], person: User) -> QuerySet[Policy]:
        if self.game:
            policies = policies.filter(run__game=self.game)
        if self.run is not None:
            policies = policies.filter(run=self.run)
        if self.state:
            policies = policies.filter(_in_state(self.state))
        return policies.filter(_of(person)) if self.mine else policies


def _in_state(state: str) -> Q:
    """A policy without a row has never left the first state."""
    found = Q(standing__state=state)
    return found | Q(standing__isnull=True) if state == State.UNREVIEWED else found


def _of(person: User) -> Q:
    wrote = Change.objects.filter(author=person, policy__isnull=False, kind=ChangeKind.COMMIT)
    reviewed = Review.objects.filter(author=person)
    asked = Thread.objects.filter(opened_by=person)
    parts = [Q(pk__in=rows.order_by().values("policy")) for rows in (wrote, reviewed, asked)]
    return parts[0] | parts[1] | parts[2]


@dataclass(frozen=True)
class Row:
    """A policy of the queue; ``author`` is who or what wrote it, as far as that is known."""

    policy: Policy
    state: State
    open_threads: int
    author: str


@dataclass(frozen=True)
class LeftOut:
    """Policies of the runs a person sees that are in no queue."""

    bots: int
    black_boxes: int
    withdrawn: int


def queue(user: Somebody) -> QuerySet[Policy]:
    """Every policy that ``user`` may review, the most urgent first."""
    policies = visible(Policy.objects.filter(_READABLE), user).annotate(
        known_weight=Coalesce(F("weight"), UNKNOWN_URGENCY),
        decided=Case(When(_DECIDED, then=1), default=0, output_field=IntegerField()),
    )
    return policies.order_by("decided", "-urgency", "-known_weight", "-pk")


def one_page(
    narrow: QueueFilter, user: User, page_number: str | None
) -> tuple[Page[Policy], list[Row]]:
    """A page of the queue with what is known of its policies. At most 14 queries."""
    found = narrow.apply(queue(user), user).select_related("run", "candidate")
    found = found.defer(
        "source", "summary", "run__config", "run__held_out", "candidate__source",
        "candidate__messages", "candidate__completion", "candidate__feedback",
        "candidate__per_opponent", "candidate__tracebacks",
    )  # fmt: skip
    page = Paginator(found, PER_PAGE).get_page(page_number)
    policies = list(page)
    states = standings(policies)
    threads = open_thread_counts([policy.pk for policy in policies])
    authors = _authors(policies)
    rows = [
        Row(policy, states[policy.pk], threads[policy.pk], authors.get(policy.pk, ""))
        for policy in policies
    ]
    return page, rows


def _authors(policies: Sequence[Policy]) -> dict[int, str]:
    """Who or what wrote each: the person who committed it, else the model. 1 query."""
    found = {one.pk: one.candidate.model for one in policies if one.candidate}
    commits = Change.objects.filter(policy__in=[one.pk for one in policies], kind=ChangeKind.COMMIT)
    found.update(dict(commits.values_list("policy", "author__username")))
    return found


def left_out(narrow: QueueFilter, user: User) -> LeftOut:
    """What the queue does not hold although it fits the filter for games and runs. 1 query."""
    fitting = QueueFilter(game=narrow.game, run=narrow.run)
    policies = fitting.apply(visible(Policy.objects.order_by(), user), user)
    counted = policies.aggregate(
        bots=Count("pk", filter=Q(origin=Origin.BOT)),
        black_boxes=Count("pk", filter=Q(origin=Origin.TRAINED)),
        withdrawn=Count(
            "pk",
            filter=Q(withdrawn_by__isnull=False) & ~Q(origin__in=[Origin.BOT, Origin.TRAINED]),
        ),
    )
    return LeftOut(**counted)


def neighbours(policy: Policy, user: Somebody) -> tuple[Policy | None, Policy | None]:
    """The policy before and the one after it in the whole queue. 3 queries."""
    weight = UNKNOWN_URGENCY if policy.weight is None else policy.weight
    decided = int(Policy.objects.filter(_DECIDED, pk=policy.pk).exists())
    after = Q(decided__gt=decided) | Q(decided=decided) & _beyond(
        "lt", policy.urgency, weight, policy.pk
    )
    before = Q(decided__lt=decided) | Q(decided=decided) & _beyond(
        "gt", policy.urgency, weight, policy.pk
    )
    rows = queue(user).only("pk", "name", "run_id")
    previous = rows.filter(before).order_by("-decided", "urgency", "known_weight", "pk").first()
    return previous, rows.filter(after).first()


def _beyond(comparison: str, urgency: float, weight: float, key: int) -> Q:
    """Places before (``gt``) or after (``lt``) a policy's own among the decided, or the others."""
    return (
        Q(**{f"urgency__{comparison}": urgency})
        | Q(urgency=urgency, **{f"known_weight__{comparison}": weight})
        | Q(urgency=urgency, known_weight=weight, **{f"pk__{comparison}": key})
    )
