"""Whole runs on a server that misbehaves, through real workers: none hangs, overspends or tells.

Issues 15799 and 30670 of BerriAI/litellm tell how keys get into error messages and records.
"""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.work.misbehaving import CALLS, KINDS, RETRIES, MisbehavingServer
from tests.work.place import TINY, Place, wait_for
from tests.work.test_survival import descendants

PLANTED = {
    "LAB_API_KEY": "planted-lab-key-5f2c",
    "OPENAI_API_KEY": "sk-planted-openai-77aa",
    "ANTHROPIC_API_KEY": "planted-anthropic-0b1e",
    "SOME_TOKEN": "planted-other-token-91",
}
SECRETS = [value.encode() for value in PLANTED.values()]
LAUNCH = """
import json
from csro_web.runs import services
from oracles.config import RunConfig
configs = json.loads({configs!r})
print({{name: services.create_run(config=RunConfig.from_json(c), name=name).pk
       for name, c in configs.items()}})
"""
PAGES = """
from pathlib import Path
from django.test import Client
from csro_web.accounts.models import Role, User
from csro_web.calls.models import ModelCall
from csro_web.policies.models import Candidate, Policy
from csro_web.runs.models import Run
client = Client(SERVER_NAME="localhost")
client.force_login(User.objects.create_superuser("a", password="a", role=Role.ADMINISTRATOR))
places = ["/", "/runs/new", "/requests"]
for pk in Run.objects.values_list("pk", flat=True):
    ends = ("", "/live", "/calls", "/calls.csv", "/calls.json", "/candidates", "/payoffs.csv")
    places += [f"/runs/{pk}{end}" for end in ends]
places += [f"/calls/{pk}" for pk in ModelCall.objects.values_list("pk", flat=True)]
places += [f"/candidates/{pk}" for pk in Candidate.objects.values_list("pk", flat=True)]
places += [f"/policies/{pk}" for pk in Policy.objects.values_list("pk", flat=True)]
for place in places:
    answer = client.get(place)
    assert answer.status_code in (200, 204), (place, answer.status_code)
    Path(TARGET, place.replace("/", "_") + ".page").write_bytes(
        b"".join(answer.streaming_content) if answer.streaming else answer.content)
print(len(places))
"""


@pytest.fixture
def server() -> Iterator[MisbehavingServer]:
    with MisbehavingServer() as made:
        yield made


def prepare(place: Place, server: MisbehavingServer) -> None:
    file = place.directory / "endpoints.toml"
    file.write_text(server.endpoints())
    # A worker that is only slow must not lose its lease: it would give its request up.
    place.environment |= {"CSRO_ENDPOINTS": str(file), "CSRO_LEASE_SECONDS": "60", **PLANTED}
    assert (done := place.manage("migrate", "-v0")).returncode == 0, done.stderr


def config(kind: str, oracle: str, **changes: object) -> dict[str, object]:
    return {
        **TINY,
        "oracle": oracle,
        "writer": "llm",
        "refinements": 2,
        "model": {
            "models": [{"model": kind, "endpoint": "lab"}],
            "deadline_seconds": KINDS[kind].deadline_seconds,
            "retries": RETRIES,
            "max_tokens": 500,
        },
        "budget": {"calls": CALLS, "tokens": 1_000_000, "usd": 5},
        **changes,
    }


def launch(place: Place, configs: dict[str, dict[str, object]]) -> dict[str, int]:
    code = LAUNCH.format(configs=json.dumps(configs))
    done = place.manage("shell", "-v0", "-c", code)
    assert done.returncode == 0, done.stderr
    found: dict[str, int] = json.loads(done.stdout.strip().splitlines()[-1].replace("'", '"'))
    return found


PATIENCE = 400.0
"""Seconds; a machine that does much else at the same time needs them."""


def at_rest(place: Place) -> bool:
    states = {state for (state,) in place.rows("SELECT state FROM runs_run")}
    return states <= {"finished", "paused", "failed", "cancelled"}


def finish(place: Place) -> None:
    wait_for("the end of the run", lambda: at_rest(place), PATIENCE)
    assert place.run_state() == "finished", place.log.read_text()[-3000:]


@contextmanager
def watching(pid: int) -> Iterator[dict[int, int]]:
    """How often a key was seen in the environment of each process that ``pid`` starts meanwhile.

    Between fork and exec a child still shows its parent's environment, so once means nothing.
    """
    seen: dict[int, int] = {}
    over = threading.Event()

    def look() -> None:
        while not over.wait(0.02):
            try:
                for child in descendants(pid):
                    environment = Path(f"/proc/{child}/environ").read_bytes()
                    holds = any(secret in environment for secret in SECRETS)
                    seen[child] = seen.get(child, 0) + holds
            except OSError:  # a process has ended meanwhile
                continue

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield seen
    finally:
        over.set()
        thread.join()


def all_rows(place: Place) -> str:
    """Every row of every table."""
    if place.environment.get("DATABASE_URL"):
        query = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    else:
        query = "SELECT name FROM sqlite_master WHERE type = 'table'"
    tables = [name for (name,) in place.rows(query)]
    assert {"runs_run", "runs_step", "calls_modelcall", "policies_candidate"} <= set(tables)
    return "\n".join(repr(place.rows(f'SELECT * FROM "{table}"')) for table in tables)


def oracle_for(kind: str) -> str:
    """Refinement where a later proposal meets the outcome of an earlier one."""
    refines = ("waits", "always-500", "empty", "other-model", "tells-the-key")
    return "linear_refinement" if kind in refines else "zero_shot"


def test_no_misbehaviour_of_a_server_hangs_a_run_passes_its_budget_or_tells_a_key(
    place: Place, server: MisbehavingServer
) -> None:
    prepare(place, server)
    began = time.monotonic()
    runs = launch(place, {kind: config(kind, oracle_for(kind)) for kind in KINDS})
    worker = place.start("worker")
    place.start("reconcile")
    with watching(worker.pid) as environments:
        wait_for("all runs to come to rest", lambda: at_rest(place), PATIENCE)
    print(f"{len(runs)} runs in {time.monotonic() - began:.0f} s")

    states = dict(place.rows("SELECT id, state FROM runs_run"))
    assert {kind: states[run] for kind, run in runs.items()} == {
        kind: known.ends for kind, known in KINDS.items()
    }, place.log.read_text()[-3000:]
    sent = place.rows("SELECT run_id, outcome, error FROM calls_modelcall")
    for kind, run in runs.items():
        outcomes = [outcome for number, outcome, _ in sent if number == run]
        assert set(outcomes) <= KINDS[kind].outcomes, (kind, sent)
        assert len(outcomes) == server.asked[kind], "a request was sent that is not written down"
        assert 1 <= len(outcomes) <= CALLS
    assert all(outcome == "answered" or error for _, outcome, error in sent)
    spending = place.rows("SELECT calls, tokens, nano_usd FROM calls_spending")
    assert all(c <= CALLS and t <= 1_000_000 and usd <= 5e9 for c, t, usd in spending)

    pages = place.directory / "pages"
    pages.mkdir()
    done = place.manage("shell", "-v0", "-c", PAGES.replace("TARGET", repr(str(pages))))
    assert done.returncode == 0, done.stderr
    for kind, run in runs.items():
        shown = (pages / f"_runs_{run}_calls.page").read_text()
        assert kind in shown
        for outcome in {outcome for number, outcome, _ in sent if number == run}:
            assert outcome.replace("_", " ").capitalize() in shown

    for received in server.requests:
        assert received.headers["authorization"] == f"Bearer {PLANTED['LAB_API_KEY']}"
        assert not any(received.holds(value) for value in list(PLANTED.values())[1:])
    assert len(environments) >= 2, "neither a referee nor a zygote was seen"
    assert max(environments.values()) < 5, "a child of the worker holds a key"
    rows = all_rows(place)
    assert [value for value in PLANTED.values() if value in rows] == []
    assert "planted" not in rows
    told = [
        file.name
        for file in place.directory.rglob("*")
        if file.is_file() and b"planted" in file.read_bytes()
    ]
    assert told == [], "a page, a log or a file of the data directory holds a key"
    assert os.listdir(pages)


def answered_but_not_saved(place: Place, pid: int) -> str | None:
    """Key of a step that the frozen worker holds an answer for; else the worker goes on."""
    query = (
        "SELECT c.key FROM calls_modelcall c JOIN runs_step s ON s.run_id = c.run_id"
        " AND s.key = c.key || '/write' WHERE c.outcome = 'answered' AND s.state = 'claimed'"
    )
    if not place.rows(query):
        return None
    os.kill(pid, signal.SIGSTOP)
    found = place.rows(query)
    if found:
        return str(found[0][0])
    os.kill(pid, signal.SIGCONT)
    return None


def test_a_worker_killed_between_answer_and_result_pays_once(
    place: Place, server: MisbehavingServer
) -> None:
    prepare(place, server)
    many = config("good", "linear_refinement", refinements=12, budget={"calls": 12})
    launch(place, {"run": many})
    worker = place.start("worker")
    place.start("reconcile")
    key = wait_for("an answer", lambda: answered_but_not_saved(place, worker.pid), PATIENCE)
    worker.kill()
    worker.wait()
    place.start("worker")
    finish(place)
    calls = [one for (one,) in place.rows("SELECT key FROM calls_modelcall")]
    assert calls.count(key) == 1
    assert len(calls) == len(server.requests) == 12
    (result,) = place.rows(f"SELECT result FROM runs_step WHERE key = '{key}/write'")[0]
    assert json.loads(result)["completion"]["requests"] == 1


def test_a_request_of_a_killed_worker_is_abandoned_and_counts(
    place: Place, server: MisbehavingServer
) -> None:
    prepare(place, server)
    patient = config("silent", "zero_shot", budget={"calls": 1})
    patient["model"] = {**patient["model"], "deadline_seconds": 3600}  # type: ignore[dict-item]
    launch(place, {"run": patient})
    worker = place.start("worker")
    place.start("reconcile")
    wait_for("a request in flight", lambda: server.requests, PATIENCE)
    worker.kill()
    worker.wait()
    outcomes = "SELECT outcome FROM calls_modelcall"
    wait_for("its end", lambda: place.rows(outcomes) == [("abandoned",)])
    place.start("worker")
    finish(place)
    assert len(server.requests) == 1
    notes = place.rows("SELECT note FROM runs_iteration")
    assert "budget of 1 call is used up" in notes[0][0]


def test_a_run_that_waits_for_a_key_goes_on_when_it_is_there(
    place: Place, server: MisbehavingServer
) -> None:
    prepare(place, server)
    del place.environment["LAB_API_KEY"]
    runs = launch(place, {"run": config("good", "zero_shot")})
    worker = place.start("worker")
    place.start("reconcile")
    wait_for("the pause", lambda: place.run_state() == "paused", PATIENCE)
    given_back = "SELECT attempts FROM runs_step WHERE kind = 'write' AND state = 'ready'"
    wait_for("the step, given back", lambda: place.rows(given_back))
    ((reason, attempts),) = place.rows(
        "SELECT r.pause_reason, s.attempts FROM runs_run r JOIN runs_step s ON s.run_id = r.id"
        " WHERE s.kind = 'write'"
    )
    assert "needs its key in the variable LAB_API_KEY" in reason
    assert (attempts, server.requests) == (0, [])
    worker.terminate()
    worker.wait()
    place.environment["LAB_API_KEY"] = PLANTED["LAB_API_KEY"]
    code = (
        "from csro_web.runs import services; from csro_web.runs.models import Run;"
        f"services.resume_run(Run.objects.get(pk={runs['run']}))"
    )
    assert place.manage("shell", "-v0", "-c", code).returncode == 0
    place.start("worker")
    finish(place)
    assert len(server.requests) == 1


def has_rows(place: Place, query: str, count: int) -> bool:
    return len(place.rows(query)) == count


def test_an_operator_has_a_worker_send_a_call_again_and_the_run_stays_as_it_is(
    place: Place, server: MisbehavingServer
) -> None:
    prepare(place, server)
    launch(place, {"run": config("good", "zero_shot", budget={"calls": 2})})
    place.start("worker")
    place.start("reconcile")
    finish(place)
    before = place.numbers()
    code = (
        "from csro_web.calls import resending; from csro_web.calls.models import ModelCall;"
        "resending.ask_resend(call=ModelCall.objects.first(), asked_by=None)"
    )
    for number, expected in enumerate(("done", "failed"), 1):
        assert (done := place.manage("shell", "-v0", "-c", code)).returncode == 0, done.stderr
        ended = "SELECT state FROM calls_resend WHERE state IN ('done', 'failed') ORDER BY id"
        wait_for(expected, partial(has_rows, place, ended, number), PATIENCE)
        assert place.rows(ended)[-1] == (expected,)
    keys = place.rows("SELECT key, purpose, messages FROM calls_modelcall ORDER BY id")
    assert [key for key, *_ in keys] == ["it1/attempt1", "resend/1/1"]
    assert keys[0][1:] == keys[1][1:]
    assert server.requests[0].body == server.requests[1].body
    assert "budget of 2 calls" in place.rows("SELECT max(failure) FROM calls_resend")[0][0]
    assert place.numbers() == before
