"""Of the processes that ``./csro run`` starts, the workers alone get the keys of models."""

from __future__ import annotations

from pathlib import Path

from tests.services import spare_port
from tests.work.place import Place, wait_for
from tests.work.test_survival import descendants

ENDPOINTS = '[lab]\napi_base = "http://127.0.0.1:9/v1"\nkey_env = "LAB_TOKEN"\nmodels = ["m"]\n'
KEYS = {"LAB_TOKEN": "planted-lab-1", "OPENAI_API_KEY": "planted-openai-2"}
PROCESSES = {"web": "gunicorn", "worker": "django worker", "reconciler": "django reconcile"}


def environments(pid: int) -> dict[str, bytes]:
    """Of each process by its name, once it runs its own program."""
    found: dict[str, bytes] = {}
    for child in descendants(pid):
        try:
            command = Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" ").decode()
            environment = Path(f"/proc/{child}/environ").read_bytes()
        except OSError:  # it has ended meanwhile
            continue
        for name, words in PROCESSES.items():
            if words in command and "launcher.child" not in command:
                found[name] = environment
    return found if len(found) == len(PROCESSES) else {}


def test_web_and_reconciler_are_started_without_the_keys(place: Place) -> None:
    file = place.directory / "endpoints.toml"
    file.write_text(ENDPOINTS)
    place.environment |= {"CSRO_ENDPOINTS": str(file), **KEYS}
    launcher = place.start("up", "--no-demo", "--port", str(spare_port()))
    found = wait_for("all three", lambda: environments(launcher.pid), seconds=300)
    assert all(value.encode() in found["worker"] for value in KEYS.values())
    for name in ("web", "reconciler"):
        assert b"planted" not in found[name], name
        assert b"CSRO_ENDPOINTS=" in found[name]


def test_a_file_of_endpoints_with_a_mistake_is_told_before_anything_starts(place: Place) -> None:
    file = place.directory / "endpoints.toml"
    file.write_text('[lab]\nmodels = ["m"]\napi_key = "planted-3"\n')
    place.environment["CSRO_ENDPOINTS"] = str(file)
    done = place.manage("up", "--no-demo", "--port", str(spare_port()))
    assert done.returncode != 0
    assert "[lab] api_key: keys never stand in this file" in done.stderr
    assert "planted" not in done.stdout + done.stderr
