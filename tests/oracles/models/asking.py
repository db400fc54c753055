"""How the tests of this folder ask: against a server on loopback, with short waits."""

from __future__ import annotations

from typing import Any

from oracles.models import ModelRequest, Purpose
from oracles.models.litellm_client import LiteLlmClient
from oracles.models.memory import MemoryLedger
from oracles.models.waiting import Waits
from oracles.options import Budget, ModelChoice, ModelRef
from tests.model_server import MODEL, ModelServer

QUICK = Waits(first=0.01, longest=0.05, patience=5.0)
QUESTION = ({"role": "user", "content": "Rock, paper or scissors?"},)


def choice(server: ModelServer, *names: str, **how: Any) -> ModelChoice:
    """Models of the server, by default its own one."""
    models = tuple(ModelRef(model=name) for name in names or (MODEL,))
    chosen: dict[str, Any] = {
        "models": models,
        "api_base": server.url,
        "deadline_seconds": 5.0,
        "max_tokens": 100,
    }
    return ModelChoice(**{**chosen, **how})


def request(chosen: ModelChoice, key: str = "it1/attempt1", seed: int = 7) -> ModelRequest:
    return ModelRequest(key=key, purpose=Purpose.WRITE, messages=QUESTION, choice=chosen, seed=seed)


def client(budget: Budget | None = None, **how: Any) -> tuple[LiteLlmClient, MemoryLedger]:
    ledger = MemoryLedger(budget)
    return LiteLlmClient(ledger, **{"waits": QUICK, **how}), ledger
