"""Committing an edit: it becomes a policy of its own, whoever else is at work."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from csro_web.accounts.permissions import requires
from csro_web.changes import edit_drafts, services, trials
from csro_web.changes.edit_drafts import DraftError
from csro_web.changes.edit_page import typed_in
from csro_web.changes.edit_views import CONFLICT, REFUSED, editable, shown
from csro_web.changes.models import Change
from csro_web.policies.models import Origin, Policy
from oracles.handwritten import judge


class FaultsKnown(Exception):
    """A trial showed faults, and nobody said that they are known."""


@require_POST
@requires("changes.commit")
def edit_commit(request: HttpRequest, policy_id: int) -> HttpResponse:
    """Save the draft, then commit it; the draft is done with once the change is there.

    A refusal gives the page back with everything that was typed: 409 where somebody or something
    else was faster, 422 where the form has to be corrected.
    """
    policy = editable(policy_id)
    typed = typed_in(request)
    try:
        draft = edit_drafts.save(policy=policy, person=request.user, typed=typed)
    except DraftError as error:
        return shown(request, policy, error=error, status=CONFLICT)
    try:
        _check_faults(policy, typed.text, known="although_faulty" in request.POST)
        change = _commit(request, policy, typed.text)
    except FaultsKnown as error:
        return shown(request, policy, error=error, status=REFUSED, needs_knowing=True)
    except services.ChangeError as error:
        status = CONFLICT if error.policy is not None else REFUSED
        return shown(request, policy, error=error, status=status)
    edit_drafts.discard(policy=policy, person=request.user, version=draft.version)
    return redirect("change", change.pk)


def _check_faults(policy: Policy, text: str, *, known: bool) -> None:
    """Who commits what is known to fault should know it, too: its row will refuse it."""
    tried = trials.of_text(policy, judge(text).sha256)
    if not known and any(trials.faulted(trial) for trial in tried):
        raise FaultsKnown(
            "It was not committed: this program faulted when it was tried, and a policy that faults"
            " is refused when its row is played. Mend it, or say below that you know."
        )


def _commit(request: HttpRequest, policy: Policy, text: str) -> Change:
    return services.commit(
        run=policy.run,
        person=request.user,
        source=text,
        reason=request.POST.get("reason", ""),
        name=request.POST.get("name", ""),
        parent=policy,
        origin=Origin.EDITED,
        provenance={"trials": [trial.pk for trial in trials.of_text(policy, judge(text).sha256)]},
    )
