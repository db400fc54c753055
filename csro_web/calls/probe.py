"""One short, real question to a language model: whether it answers, how fast, and for how much."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from csro_web.calls.resolver import DefinedEndpoints
from oracles.models import ModelAnswer, ModelFailed, ModelRefused, ModelRequest, Purpose
from oracles.options import ModelChoice

QUESTION = ({"role": "user", "content": "Reply with the single word: ready"},)
MOST_TOKENS = 2048
"""Enough for a model that thinks before it says a word."""
DEADLINE_SECONDS = 60.0


@dataclass(frozen=True)
class Probed:
    """``words`` hold no key, whatever the server answered; ``remedy`` says what to do next."""

    model: str
    ok: bool
    words: str
    remedy: str = ""


def probe(choice: ModelChoice) -> Probed:
    """Ask the first model of ``choice`` once, without further tries. It may cost a little."""
    from oracles.models.litellm_client import LiteLlmClient
    from oracles.models.loading import load_litellm
    from oracles.models.memory import MemoryLedger

    question = ModelRequest(
        key="probe",
        purpose=Purpose.TURN,
        messages=QUESTION,
        choice=replace(
            choice, max_tokens=MOST_TOKENS, deadline_seconds=DEADLINE_SECONDS, retries=0
        ),
        seed=0,
    )
    model = choice.models[0].model
    load_litellm()
    began = time.monotonic()
    try:
        answer = LiteLlmClient(MemoryLedger(), DefinedEndpoints()).ask(question)
    except ModelRefused as error:
        return Probed(model, False, _line(error), "correct the name, the address or the key")
    except ModelFailed as error:
        return Probed(model, False, _line(error), "start the server, or try again in a while")
    return Probed(model, True, _in_words(answer, time.monotonic() - began))


def _line(error: Exception) -> str:
    return " ".join(str(error).split())


def _in_words(answer: ModelAnswer, seconds: float) -> str:
    tokens = [answer.prompt_tokens, answer.completion_tokens]
    prompt, completion = ("an unknown number of" if n is None else f"{n:,}" for n in tokens)
    cost = "cost unknown" if answer.usd is None else f"cost {answer.usd:.6f} US dollars"
    return (
        f"{answer.model} answered in {seconds:.2f} s; {prompt} tokens asked and {completion}"
        f" answered; {cost}"
    )
