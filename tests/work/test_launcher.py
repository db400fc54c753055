"""``manage.py up``: one clear line when it cannot start, and nothing left when it ends."""

from __future__ import annotations

import os
import re
import signal
import socket
import urllib.request
from pathlib import Path

from tests.services import spare_port
from tests.work.place import Place, is_running, wait_for
from tests.work.test_survival import descendants


def refusal(place: Place, *arguments: str) -> str:
    """The one line with which ``up`` ends."""
    done = place.manage("up", "--no-demo", *arguments)
    assert done.returncode == 1, done.stdout + done.stderr
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    assert len(lines) == 1, done.stderr
    return lines[0]


def test_it_starts_shows_a_password_once_stops_on_ctrl_c_and_goes_on(place: Place) -> None:
    port = spare_port()
    first = place.start("up", "--port", str(port))
    wait_for("the address", lambda: f"open http://127.0.0.1:{port}/" in place.log.read_text())
    wait_for("a moving demo", lambda: place.done_steps())
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=10) as answer:
        assert answer.status == 200
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10) as page:
        assert "script-src 'self'" in page.headers["Content-Security-Policy"]
    family = descendants(first.pid)
    os.kill(first.pid, signal.SIGINT)
    assert first.wait(timeout=30) == 0
    assert not [pid for pid in family if is_running(pid)]
    assert place.rows("SELECT count(*) FROM runs_step WHERE state = 'claimed'") == [(0,)]
    done = len(place.done_steps())

    second = place.start("up", "--port", str(port))
    wait_for("the run to go on", lambda: len(place.done_steps()) > done)
    os.kill(second.pid, signal.SIGTERM)
    assert second.wait(timeout=30) == 0
    words = place.log.read_text()
    assert len(re.findall(r"administrator: admin +password: \S{16} ", words)) == 1
    assert "runs that go on where they were: 1" in words
    assert place.rows("SELECT count(*) FROM runs_run") == [(1,)]


def test_a_paused_run_is_not_said_to_go_on(place: Place) -> None:
    run = place.launch_tiny_run()
    place.launch_tiny_run()
    code = (
        "from csro_web.runs import services; from csro_web.runs.models import Run;"
        f"services.pause_run(Run.objects.get(pk={run}))"
    )
    assert place.manage("shell", "-v0", "-c", code).returncode == 0
    place.start("up", "--no-demo", "--port", str(spare_port()))
    wait_for("the count", lambda: "runs that go on where they were: 1\n" in place.log.read_text())


def test_a_second_one_with_the_same_data_is_refused(place: Place) -> None:
    port = spare_port()
    place.start("up", "--no-demo", "--port", str(port))
    wait_for("the first", lambda: f"open http://127.0.0.1:{port}/" in place.log.read_text())
    line = refusal(place, "--port", str(spare_port()))
    assert "already running" in line
    assert "CSRO_DATA_DIR" in line


def test_a_port_in_use_is_named_with_what_to_do(place: Place) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        line = refusal(place, "--port", str(port))
    assert f"port {port}" in line
    assert "--port" in line


def test_a_database_that_is_not_there_is_named_without_its_password(place: Place) -> None:
    address = f"postgresql://csro:hunter22@127.0.0.1:{spare_port()}/csro"
    place.environment["DATABASE_URL"] = address
    line = refusal(place, "--port", str(spare_port()))
    assert "127.0.0.1" in line
    assert "start it" in line
    assert "hunter22" not in line


def test_a_broker_that_is_not_there_is_named_without_its_password(place: Place) -> None:
    place.environment["BROKER_URL"] = f"redis://:hunter22@127.0.0.1:{spare_port()}/0"
    line = refusal(place, "--port", str(spare_port()))
    assert "broker redis://" in line
    assert "BROKER_URL" in line
    assert "hunter22" not in line


def test_a_disk_that_takes_no_more_is_one_line_and_leaves_no_half_made_database(
    place: Place,
) -> None:
    import resource

    for name in ("DATABASE_URL", "BROKER_URL"):  # it is about the embedded pair
        place.environment.pop(name, None)
    done = place.manage(
        "up",
        "--no-demo",
        "--port",
        str(spare_port()),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
    )
    assert done.returncode == 1
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert str(place.directory) in done.stderr
    assert not (place.directory / "csro.sqlite3").exists()


def test_a_data_directory_that_cannot_be_made_is_one_line(place: Place, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    place.environment["CSRO_DATA_DIR"] = str(tmp_path / "file" / "data")
    assert "CSRO_DATA_DIR" in refusal(place)


def test_a_child_that_ends_is_started_again(place: Place) -> None:
    port = spare_port()
    place.start("up", "--no-demo", "--port", str(port))
    wait_for("the start", lambda: f"open http://127.0.0.1:{port}/" in place.log.read_text())
    children = descendants(place.processes[0].pid)
    worker = next(pid for pid in children if b"worker" in command_of(pid).split(b"\0"))
    os.kill(worker, signal.SIGKILL)
    wait_for(
        "the restart",
        lambda: "worker ended (killed by signal 9); starting it again" in place.log.read_text(),
    )
    assert all(is_running(pid) for pid in children - {worker})


def command_of(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()
