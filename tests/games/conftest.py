"""One engine for all tests of what plays; a real sandbox is behind it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from games.local_engine import LocalEngine
from games.match import SandboxLevel
from games.players import CodePlayer
from games.registry import get_game


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalEngine]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CSRO_DATA_DIR", str(tmp_path_factory.mktemp("data")))
        with LocalEngine(SandboxLevel.KERNEL, workers=2) as running:
            yield running


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CSRO_DATA_DIR", str(tmp_path))
    return tmp_path


def initial(game: str, name: str) -> CodePlayer:
    """A policy of the game's initial population."""
    found = {policy.name: policy.source for policy in get_game(game).initial_population()}
    return CodePlayer(found[name])
