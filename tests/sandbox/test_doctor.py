"""The report says what was found by trying and what would add the rest."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from games.match import SandboxLevel
from games.sandbox import Interpreter, Namespaces, Settings, advice, diagnose

ROOT = Path(__file__).parents[2]


def test_the_report_names_the_level_that_a_sandbox_gets() -> None:
    report = diagnose(Settings())
    assert report.level in (SandboxLevel.FULL, SandboxLevel.KERNEL)
    assert {m.name for m in report.mechanisms} >= {"Landlock", "seccomp filters"}
    assert any("kernel" in warning for warning in report.warnings)


def test_a_mechanism_that_is_missing_comes_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    broken = Interpreter(program="/bin/false", site="/nonexistent")
    report = diagnose(Settings(), broken)
    assert report.level is None
    missing = {m.name: m.remedy for m in report.mechanisms if not m.present}
    assert missing["own namespaces"]
    assert missing["bubblewrap"]
    assert "no policy can run here" in report.warnings[0]
    assert any("to add it:" in line for line in report.lines())


def test_the_level_process_is_called_no_jail() -> None:
    report = diagnose(Settings(level=SandboxLevel.PROCESS))
    assert report.level is SandboxLevel.PROCESS
    assert report.namespaces is Namespaces.NONE
    assert "no jail" in report.warnings[0]


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "apparmor_parser"),
        ("kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"),
        ("user/max_user_namespaces", "0", "user.max_user_namespaces="),
    ],
)
def test_the_kernels_own_setting_decides_the_advice(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, words: str
) -> None:
    monkeypatch.setattr(advice, "_sysctl", {name: value}.get)
    assert words in advice.for_namespaces("/usr/bin/python3")


def test_a_container_is_told_what_its_engine_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advice, "_sysctl", lambda name: None)
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
    assert "--security-opt seccomp=unconfined" in advice.for_namespaces("/usr/bin/python3")


def run_module(**environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "games.sandbox"],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_module_prints_the_report() -> None:
    done = run_module(CSRO_SANDBOX="kernel")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("sandbox level: kernel\n")


def test_the_module_explains_a_wrong_setting_in_one_line() -> None:
    done = run_module(CSRO_SANDBOX="strong")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "CSRO_SANDBOX is 'strong'" in done.stderr
