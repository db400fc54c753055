"""The whole way of a policy through the desk, in a browser, by four people.

A reviewer opens the queue, compares two refinements, questions a line, edits, tries and commits.
The thread is carried to the edit. Another person has it re-evaluated and approves it, a third
exports it, and the bundle is verified in an empty directory and played by a plain Python.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from csro_web import signing
from csro_web.accounts.models import Role
from csro_web.audit.models import AuditEvent
from csro_web.jobs.work import perform_waiting
from csro_web.leases.outcome import Outcome
from csro_web.policies.models import Origin, Policy
from csro_web.runs import services
from csro_web.runs.models import Run, RunState, StepState
from csro_web.runs.worker import Worker
from games.registry import get_game
from oracles.config import RunConfig
from tests.browser import Watched

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.django_db(transaction=True)]
ROOT = Path(__file__).resolve().parents[2]
SEARCH = {
    "game": "leduc",
    "iterations": 1,
    "refinements": 3,
    "episodes": 4,
    "evaluation_episodes": 4,
    "seed": 5,
}
PLAYS = """
import importlib, json, sys
sys.path.insert(0, sys.argv[1])
package = importlib.import_module(sys.argv[2])
observation = json.loads(sys.argv[3])
drawn = [package.Mixture(1, 2, package.GAME, seed) for seed in range(50)]
actions = {int(one.act(dict(observation))) for one in drawn}
assert actions <= set(observation["legal_actions"]), actions
there = {name.split(".")[0] for name in sys.modules}
strangers = there & {"django", "games", "oracles", "csro_web"}
print(json.dumps([sorted(strangers), sorted({one.name for one in drawn})]))
"""


@pytest.fixture
def worker() -> Iterator[Worker]:
    made = Worker(engine_workers=2, announce=False)
    yield made
    made.close()


def work(worker: Worker, run: Run) -> Run:
    """What a worker does until nothing is ready: jobs, then steps."""
    while True:
        perform_waiting(worker)
        step = run.steps.filter(state=StepState.READY).order_by("order").first()
        if step is None:
            return Run.objects.get(pk=run.pk)
        assert worker.perform(step.pk) is Outcome.SAVED


def prepend(page: Any, text: str) -> None:
    """Typed at the beginning of the editor, with its keys."""
    page.wait_for_selector(".ace_line")
    page.click("#editor")
    page.keyboard.press("Control+Home")
    page.keyboard.type(text)


def as_person(open_browser: Callable[..., Watched], name: str, **options: Any) -> Watched:
    browser = open_browser(**options)
    browser.sign_in(name)
    return browser


def reviewed(browser: Watched, worker: Worker, run: Run) -> Policy:
    """Queue, comparison, comment, edit, trial, commit; the edit."""
    page = browser.page
    page.click("nav[aria-label=Main] >> text=Review")
    page.click("main table a:has-text('best response 1')")
    page.wait_for_selector("h1:has-text('best response 1')")
    found = run.policies.get(origin__in=(Origin.GENERATED, Origin.REFINED))

    page.click("text=what changed >> nth=0")
    page.wait_for_selector(".diff")
    page.keyboard.press("]")
    page.wait_for_selector(".diff")

    browser.open(f"/policies/{found.pk}")
    page.click("#L2 a.ln")
    page.click("text=Comment on line 2")
    page.fill("form.comment-box textarea", "What does this line promise?")
    page.click("text=Add to my review")
    page.click("text=Finish my review (1 draft)")
    page.fill("#body", "One question.")
    page.click("text=Publish the review")
    page.wait_for_selector("text=Your review is published")

    browser.open(f"/policies/{found.pk}/edit")
    prepend(page, "# Read by a person who plays poker.\nCAUTION = 1\n")
    page.click("#try")
    page.wait_for_selector("[data-trial]")
    perform_waiting(worker)
    page.wait_for_selector("#tried >> text=You tried this")
    page.fill("#reason", "It says who has read it.")
    page.click("button:has-text('Commit')")
    page.wait_for_url("**/changes/*")
    assert work(worker, run).state == RunState.FINISHED
    page.wait_for_selector("#h-whom")
    edit: Policy = run.policies.get(origin=Origin.EDITED)
    return edit


def answered(browser: Watched, edit: Policy) -> None:
    """The thread was carried two lines down; its asker is satisfied."""
    page = browser.page
    browser.open(f"/policies/{edit.pk}")
    thread = page.locator("article.thread")
    thread.wait_for()
    assert "moved" in thread.inner_text().lower()
    assert "What does this line promise?" in thread.inner_text()
    thread.locator("text=Resolve").first.click()
    page.wait_for_selector("article.thread-resolved")


def approved(browser: Watched, worker: Worker, edit: Policy) -> None:
    page = browser.page
    browser.open(f"/policies/{edit.pk}/approval")
    assert page.is_disabled("button:has-text('Approve')")
    page.click("button:has-text('Re-evaluate')")
    page.wait_for_selector(".job")
    perform_waiting(worker)
    page.wait_for_selector("dt:has-text('Held-out opponents')")
    page.fill("#id_reason", "I followed it line by line.")
    page.click("button:has-text('Approve')")
    page.wait_for_selector(".note-success")


def exported(browser: Watched, worker: Worker, run: Run, target: Path) -> Path:
    page = browser.page
    browser.open(f"/runs/{run.pk}")
    page.click("main >> text=Export")
    page.click("button:has-text('Export')")
    page.wait_for_selector(".job")
    perform_waiting(worker)
    with page.expect_download() as download:
        page.click("text=Download (")
    bundle = target / download.value.suggested_filename
    download.value.save_as(bundle)
    return bundle


def in_an_empty_place(directory: Path, *command: str) -> subprocess.CompletedProcess[str]:
    directory.mkdir()
    environment = {"PATH": os.environ["PATH"], "HOME": str(directory), "CSRO_VENV": sys.prefix}
    return subprocess.run(
        command,
        cwd=directory,
        env=environment,
        text=True,
        capture_output=True,
        timeout=300,
        check=False,
    )


def test_a_policy_is_questioned_edited_approved_and_handed_over(
    open_browser: Callable[..., Watched],
    person: Callable[[str], Any],
    worker: Worker,
    tmp_path: Path,
) -> None:
    operator, reviewer = person(Role.OPERATOR), person(Role.REVIEWER)
    approver = person(Role.APPROVER)
    config = RunConfig.from_json(SEARCH)
    run = services.create_run(config=config, launched_by=operator, announce=False)
    run = work(worker, run)
    assert run.state == RunState.FINISHED

    reading = as_person(open_browser, reviewer.username)
    edit = reviewed(reading, worker, run)
    answered(reading, edit)
    approved(as_person(open_browser, approver.username), worker, edit)
    handing = as_person(open_browser, operator.username, accept_downloads=True)
    bundle = exported(handing, worker, run, tmp_path)

    key = signing.public_key().hex()
    checked = in_an_empty_place(
        tmp_path / "check",
        *(str(ROOT / "csro"), "verify", str(bundle), "--key", key, "--replay"),
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr

    unpacked = tmp_path / "unpacked"
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(unpacked)
    package = next(path.parent.name for path in unpacked.glob("*/mixture.py"))
    played = in_an_empty_place(
        tmp_path / "plain",
        *(sys.executable, "-c", PLAYS, str(unpacked), package),
        json.dumps(get_game("leduc").example_observation()),
    )
    assert played.returncode == 0, played.stderr
    assert json.loads(played.stdout) == [[], [edit.name]]

    actions = list(AuditEvent.objects.order_by("sequence").values_list("action", "actor_name"))
    for wanted in (
        ("review.published", "reviewer"),
        ("policy.committed", "reviewer"),
        ("thread.resolved", "reviewer"),
        ("policy.approved", "approver"),
        ("export.asked", "operator"),
        ("export.downloaded", "operator"),
    ):
        assert wanted in actions
