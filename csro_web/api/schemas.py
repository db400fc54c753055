"""What the API answers. What is not known is null, never zero."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ninja import Field, Schema


class RunOut(Schema):
    id: int
    name: str
    game: str
    oracle: str
    writer: str
    seed: int
    state: str
    team: str | None = Field(description="Short name of the team; null: seen by everybody.")
    sandbox_level: str | None
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None

    @staticmethod
    def resolve_team(run: Any) -> str | None:
        return run.team.slug if run.team else None

    @staticmethod
    def resolve_sandbox_level(run: Any) -> str | None:
        return run.sandbox_level or None


class RunDetail(RunOut):
    config: dict[str, Any]
    stop_reason: str | None
    failure: str | None

    @staticmethod
    def resolve_stop_reason(run: Any) -> str | None:
        return run.stop_reason or None

    @staticmethod
    def resolve_failure(run: Any) -> str | None:
        return run.failure or None


class PolicyOut(Schema):
    id: int
    run_id: int
    index: int = Field(description="Row in the payoff matrix.")
    name: str
    origin: str
    sha256: str | None = Field(description="Of the source; null for a reference bot.")
    iteration: int | None
    withdrawn: bool
    standing: str


class CellOut(Schema):
    row: int
    column: int
    mean: float = Field(description="Payoff of the row per episode, in the game's unit.")
    low: float | None
    high: float | None
    match_id: int
    episodes: int
    seed: int
    sandbox_level: str


class WeightOut(Schema):
    policy_id: int
    index: int
    weight: float
    low: float | None
    high: float | None


class ExportIn(Schema):
    policy_id: int | None = Field(None, description="One policy; null: all approved ones.")
    draft: bool = Field(False, description="Whether to take policies that nobody approved.")


class ExportOut(Schema):
    id: int
    run_id: int
    policy_id: int | None
    draft: bool
    name: str | None
    asked_at: datetime
    made_at: datetime | None
    state: str = Field(description="waiting, in work, done, failed, cancelled or deleted")
    failure: str | None
    size: int | None
    sha256: str | None
