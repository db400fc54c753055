"""Everything that the audit trail records, and what each action means (a test wants both)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Action(StrEnum):
    RUN_LAUNCHED = "run.launched"
    RUN_PAUSED = "run.paused"
    RUN_RESUMED = "run.resumed"
    RUN_FINISHING = "run.finishing"
    RUN_CANCELLED = "run.cancelled"
    SET_LAUNCHED = "set.launched"
    CHALLENGE_LAUNCHED = "challenge.launched"
    CALL_RESENT = "call.resent"
    MODEL_TESTED = "model.tested"
    ANSWER_SENT = "answer.sent"

    JOB_CANCELLED = "job.cancelled"

    THREAD_RESOLVED = "thread.resolved"
    THREAD_REOPENED = "thread.reopened"
    THREAD_CONFIRMED = "thread.confirmed"
    REVIEW_PUBLISHED = "review.published"

    EDIT_TRIED = "edit.tried"
    POLICY_COMMITTED = "policy.committed"
    POLICY_IMPORTED = "policy.imported"
    POLICY_WITHDRAWN = "policy.withdrawn"
    POLICY_RESTORED = "policy.restored"

    REEVALUATION_ASKED = "reevaluation.asked"
    REEVALUATION_DONE = "reevaluation.done"
    POLICY_STATE_MOVED = "policy.state_moved"
    POLICY_APPROVED = "policy.approved"
    POLICY_REJECTED = "policy.rejected"
    APPROVAL_LAPSED = "approval.lapsed"

    EXPORT_ASKED = "export.asked"
    EXPORT_MADE = "export.made"
    EXPORT_DOWNLOADED = "export.downloaded"
    EXPORT_DELETED = "export.deleted"
    KEY_ROTATED = "key.rotated"

    SIGNED_IN = "account.signed_in"
    SIGN_IN_FAILED = "account.sign_in_failed"
    LOCKED_OUT = "account.locked_out"
    UNLOCKED = "account.unlocked"
    SIGNED_OUT = "account.signed_out"
    PERSON_ADDED = "person.added"
    ROLE_CHANGED = "person.role_changed"
    PERSON_SWITCHED_OFF = "person.switched_off"
    PERSON_SWITCHED_ON = "person.switched_on"
    PASSWORD_CHANGED = "person.password_changed"  # noqa: S105 - an action, no password
    EMAIL_CHANGED = "person.email_changed"
    SESSION_REVOKED = "session.revoked"
    TOKEN_MADE = "token.made"  # noqa: S105 - an action, no token
    TOKEN_REVOKED = "token.revoked"  # noqa: S105 - an action, no token
    TEAM_ADDED = "team.added"
    TEAM_CHANGED = "team.changed"
    RUN_MOVED_TO_TEAM = "run.moved_to_team"
    TRAIL_EXPORTED = "audit.exported"
    TRAIL_VERIFIED = "audit.verified"


MEANING: Mapping[str, str] = {
    Action.RUN_LAUNCHED: "A run was launched.",
    Action.RUN_PAUSED: "A run was paused, by a person or because only a person can help it.",
    Action.RUN_RESUMED: "A paused run goes on.",
    Action.RUN_FINISHING: "A run makes no more proposals and is evaluated.",
    Action.RUN_CANCELLED: "A run was ended for good.",
    Action.SET_LAUNCHED: "A set of runs was launched; each run has its own row too.",
    Action.CHALLENGE_LAUNCHED: "A run was launched that looks for an exploiter.",
    Action.CALL_RESENT: "A recorded call to a language model is sent once more.",
    Action.MODEL_TESTED: "The connection to a language model was tested.",
    Action.ANSWER_SENT: "A person answered in a model's place.",
    Action.JOB_CANCELLED: "Work in the background was called off.",
    Action.THREAD_RESOLVED: "A thread of comments was marked as settled.",
    Action.THREAD_REOPENED: "A settled thread was opened again.",
    Action.THREAD_CONFIRMED: "The one who asked confirmed that a thread is settled.",
    Action.REVIEW_PUBLISHED: "A review was published with its comments.",
    Action.EDIT_TRIED: "An edit of a policy was tried in the sandbox.",
    Action.POLICY_COMMITTED: "An edited policy was committed to a population.",
    Action.POLICY_IMPORTED: "A policy from elsewhere was committed to a population.",
    Action.POLICY_WITHDRAWN: "A policy was taken out of a population.",
    Action.POLICY_RESTORED: "A withdrawn policy was taken back into its population.",
    Action.REEVALUATION_ASKED: "An evaluation on unseen seeds was asked for.",
    Action.REEVALUATION_DONE: "An evaluation on unseen seeds has its result.",
    Action.POLICY_STATE_MOVED: "A policy moved to another state of its approval.",
    Action.POLICY_APPROVED: "A policy was approved.",
    Action.POLICY_REJECTED: "A policy was rejected.",
    Action.APPROVAL_LAPSED: "An approval no longer holds.",
    Action.EXPORT_ASKED: "An export of policies was asked for.",
    Action.EXPORT_MADE: "An export was made and signed.",
    Action.EXPORT_DOWNLOADED: "An export was downloaded.",
    Action.EXPORT_DELETED: "An export and its files were deleted.",
    Action.KEY_ROTATED: "The key that this installation signs with was replaced by a new one.",
    Action.SIGNED_IN: "A person signed in.",
    Action.SIGN_IN_FAILED: "Somebody failed to sign in, or gave a wrong password when asked for it"
    " once more. A name that nobody has is not kept.",
    Action.LOCKED_OUT: "Too many failed attempts to sign in: further ones are refused.",
    Action.UNLOCKED: "A lock after failed attempts was lifted.",
    Action.SIGNED_OUT: "A person signed out.",
    Action.PERSON_ADDED: "A person was added.",
    Action.ROLE_CHANGED: "A person's role was changed.",
    Action.PERSON_SWITCHED_OFF: "A person's account was switched off.",
    Action.PERSON_SWITCHED_ON: "A person's account was switched on again.",
    Action.PASSWORD_CHANGED: "A password was changed.",
    Action.EMAIL_CHANGED: "A person's e-mail address was changed; the addresses are not kept here.",
    Action.SESSION_REVOKED: "Sessions were ended, by a person or after too many wrong passwords.",
    Action.TOKEN_MADE: "A token for the API was made.",
    Action.TOKEN_REVOKED: "A token for the API was revoked, or all of a person at once.",
    Action.TEAM_ADDED: "A team was added.",
    Action.TEAM_CHANGED: "The name or the members of a team were changed.",
    Action.RUN_MOVED_TO_TEAM: "A run was given to another team.",
    Action.TRAIL_EXPORTED: "The audit trail, or a part of it, was exported.",
    Action.TRAIL_VERIFIED: "The whole audit trail was checked.",
}
"""What a row with that action says: shown on the page and in the reference."""
