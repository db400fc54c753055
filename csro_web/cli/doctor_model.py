"""``./csro doctor --model M``: one real question to a language model, with what came of it."""

from __future__ import annotations

import argparse

from csro_web.cli.checks import Check
from csro_web.cli.errors import WrongUsage, one_line
from csro_web.solving.model_arguments import SAMPLING, add_address_arguments, model_choice
from oracles.config import ConfigError
from oracles.options import ModelChoice


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
    from csro_web.calls.probe import probe

    found = probe(choice)
    return Check(f"model {found.model}", found.ok, found.words, found.remedy)
