"""``./csro solve --writer llm``: a real server on loopback, a key that goes there alone."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.command import complaint, csro
from tests.model_server import ModelServer, status

KEY = "sk-lab-0123456789abcdef"
SMALL = (
    *("--game", "leduc", "--writer", "llm", "--oracle", "zero_shot", "--iterations", "1"),
    *("--episodes", "2", "--evaluation-episodes", "2", "--model", "openai/local-model"),
)
PROGRAM = '''```python
class Policy:
    """Calls whenever it may."""

    def act(self, obs):
        return obs["legal_actions"][-1] if len(obs["legal_actions"]) < 3 else 1
```'''


def test_a_model_writes_and_its_key_is_found_nowhere(tmp_path: Path) -> None:
    with ModelServer(PROGRAM) as server:
        server.script(status(500))
        done = csro(
            *("solve", *SMALL, "--api-base", server.url, "--api-key-env", "LAB_API_KEY"),
            *("--max-calls", "3", "--temperature", "0.5", "--json", "-"),
            DATABASE_URL=f"sqlite:///{tmp_path}/csro.sqlite3",
            LAB_API_KEY=KEY,
        )
        asked = list(server.requests)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["model_calls"] == len(asked) == 2, "a retry is a call too"
    assert answer["usd"] is None, "nobody knows the price"
    assert asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert asked[0].body["temperature"] == 0.5
    assert "model call" in done.stderr
    stored = b"".join(path.read_bytes() for path in tmp_path.glob("csro.sqlite3*"))
    assert KEY.encode() not in stored
    assert KEY not in done.stdout + done.stderr


def test_a_price_that_nobody_knows_cannot_be_spent_under_a_limit_of_money(tmp_path: Path) -> None:
    with ModelServer(PROGRAM) as server:
        done = csro(
            *("solve", *SMALL, "--api-base", server.url, "--max-usd", "1"),
            DATABASE_URL=f"sqlite:///{tmp_path}/csro.sqlite3",
        )
        assert server.requests == []
    assert done.returncode in (0, 1)
    assert "price" in done.stderr


def test_a_language_model_must_be_named(tmp_path: Path) -> None:
    done = csro(
        *("solve", "--game", "leduc", "--writer", "llm"),
        DATABASE_URL=f"sqlite:///{tmp_path}/csro.sqlite3",
    )
    assert done.returncode == 2
    assert "name the language model" in complaint(done)
