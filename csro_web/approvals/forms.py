"""The form of a decision: what to do, on which content, and why."""

from __future__ import annotations

from django import forms

from csro_web.approvals.decisions import LONGEST_REASON
from csro_web.approvals.states import Event

WORDS = {
    Event.APPROVED: "Approve",
    Event.CHANGES_REQUESTED: "Request changes",
    Event.REJECTED: "Reject",
    Event.APPROVAL_WITHDRAWN: "Take the approval back",
    Event.TAKEN_UP: "Review again",
}
"""What an approver can do, in the words of the buttons."""


class DecisionForm(forms.Form):
    decision = forms.ChoiceField(
        choices=[(event.value, words) for event, words in WORDS.items()],
        error_messages={"required": "Choose what to do with one of the buttons."},
    )
    sha256 = forms.CharField(widget=forms.HiddenInput, required=False, max_length=64)
    reason = forms.CharField(
        label="Statement or reason",
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 5, "aria-describedby": "id_reason-notes"}),
        error_messages={
            "required": "Say what you vouch for, or why: it is kept with the decision."
        },
    )
