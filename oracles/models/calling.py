"""One request to one model through litellm, within its deadline."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from games.engine import MatchCancelled
from oracles.models.access import Message, ModelRefused, Outcome, OutcomeKind
from oracles.models.endpoints import Endpoint
from oracles.models.exchange import MOST_BYTES, NO_KEY, Exchange, current
from oracles.models.loading import load_litellm
from oracles.models.prices import Tariff, flat, listed_tariff
from oracles.models.reading import outcome_of
from oracles.models.waiting import POLL_SECONDS
from oracles.text import storable

GRACE_SECONDS = 0.25
"""The thread that reads ends at the deadline by itself; after this it is made to."""
LAST_SECONDS = 1.0
"""How long a thread that was ended is waited for before it is left to itself."""
_SEEDS = 2**31


@dataclass(frozen=True, kw_only=True)
class Route:
    """An endpoint whose provider is known, with what litellm knows of its model."""

    endpoint: Endpoint
    provider: str
    tariff: Tariff | None
    takes_seed: bool


def find_route(endpoint: Endpoint) -> Route:
    """What litellm knows of the endpoint's model.

    Raises:
        ModelRefused: when no provider can be told from the model's name.
    """
    litellm = load_litellm()
    provider, model = endpoint.provider, endpoint.model
    if provider is None:
        try:
            model, provider, _, _ = litellm.get_llm_provider(model)
        except litellm.exceptions.BadRequestError:
            raise ModelRefused(
                f"no provider is known for the model {model!r}; write PROVIDER/{model}, or give"
                " the address of a server that has it"
            ) from None
    if provider not in litellm.provider_list:
        raise ModelRefused(f"litellm has no provider {provider!r}")
    if endpoint.price is not None:
        tariff: Tariff | None = flat(endpoint.price)
    else:
        tariff = listed_tariff(litellm.model_cost, provider, model)
    taken = litellm.get_supported_openai_params(model=model, custom_llm_provider=provider) or ()
    return Route(
        endpoint=replace(endpoint, model=model),
        provider=provider,
        tariff=tariff,
        takes_seed="seed" in taken,
    )


def sampling(
    route: Route,
    *,
    max_tokens: int,
    temperature: float | None,
    top_p: float | None,
    seed: int,
) -> dict[str, Any]:
    """The parameters that are sent: what was chosen, and the seed where the model takes one."""
    chosen = {
        "max_tokens": max_tokens,
        "temperature": temperature,
        "top_p": top_p,
        "seed": seed % _SEEDS if route.takes_seed else None,
    }
    return {name: value for name, value in chosen.items() if value is not None}


def call(
    route: Route,
    *,
    messages: Sequence[Message],
    parameters: Mapping[str, Any],
    seconds: float,
    should_stop: Callable[[], bool],
    most_bytes: int = MOST_BYTES,
) -> Outcome:
    """Send one request and read its answer, all within ``seconds``.

    Raises:
        MatchCancelled: soon after ``should_stop`` said so; the connection is closed.
    """
    endpoint = route.endpoint
    exchange = Exchange(endpoint, seconds=seconds, most_bytes=most_bytes)
    litellm = load_litellm()
    key = endpoint.api_key or (None if endpoint.api_base is None else NO_KEY)

    def work() -> Any:
        return litellm.completion(
            model=f"{route.provider}/{endpoint.model}",
            custom_llm_provider=route.provider,
            messages=[
                {name: storable(text) for name, text in message.items()} for message in messages
            ],
            api_base=endpoint.api_base,
            api_key=key,
            timeout=seconds,
            max_retries=0,
            num_retries=0,
            caching=False,
            stream=False,
            **parameters,
        )

    began = time.monotonic()
    response, error = _within(exchange, work, should_stop)
    return outcome_of(
        exchange,
        response=response,
        error=error,
        tariff=route.tariff,
        seconds=time.monotonic() - began,
    )


def _within(
    exchange: Exchange, work: Callable[[], Any], should_stop: Callable[[], bool]
) -> tuple[Any, BaseException | None]:
    """What ``work`` gave or raised in a thread of its own, which does not outlive the exchange.

    The thread is there because no timeout reaches everything: the name of a server is looked up
    without one. Closing the connection wakes the thread wherever else it may be.
    """
    found: list[tuple[Any, BaseException | None]] = []
    done = threading.Event()

    def run() -> None:
        current.set(exchange)  # each thread begins with a context of its own
        try:
            found.append((work(), None))
        except BaseException as error:  # noqa: BLE001  (judged where the answer is read)
            found.append((None, error))
        finally:
            done.set()

    threading.Thread(target=run, name="model-request", daemon=True).start()
    try:
        while not done.wait(POLL_SECONDS):
            if should_stop():
                raise MatchCancelled("stopped while a model was being asked")
            if exchange.left() < -GRACE_SECONDS:
                exchange.time_out()
                done.wait(LAST_SECONDS)
                break
    except BaseException:
        exchange.abort(OutcomeKind.ABANDONED, "stopped before the answer came")
        raise
    return found[0] if found else (None, None)
