"""The same job gives the same decisions, in any zygote, even from a policy that forgot to seed."""

from __future__ import annotations

import pytest

from games.sandbox import Sandbox, Settings
from tests.sandbox.echo import echo_job

DRAWS = {
    "random": "random.randrange(1 << 30)",
    "an unseeded Random": "random.Random().randrange(1 << 30)",
    "a reseeded random": "(random.seed(), random.randrange(1 << 30))[1]",
    "NumPy's global generator": "int(np.random.randint(1 << 30))",
    "an unseeded default_rng": "int(np.random.default_rng().integers(1 << 30))",
    "a reseeded NumPy": "(np.random.seed(), int(np.random.randint(1 << 30)))[1]",
    "an unseeded RandomState": "int(np.random.RandomState().randint(1 << 30))",
    "a shuffle": "int(''.join(map(str, random.sample(range(10), 9))))",
    "the order of a set": "int(''.join(map(str, [ord(c) for c in set('abcdef')][:4])))",
    "SystemRandom": "random.SystemRandom().randrange(1 << 30)",
}
VIEW = """
class View:
    def start(self, construct):
        self.acts = [construct(i, 0, 2, {}, 5) for i in range(3)]

    def run(self, message, reply):
        for i, act in enumerate(self.acts):
            reply[i] = act({})


def make_view(setup):
    return View()
"""


def draws(sandbox: Sandbox, expression: str, seed: int) -> list[int]:
    source = "import random\nimport numpy as np\n\n\nclass Policy:\n"
    source += f"    def act(self, obs):\n        return {expression}\n"
    job = echo_job(source, 3, seed=seed, view_source=VIEW, num_actions=None, guard_imports=True)
    with sandbox.spawn(job) as process:
        assert process.start().failed == (), process.report()
        numbers = []
        for _ in range(3):
            process.send(b"", 3)
            numbers += memoryview(process.receive()).cast("i").tolist()
        return numbers


@pytest.fixture(scope="module")
def another() -> Sandbox:
    with Sandbox(settings=Settings()) as sandbox:
        yield sandbox


REPEATABLE = [name for name in DRAWS if name != "SystemRandom"]


@pytest.mark.parametrize("name", REPEATABLE)
def test_draws_repeat_in_another_zygote(sandbox: Sandbox, another: Sandbox, name: str) -> None:
    assert draws(sandbox, DRAWS[name], 11) == draws(another, DRAWS[name], 11)


@pytest.mark.parametrize("name", [n for n in REPEATABLE if n != "the order of a set"])
def test_another_seed_gives_other_draws(sandbox: Sandbox, name: str) -> None:
    first = draws(sandbox, DRAWS[name], 11)
    assert first != draws(sandbox, DRAWS[name], 12)
    assert len(set(first)) > 1


def test_entropy_from_the_system_stays_entropy(sandbox: Sandbox) -> None:
    """It is named in the docs as what no seed reaches."""
    assert draws(sandbox, DRAWS["SystemRandom"], 11) != draws(sandbox, DRAWS["SystemRandom"], 11)
