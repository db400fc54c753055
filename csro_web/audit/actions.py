"""Everything that the audit trail records, in the words it is shown with."""

from __future__ import annotations

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
    SESSION_REVOKED = "session.revoked"
    TOKEN_MADE = "token.made"  # noqa: S105 - an action, no token
    TOKEN_REVOKED = "token.revoked"  # noqa: S105 - an action, no token
    TEAM_ADDED = "team.added"
    TEAM_CHANGED = "team.changed"
    RUN_MOVED_TO_TEAM = "run.moved_to_team"
    TRAIL_EXPORTED = "audit.exported"
