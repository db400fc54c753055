"""``solve --oracle llm_agent``, against a real server that answers well, badly and too slowly."""

from __future__ import annotations

import json
import os
import signal
from typing import Any

from tests.model_server import MODEL, ModelServer, answers, silent, status
from tests.work.place import PATIENCE_SECONDS, Place, wait_for

AGENT = ("solve", "--oracle", "llm_agent", "--seed", "4")


def asking(server: ModelServer, *more: str) -> tuple[str, ...]:
    return (*AGENT, "--model", MODEL, "--api-base", server.url, *more)


def test_the_table_and_the_answer_say_on_what_the_figures_rest(place: Place) -> None:
    with ModelServer("1") as server:
        server.script(answers("No idea."), status(429, retry_after="0"))
        done = place.manage(
            *asking(server, "--game", "rrps", "--agent-turns", "4", "--agent-opponents", "3"),
            *("--workers", "2", "--json", str(place.directory / "answer.json")),
        )
        assert done.returncode == 0, done.stderr
        assert all(received.body["model"] == MODEL for received in server.requests)
    assert "run 1: agent" in done.stdout
    assert "rests on 12 throws (12 turns asked, 1" in done.stdout
    assert "against 3 of 43 opponents, scaled to 1,000 throws" in done.stdout
    assert "published: LLM agent, called every turn" in done.stdout
    table = place.manage("table", "--game", "rrps")
    assert "a sample: at most 4 turns an episode, 3 opponents, local-model" in table.stdout
    answer: dict[str, Any] = json.loads((place.directory / "answer.json").read_text())
    assert answer["best_policy"] is None
    agent = answer["agent"]
    assert (agent["turns_asked"], agent["opponents"], agent["asked_again"]) == (12, 3, 1)
    assert agent["calls"] == len(server.requests) == answer["model_calls"]
    assert place.rows("SELECT count(*) FROM calls_modelcall WHERE purpose = 'turn'") == [
        (len(server.requests),)
    ]


def test_a_budget_that_ends_midway_leaves_figures_with_their_size(place: Place) -> None:
    with ModelServer("Call") as server:
        done = place.manage(
            *asking(server, "--game", "leduc", "--agent-turns", "6", "--max-calls", "9"),
        )
        assert len(server.requests) == 9
    assert done.returncode == 0, done.stderr
    assert "cut short: " in done.stdout
    assert "Traceback" not in done.stderr


def test_a_killed_worker_pays_no_turn_twice(place: Place) -> None:
    turns = 8
    with ModelServer("Rock") as server:
        server.script(*[answers("Paper")] * 3, silent())
        process = place.start(
            *asking(server, "--game", "rrps", "--agent-turns", str(turns)),
            *("--agent-opponents", "1"),
        )
        wait_for("the fourth request", lambda: len(server.requests) == 4)
        os.kill(process.pid, signal.SIGKILL)
        process.wait(timeout=PATIENCE_SECONDS)
        done = place.manage("help_solve", "1")
        assert done.returncode == 0, done.stderr
        place.wait_until_finished()
        # three were answered before, the fourth was lost with the process, five are new
        assert len(server.requests) == 4 + turns - 3
    (agent,) = place.rows("SELECT agent FROM runs_run")[0]
    counts = json.loads(agent) if isinstance(agent, str) else agent
    assert (counts["turns_asked"], counts["units"]) == (turns, turns)
