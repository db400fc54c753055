"""``./csro doctor --model M``: one real question to a language model, with what came of it."""

from __future__ import annotations

import argparse
import time
from dataclasses import replace

from csro_web.cli.checks import Check
from csro_web.cli.errors import WrongUsage, one_line
from csro_web.solving.model_arguments import SAMPLING, add_address_arguments, model_choice
from oracles.config import ConfigError
from oracles.models import ModelAnswer, ModelFailed, ModelRefused, ModelRequest, Purpose
from oracles.options import ModelChoice

QUESTION = ({"role": "user", "content": "Reply with the single word: ready"},)
MOST_TOKENS = 2048
"""Enough for a model that thinks before it says a word."""
DEADLINE_SECONDS = 60.0


def add_model(arguments: argparse.ArgumentParser) -> None:
    arguments.add_argument(
        "--model",
        metavar="M[@ENDPOINT]",
        help="ask this language model one short question (it may cost a fraction of a cent)",
    )
    add_address_arguments(arguments)


def chosen_model(given: argparse.Namespace) -> ModelChoice | None:
    """The model to ask; None when none was named.

    Raises:
        WrongUsage: when what was named cannot be a model.
    """
    if given.model is None:
        if given.api_base or given.api_key_env:
            raise WrongUsage("--api-base and --api-key-env need a --model to ask there")
        return None
    unsaid = {option.removeprefix("--").replace("-", "_"): None for option, *_ in SAMPLING}
    said = model_choice({**unsaid, **vars(given), "model": [given.model], "fallback": []})
    assert said is not None
    try:
        return ModelChoice.from_json(said)
    except ConfigError as error:
        raise WrongUsage(one_line(error)) from error


def ask(choice: ModelChoice) -> Check:
    """One request, no retries. The words hold no key, whatever a server may answer."""
    from csro_web.calls.resolver import DefinedEndpoints
    from oracles.models.litellm_client import LiteLlmClient
    from oracles.models.loading import load_litellm
    from oracles.models.memory import MemoryLedger

    question = ModelRequest(
        key="doctor",
        purpose=Purpose.TURN,
        messages=QUESTION,
        choice=replace(
            choice, max_tokens=MOST_TOKENS, deadline_seconds=DEADLINE_SECONDS, retries=0
        ),
        seed=0,
    )
    name = f"model {choice.models[0].model}"
    load_litellm()
    began = time.monotonic()
    try:
        answer = LiteLlmClient(MemoryLedger(), DefinedEndpoints()).ask(question)
    except ModelRefused as error:
        return Check(name, False, one_line(error), "correct the name, the address or the key")
    except ModelFailed as error:
        return Check(name, False, one_line(error), "start the server, or try again in a while")
    return Check(name, True, _in_words(answer, time.monotonic() - began))


def _in_words(answer: ModelAnswer, seconds: float) -> str:
    tokens = [answer.prompt_tokens, answer.completion_tokens]
    prompt, completion = ("an unknown number of" if n is None else f"{n:,}" for n in tokens)
    cost = "cost unknown" if answer.usd is None else f"cost {answer.usd:.6f} US dollars"
    return (
        f"{answer.model} answered in {seconds:.2f} s; {prompt} tokens asked and {completion}"
        f" answered; {cost}"
    )
