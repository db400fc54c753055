"""One sandbox for the tests that only need some jail."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from games.sandbox import Sandbox, Settings


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """The strongest jail of this machine, whatever the environment says."""
    with Sandbox(settings=Settings()) as sandbox:
        yield sandbox
