"""Where a model of a run is asked, and with which key (``oracles.models`` asks for it)."""

from __future__ import annotations

import os

from csro_web.calls.endpoints import Endpoint, EndpointsError, find, load
from oracles.config import ConfigError
from oracles.models import ModelRefused
from oracles.models import endpoints as access
from oracles.options import ModelChoice, ModelRef

MILLION = 1_000_000


class DefinedEndpoints:
    """Endpoints out of the administrator's file; keys out of this process's environment.

    A model that names no endpoint is one that somebody at the terminal chose
    (:func:`csro_web.calls.endpoints.check_choice` let nobody else).
    """

    def resolve(self, ref: ModelRef, choice: ModelChoice) -> access.Endpoint:
        """See :class:`oracles.models.endpoints.EndpointResolver`."""
        if not ref.endpoint:
            return access.EnvironmentEndpoints().resolve(ref, choice)
        try:
            defined = find(load(), ref)
        except (EndpointsError, ConfigError) as error:
            raise ModelRefused(str(error)) from error
        price = defined.prices.get(ref.model)
        return access.Endpoint(
            model=ref.model,
            provider=defined.provider,
            api_base=defined.api_base or None,
            api_key=_key(defined),
            price=price
            and access.Price(prompt=price.prompt / MILLION, completion=price.completion / MILLION),
        )


def _key(endpoint: Endpoint) -> str | None:
    if not endpoint.key_env:
        return None
    key = os.environ.get(endpoint.key_env, "").strip()
    if not key:
        raise ModelRefused(
            f"the endpoint {endpoint.name} needs its key in the variable {endpoint.key_env} of the"
            " workers: set it there and start them again"
        )
    return key
