"""What goes into an export, what stays out, and why: decided anew each time."""

from __future__ import annotations

from dataclasses import dataclass

from csro_web.approvals import selectors as approvals
from csro_web.approvals.states import State
from csro_web.exports.models import ExportKind
from csro_web.policies.models import Origin, Policy
from csro_web.runs.models import Cell, Run


class ExportRefused(Exception):
    """There is nothing to be exported; the message says what is missing and what to do."""


@dataclass(frozen=True)
class Place:
    """A member of the population and what an export does with it."""

    policy: Policy
    state: State
    approved: bool
    """Approved in its stored content, and not withdrawn."""
    why_not: str
    """Why it stays out, in words that follow "left out: "; empty when it is included."""

    @property
    def included(self) -> bool:
        return not self.why_not

    @property
    def active(self) -> bool:
        """Whether mixtures may play it."""
        return self.policy.withdrawn_by is None


@dataclass(frozen=True)
class Choice:
    """The population of a run, in order, with what an export would do with each member."""

    run: Run
    policy: Policy | None
    draft: bool
    places: tuple[Place, ...]
    unplayed: tuple[int, ...]
    """Indices of active members whose row of the payoff matrix is not complete."""

    @property
    def included(self) -> list[Place]:
        return [place for place in self.places if place.included]

    @property
    def left_out(self) -> list[Place]:
        """Those that the full mixture may play and the exported one may not."""
        return [place for place in self.places if place.active and not place.included]

    @property
    def is_solvable(self) -> bool:
        return not self.unplayed and any(place.active for place in self.places)


def choose(run: Run, *, kind: str, policy: Policy | None, draft: bool) -> Choice:
    """What an export of this kind would hold now; it may be nothing. 5 queries."""
    members = list(Policy.objects.filter(run=run).order_by("index"))
    genuine = {one.pk for one in approvals.approved(run)}
    states = approvals.standings(members)
    wanted = policy.pk if kind == ExportKind.POLICY and policy is not None else None
    places = tuple(
        _place(member, states[member.pk], member.pk in genuine, wanted=wanted, draft=draft)
        for member in members
    )
    return Choice(run, policy, draft, places, _unplayed(run, members))


def require(choice: Choice) -> None:
    """Raises ExportRefused when nothing would be in the export, or its figures cannot be had."""
    run, policy = choice.run, choice.policy
    if not choice.included:
        if policy is not None:
            (place,) = [one for one in choice.places if one.policy.pk == policy.pk]
            raise ExportRefused(f"policy {policy.pk} stays out: {place.why_not}{_way(choice)}")
        raise ExportRefused(f"no policy of {_named(run)} {_missing(choice)}{_way(choice)}")
    if policy is None and run.is_revised:
        raise ExportRefused(
            f"a change of {_named(run)} is being played, so its mixture is about to be another: "
            "wait until that is over, or export one policy"
        )
    if policy is None and not run.has_ended:
        raise ExportRefused(
            f"{_named(run)} still goes on, so its mixture is not final: wait for its end or cancel "
            "it, or export one policy"
        )
    if policy is None and choice.unplayed:
        rows = ", ".join(str(index) for index in choice.unplayed[:10])
        raise ExportRefused(
            f"the payoff matrix of {_named(run)} is not complete (rows {rows}), so no mixture can "
            "be solved: export one policy, or withdraw those that were not played"
        )


def _place(
    policy: Policy, state: State, approved: bool, *, wanted: int | None, draft: bool
) -> Place:
    if wanted is not None and policy.pk != wanted:
        why = "another policy was asked for"
    elif policy.origin == Origin.BOT:
        why = "a reference bot is no Python program and cannot be exported as code"
    elif policy.withdrawn_by is not None:
        why = f"it was withdrawn from the population (change {policy.withdrawn_by})"
    elif draft or approved:
        why = ""
    elif not policy.approvable:
        why = "nobody can read it, so nobody can approve it"
    else:
        why = f"it is not approved ({State(state).label.lower()})"
    return Place(policy, state, approved, why)


def _unplayed(run: Run, members: list[Policy]) -> tuple[int, ...]:
    """Active members that lack a cell against another active one."""
    active = [member.index for member in members if member.withdrawn_by is None]
    played = set(Cell.objects.filter(run=run).values_list("row", "column"))
    return tuple(
        one
        for one in active
        if any((max(one, other), min(one, other)) not in played for other in active if one != other)
    )


def _named(run: Run) -> str:
    return f"run {run.pk}"


def _missing(choice: Choice) -> str:
    programs = [p for p in choice.places if p.policy.origin != Origin.BOT and p.active]
    if not programs:
        return "is a program that could be exported"
    if choice.draft:
        return "can be exported"
    waiting = sum(p.policy.approvable for p in programs)
    return f"is approved; {waiting} could be (their pages say what each still needs)"


def _way(choice: Choice) -> str:
    return "" if choice.draft else ". A draft (--draft) takes policies that nobody approved"
