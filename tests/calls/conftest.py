"""Places for processes, and runs whose requests are written down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from csro_web.runs.models import Run
from tests.web.builders import make_run
from tests.work.conftest import cache, place

__all__ = ["cache", "place"]


@pytest.fixture
def run_with(db: None) -> Callable[..., Run]:
    """Makes a run that may spend as much as is said."""

    def make(**budget: Any) -> Run:
        models = [{"model": "openai/m"}]
        return make_run(writer="llm", budget=budget, model={"models": models})

    return make
