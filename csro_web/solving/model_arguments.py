"""The flags of ``./csro solve`` that say which language models are asked, where and how."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn
from urllib.parse import urlsplit

from csro_web.calls import endpoints
from csro_web.cli.errors import WrongUsage

SAMPLING = (
    # flag, field of ModelChoice, type, words
    ("--temperature", "temperature", float, "0 to 2; otherwise the model's own"),
    ("--top-p", "top_p", float, "0 to 1; otherwise the model's own"),
    ("--answer-tokens", "max_tokens", int, "length of one answer at most"),
    ("--deadline", "deadline_seconds", float, "seconds for one request, to its last byte"),
    ("--retries", "retries", int, "further tries after rate limits and server errors"),
)


class _KeyRefused(argparse.Action):
    """A key on the command line is in the shell's history and in everybody's list of processes."""

    def __call__(self, *_: object) -> NoReturn:
        raise WrongUsage(
            "a key is never an argument (others see it in the list of processes): put it into an"
            " environment variable and name that with --api-key-env"
        )


def add_model_arguments(parser: argparse.ArgumentParser) -> None:
    reference = "MODEL[@ENDPOINT][=WEIGHT]"
    parser.add_argument(
        "--model",
        action="append",
        default=[],
        metavar=reference,
        help="a model as litellm names it, or one of an endpoint of the administrator's; repeated"
        " it makes an ensemble",
    )
    parser.add_argument(
        "--fallback",
        action="append",
        default=[],
        metavar=reference,
        help="asked when the model drawn cannot be had; repeated, in this order",
    )
    add_address_arguments(parser)
    for option, _, kind, words in SAMPLING:
        parser.add_argument(option, type=kind, metavar="X", help=words)


def add_address_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--api-base", metavar="URL", help="where models without @ENDPOINT are")
    parser.add_argument(
        "--api-key-env",
        metavar="NAME",
        help="environment variable with the key for --api-base; without it no key is sent there",
    )
    parser.add_argument(
        "--api-key", action=_KeyRefused, nargs="?", help=argparse.SUPPRESS, dest="_key"
    )


def model_choice(given: Mapping[str, Any]) -> dict[str, Any] | None:
    """What ``RunConfig`` takes as ``model``; None when no flag says anything about models.

    Raises:
        WrongUsage: when an argument cannot be what it should be. No message repeats a key.
    """
    values = {
        name: given[option.removeprefix("--").replace("-", "_")] for option, name, *_ in SAMPLING
    }
    said: dict[str, Any] = {name: value for name, value in values.items() if value is not None}
    if given["api_base"]:
        said["api_base"] = _address(given["api_base"])
    if given["api_key_env"]:
        said["api_key_env"] = _variable(given["api_key_env"], given["api_base"])
    if not (said or given["model"] or given["fallback"]):
        return None
    defined = _endpoint_names()
    return {
        "models": [_reference("--model", text, defined) for text in given["model"]],
        "fallbacks": [_reference("--fallback", text, defined) for text in given["fallback"]],
        **said,
    }


def _endpoint_names() -> Sequence[str]:
    try:
        return [endpoint.name for endpoint in endpoints.choices()]
    except endpoints.EndpointsError as error:
        raise WrongUsage(str(error)) from error


def _reference(option: str, text: str, defined: Sequence[str]) -> dict[str, Any]:
    """Models may have ``@`` in their names: only a defined endpoint is one."""
    rest, equals, weight = text.rpartition("=")
    if not equals:
        rest, weight = text, "1"
    try:
        number = float(weight)
    except ValueError:
        raise WrongUsage(f"{option} {text}: {weight!r} is no weight") from None
    model, at, endpoint = rest.rpartition("@")
    if at and endpoint in defined:
        return {"model": model, "endpoint": endpoint, "weight": number}
    return {"model": rest, "weight": number}


def _address(text: str) -> str:
    try:
        parts = urlsplit(text)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise WrongUsage("--api-base must be an address such as http://127.0.0.1:8080/v1")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise WrongUsage(
            "--api-base may have no password, query or fragment; a key goes into a variable that"
            " --api-key-env names"
        )
    return text.rstrip("/")


def _variable(name: str, api_base: str | None) -> str:
    """The value is not repeated: it may be a key by mistake."""
    if not endpoints.may_hold_a_key(name) or not os.environ.get(name):
        raise WrongUsage(
            "--api-key-env must name an environment variable that is set and has KEY, TOKEN or"
            " SECRET in its name (such as LAB_API_KEY); it is not the key itself"
        )
    if endpoints.is_of_csro(name):
        raise WrongUsage(f"--api-key-env: {name} is a secret of CSRO's own; name another one")
    if not api_base:
        raise WrongUsage("--api-key-env needs --api-base: it names the key for that address")
    return name
