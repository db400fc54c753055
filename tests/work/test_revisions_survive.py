"""Whatever is killed while a finished run is revised, the revision ends as if nothing had been."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any

from tests.services import spare_port
from tests.work.place import Place, is_running, wait_for
from tests.work.test_survival import descendants

SLOW = """class Policy:
    '''Calls, after some thought.'''

    def act(self, obs):
        sum(range(30000))
        return 1
"""
REVISE = f"""
from csro_web.accounts.models import User
from csro_web.changes import services
from csro_web.policies.models import Policy
person = User.objects.create_user("anna")
first = Policy.objects.select_related("run").get(index=0)
services.commit(run=first.run, person=person, source={SLOW!r}, reason="x", parent=first)
services.withdraw(policy=first, person=person, reason="y")
"""


def revise(place: Place) -> None:
    """A run that has ended, and two people's changes of its population."""
    run = place.launch_tiny_run()
    assert (done := place.manage("help_solve", str(run))).returncode == 0, done.stderr
    assert place.run_state() == "finished"
    assert (done := place.manage("shell", "-v0", "-c", REVISE)).returncode == 0, done.stderr
    assert place.run_state() == "running"


def found(place: Place) -> dict[str, Any]:
    changes = place.rows("SELECT number, outcome, note, policy_id FROM changes_change ORDER BY id")
    return {**place.numbers(), "changes": changes}


def row_in_work(place: Place) -> int | None:
    """The process that plays the row of the commit at this moment."""
    step = place.step_in_work()
    return step[1] if step and step[0].startswith("change/1/row/") else None


def test_a_revision_survives_kill_9_of_its_worker_and_of_the_whole_application(
    places: Callable[[str], Place],
) -> None:
    calm, place = places("calm"), places("place")
    revise(calm)
    assert (done := calm.manage("help_solve", "1")).returncode == 0, done.stderr
    calm.wait_until_finished()
    expected = found(calm)
    assert [row[1] for row in expected["changes"]] == ["joined", "done"]

    revise(place)
    saved = place.done_steps()
    place.start("worker")
    place.start("reconcile")
    pid = wait_for("the row in work", lambda: row_in_work(place))
    os.kill(pid, signal.SIGKILL)
    wait_for("the worker's death", lambda: not is_running(pid))
    assert place.run_state() == "running"

    up = ("up", "--no-demo", "--port", str(spare_port()))
    launcher = place.start(*up)
    wait_for("the row in work again", lambda: row_in_work(place) not in (None, pid))
    family = descendants(launcher.pid)
    os.kill(launcher.pid, signal.SIGKILL)
    launcher.wait()
    wait_for("the end of all", lambda: not any(is_running(one) for one in family), seconds=20)

    place.start(*up)
    place.wait_until_finished()
    assert found(place) == expected
    done_steps = place.done_steps()
    assert {key: done_steps[key] for key in saved} == saved, "a saved step was done again"
