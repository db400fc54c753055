"""PSRO-IMPALA: best responses that are trained, not written (docs/explanation/psro-impala.md).

PyTorch is an optional extra and is loaded only by the process that trains (:mod:`.process`).
"""

from __future__ import annotations

from importlib.util import find_spec

INSTALL = "pip install -r requirements-impala.txt"


def missing() -> str | None:
    """Why nothing can be trained here, and what would change it; None when it can."""
    if find_spec("torch") is not None:
        return None
    return (
        "impala needs PyTorch, which is not installed:"
        f" run '{INSTALL}' in the environment that CSRO runs in"
    )
