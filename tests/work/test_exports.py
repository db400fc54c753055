"""An export whose worker is killed is made again, once, with the same content."""

from __future__ import annotations

import hashlib
import os
import signal

from csro_web.bundles.reading import read_bundle
from tests.work.place import Place, is_running, wait_for

CONFIG = {
    "game": "rrps",
    "initial": ["mostly_paper", "last_reaction"],
    "iterations": 1,
    "refinements": 1,
    "episodes": 2,
    "evaluation_episodes": 4,
    "seed": 5,
}
ASK = (
    "from csro_web.exports import services; from csro_web.runs.models import Run;"
    "services.ask(run=Run.objects.get(pk={run}), policy=None, draft=True, person=None)"
)


def worker_in_the_middle(place: Place) -> int | None:
    """The process that has played some of the export's matches, and not all."""
    rows = place.rows(
        "SELECT owner FROM jobs_job WHERE kind = 'export' AND state = 'claimed'"
        " AND progress_done > 0 AND progress_done < progress_total"
    )
    return int(rows[0][0].split(":")[1]) if rows else None


def test_an_export_survives_kill_9_of_its_worker_and_gives_one_file(place: Place) -> None:
    run = place.launch_tiny_run(CONFIG)
    assert (done := place.manage("help_solve", str(run))).returncode == 0, done.stderr
    assert (done := place.manage("shell", "-v0", "-c", ASK.format(run=run))).returncode == 0
    place.start("reconcile")
    place.start("worker")
    pid = wait_for("an export in work", lambda: worker_in_the_middle(place))
    os.kill(pid, signal.SIGKILL)
    wait_for("the worker's death", lambda: not is_running(pid))
    assert place.rows("SELECT id FROM exports_exportfile") == []
    place.start("worker")
    done_query = "SELECT attempts FROM jobs_job WHERE kind = 'export' AND state = 'done'"
    ((attempts,),) = wait_for("the export", lambda: place.rows(done_query))
    assert attempts == 2
    ((data, sha256),) = place.rows("SELECT data, sha256 FROM exports_exportfile")
    assert hashlib.sha256(bytes(data)).hexdigest() == sha256
    assert read_bundle(bytes(data)).is_draft
    made = place.rows("SELECT sequence FROM audit_auditevent WHERE action = 'export.made'")
    assert len(made) == 1
