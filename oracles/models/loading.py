"""litellm as this product uses it: late, quiet, and with its own ideas switched off."""

from __future__ import annotations

import importlib
import logging
import os
import threading
import warnings
from typing import Any

_lock = threading.Lock()
_loaded: Any = None


def load_litellm() -> Any:
    """The library, imported at the first call (about 3 seconds and 200 MB).

    Its list of prices comes from its package, not from the network; it reads no ``.env`` file,
    keeps no answers, reports to nobody, retries nothing, and reaches the network through
    :class:`oracles.models.exchange.GuardedTransport` alone.
    """
    global _loaded
    with _lock:
        if _loaded is None:
            _loaded = _import()
        return _loaded


def _import() -> Any:
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ["LITELLM_MODE"] = "PRODUCTION"
    litellm: Any = importlib.import_module("litellm")
    handlers: Any = importlib.import_module("litellm.llms.custom_httpx.http_handler")
    import httpx

    from oracles.models.exchange import GuardedTransport

    warnings.filterwarnings("ignore", category=UserWarning, module=r"pydantic\.")
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = False
        logger.disabled = True
    client = httpx.Client(transport=GuardedTransport(), follow_redirects=False, trust_env=False)
    pinned: dict[str, Any] = {
        "suppress_debug_info": True,
        "turn_off_message_logging": True,
        "telemetry": False,
        "cache": None,
        "num_retries": 0,
        "drop_params": False,
        "modify_params": False,
        "callbacks": [],
        "input_callback": [],
        "success_callback": [],
        "failure_callback": [],
        "_async_success_callback": [],
        "_async_failure_callback": [],
        "client_session": client,
        "sync_transport": GuardedTransport(),
        "module_level_client": handlers.HTTPHandler(client=client),
    }
    for name, value in pinned.items():
        setattr(litellm, name, value)
    return litellm
