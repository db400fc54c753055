"""The way of a run to language models: its budget, the administrator's endpoints, litellm."""

from __future__ import annotations

from collections.abc import Callable

from csro_web.calls.ledger import DatabaseLedger
from csro_web.calls.resolver import DefinedEndpoints
from oracles.models import ModelClient
from oracles.models.litellm_client import LiteLlmClient


def endless() -> float | None:
    """No limit of time."""
    return None


def model_client(
    run_id: int,
    should_stop: Callable[[], bool],
    seconds_left: Callable[[], float | None] = endless,
    longest_wait: float | None = None,
) -> ModelClient:
    """Asks within the run's budget; every request is written down before it is sent."""
    ledger = DatabaseLedger(run_id, should_stop)
    return LiteLlmClient(
        ledger, DefinedEndpoints(), seconds_left=seconds_left, longest_wait=longest_wait
    )
