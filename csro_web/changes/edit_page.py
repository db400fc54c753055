"""What the page that edits a policy shows."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from csro_web.accounts.models import User
from csro_web.changes import edit_drafts, trials
from csro_web.changes.edit_drafts import Typed
from csro_web.changes.edit_models import EditDraft
from csro_web.changes.models import Change
from csro_web.changes.services import why_unchangeable
from csro_web.pages.keys import row_number
from csro_web.policies import diff_shown
from csro_web.policies.models import Policy
from csro_web.runs.catalogue import facts_of
from oracles.handwritten import judge, normalised

EPISODE_CHOICES = (trials.DEFAULT_EPISODES, 50, 100, trials.MOST_EPISODES)


@dataclass(frozen=True)
class Verdict:
    """What was found out about a text without running it."""

    accepted: bool
    reason: str
    line: int | None
    sha256: str | None
    same_as: Policy | None
    """A member of the run's population with exactly this program."""
    unchanged: bool


def verdict_on(policy: Policy, text: str) -> Verdict:
    """Syntax, imports, the class and its methods, size, and whether it is there already."""
    found = judge(text)
    same = None
    if found.sha256 is not None:
        members = Policy.objects.filter(run_id=policy.run_id, sha256=found.sha256)
        same = members.defer("source").first()
    unchanged = normalised(text) == policy.source or found.sha256 == policy.sha256
    return Verdict(found.accepted, found.reason, found.line, found.sha256, same, unchanged)


def typed_in(request: HttpRequest) -> Typed:
    """The text of the form, its line ends normalised, and where its page stands."""
    posted = request.POST
    return Typed(
        text=posted.get("source", "").replace("\r\n", "\n").replace("\r", "\n"),
        version=row_number(posted.get("version", "")) or 0,
        tab=posted.get("tab", "")[:40],
        order=row_number(posted.get("order", "")) or 0,
    )


def verdict_context(policy: Policy, text: str) -> dict[str, Any]:
    """For ``changes/verdict.html``. At most 2 queries."""
    verdict = verdict_on(policy, text)
    tried = trials.of_text(policy, verdict.sha256)
    return {
        "policy": policy,
        "verdict": verdict,
        "tried": tried,
        "faulted": any(trials.faulted(trial) for trial in tried),
    }


def page_context(
    policy: Policy,
    person: User,
    *,
    typed: Typed | None = None,
    posted: Mapping[str, str] | None = None,
    with_diff: bool = False,
) -> dict[str, Any]:
    """Everything the page shows; ``typed`` is what a form sent, else the draft or the policy."""
    draft = edit_drafts.draft_of(policy, person)
    text = typed.text if typed is not None else (policy.source if draft is None else draft.text)
    verdict = verdict_context(policy, text)
    return {
        "run": policy.run,
        "facts": facts_of(policy.run),
        "text": text,
        "draft": draft,
        "version": _version_of_page(typed, draft, text),
        "tab": (typed.tab if typed is not None else "") or uuid.uuid4().hex,
        "aside": list(draft.set_aside.all()) if draft else [],
        "others": edit_drafts.others_at_work(policy, person),
        "edits": edits_of(policy),
        "recent": trials.recent(policy, person),
        "episode_choices": EPISODE_CHOICES,
        "closed": why_unchangeable(policy.run),
        "reason": (posted or {}).get("reason", ""),
        "name": (posted or {}).get("name", ""),
        **verdict,
        **(differences(policy.source, normalised(text)) if with_diff else {}),
        "with_diff": with_diff,
    }


def differences(old: str, new: str) -> dict[str, Any]:
    """For ``changes/diff_lines.html``."""
    shown = diff_shown.programs(old, new)
    return {"blocks": shown.blocks, "summary": shown.summary}


def edits_of(policy: Policy) -> list[Change]:
    """The newest commits that were edited from the policy, by anybody. 1 query."""
    made = Change.objects.filter(parent=policy).select_related("author", "policy")
    return list(made.defer("source", "effect").order_by("-pk")[:5])


def _version_of_page(typed: Typed | None, draft: EditDraft | None, text: str) -> int:
    """The version that the shown text may replace: the draft's, if the page shows the draft."""
    if draft is None:
        return 0
    return draft.version if typed is None or draft.text == text else typed.version
