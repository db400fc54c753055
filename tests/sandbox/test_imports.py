"""Policies import what is allowed and nothing else, and are told so."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from games.match import SandboxLevel
from games.registry import game_names, get_game
from games.sandbox import ALLOWED_IMPORTS, Sandbox, Settings
from oracles.checks import ALLOWED_IMPORTS as CHECKED_IMPORTS
from tests.sandbox.echo import echo_job


@pytest.fixture(scope="module", params=[None, SandboxLevel.KERNEL], ids=["strongest", "kernel"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """At level ``kernel`` the interpreter's own files may be out of reach: all is preloaded."""
    with Sandbox(settings=Settings(level=request.param)) as sandbox:
        yield sandbox


def load(sandbox: Sandbox, imports: str, *, guard: bool = True) -> str:
    """The traceback of a policy that starts with ``imports``, empty when it loads and acts."""
    source = f"{imports}\n\n\nclass Policy:\n    def act(self, obs):\n        return 1\n"
    with sandbox.spawn(echo_job(source, 1, guard_imports=guard)) as process:
        if process.start().failed:
            return process.report().tracebacks[0][1]
        process.send(b"\0", 1)
        assert process.receive() == (1).to_bytes(4, "little")
        return ""


@pytest.mark.parametrize("name", [name for name in ALLOWED_IMPORTS if name != "__future__"])
def test_each_allowed_module_can_be_imported(sandbox: Sandbox, name: str) -> None:
    assert load(sandbox, f"import {name}") == ""


@pytest.mark.parametrize(
    "line",
    [
        "from __future__ import annotations",
        "from collections.abc import Sequence",
        "import numpy.random, numpy.linalg, numpy.fft, numpy.polynomial, numpy.ma",
        "from numpy.random import default_rng",
        "from numpy.lib.stride_tricks import sliding_window_view",
        "from __future__ import annotations\nfrom dataclasses import dataclass\n"
        "@dataclass\nclass Memory:\n    counts: list[int]\nMemory([1])",
        "import typing\nclass Pair(typing.NamedTuple):\n    a: int\nPair(1)",
        "x = '\\N{GREEK SMALL LETTER SIGMA}'",
        "import copy\ncopy.deepcopy({'a': [1]})",
        "import statistics\nstatistics.linear_regression([1, 2, 3], [1, 2, 3])",
        "import numpy as np\nnp.einsum('ij,jk', np.eye(3), np.eye(3)); np.unique([1, 1])",
        "import numpy as np\nnp.char.upper('a'); np.rec.array([(1,)], dtype=[('a', int)])",
    ],
)
def test_ordinary_uses_of_the_allowed_modules_work(sandbox: Sandbox, line: str) -> None:
    assert load(sandbox, line) == ""


@pytest.mark.parametrize(
    "line", ["import os", "from sys import path", "import numpyx", "import policy"]
)
def test_another_import_is_refused_by_name(sandbox: Sandbox, line: str) -> None:
    text = load(sandbox, line)
    assert "a policy may not import" in text
    assert "statistics" in text


def test_the_product_is_not_in_the_jail(sandbox: Sandbox) -> None:
    for module in ("games", "oracles", "csro_web", "django", "scipy"):
        assert "ModuleNotFoundError" in load(sandbox, f"import {module}", guard=False)


def test_authors_the_check_and_the_jail_are_told_of_the_same_modules() -> None:
    assert ALLOWED_IMPORTS == CHECKED_IMPORTS
    for name in game_names():
        told = get_game(name).policy_api().partition("Allowed imports: ")[2].partition(". ")[0]
        assert {*told.replace("\n", " ").split(", "), "__future__"} == set(ALLOWED_IMPORTS)
