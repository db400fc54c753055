"""Access to language models: one request at a time, paid for before it is sent, kept when answered.

``ask`` of a :class:`ModelClient` is the only way to a model, for the writer ``llm``, for summaries
and for the agent that is asked at every turn. What it may spend and what was answered before is
the business of a :class:`Ledger`; the web keeps one in its database, notebooks one in memory.

>>> from oracles.models.litellm_client import LiteLlmClient
>>> from oracles.models.memory import MemoryLedger
>>> client = LiteLlmClient(MemoryLedger(Budget(calls=10)))
"""

from oracles.models.access import (
    RETRIED,
    Asked,
    AskLater,
    BudgetExhausted,
    Ledger,
    ModelAnswer,
    ModelClient,
    ModelFailed,
    ModelRefused,
    ModelRequest,
    Outcome,
    OutcomeKind,
    Purpose,
    Vain,
)

__all__ = [
    "RETRIED",
    "AskLater",
    "Asked",
    "BudgetExhausted",
    "Ledger",
    "ModelAnswer",
    "ModelClient",
    "ModelFailed",
    "ModelRefused",
    "ModelRequest",
    "Outcome",
    "OutcomeKind",
    "Purpose",
    "Vain",
]
