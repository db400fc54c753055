"""Places for processes, and the numbers of a run that nothing disturbed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.services import Redis
from tests.work.place import Place


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is computed once and kept (CFR+ for Leduc), shared by all places."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def place(tmp_path: Path, cache: Path) -> Iterator[Place]:
    made = Place(tmp_path / "place", cache)
    yield made
    made.close()


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> dict[str, Any]:
    """The numbers of the tiny run, done in one process from beginning to end."""
    made = Place(tmp_path_factory.mktemp("undisturbed") / "place", cache)
    try:
        run = made.launch_tiny_run()
        done = made.manage("help_solve", str(run))
        assert done.returncode == 0, done.stderr
        made.wait_until_finished()
        return made.numbers()
    finally:
        made.close()


@pytest.fixture
def places(tmp_path: Path, cache: Path) -> Iterator[Callable[[str], Place]]:
    """Several places in one test."""
    made: list[Place] = []

    def make(name: str) -> Place:
        made.append(Place(tmp_path / name, cache))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def own_redis() -> Iterator[Redis]:
    """A Redis of this test's own, to be killed; it keeps nothing on disk."""
    with Redis() as server:
        yield server
