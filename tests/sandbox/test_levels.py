"""The level is found by trying, can be forced, and below the required one nothing runs."""

from __future__ import annotations

import pytest

from games.engine import EngineError, SandboxUnavailable
from games.match import SandboxLevel
from games.sandbox import (
    Interpreter,
    JailNotLocked,
    Limits,
    Namespaces,
    Sandbox,
    Settings,
    bubblewrap,
    escape,
)
from games.sandbox.zygote import Zygote, ZygoteDied
from tests.sandbox.echo import echo_job
from tests.sandbox.hostile import LEGAL, play

PLAIN = "class Policy:\n    def act(self, obs):\n        return 0\n"


def test_a_lower_level_can_be_forced() -> None:
    with Sandbox(settings=Settings(level=SandboxLevel.KERNEL)) as sandbox:
        assert sandbox.level is SandboxLevel.KERNEL
        assert sandbox.namespaces is Namespaces.NONE
        assert play(sandbox, PLAIN) == [LEGAL]


def test_below_the_required_level_nothing_runs_and_the_message_says_what_to_do() -> None:
    with pytest.raises(SandboxUnavailable, match="level full is required") as caught:
        Sandbox(required=SandboxLevel.FULL, settings=Settings(level=SandboxLevel.KERNEL))
    assert "CSRO_SANDBOX" in str(caught.value)


@pytest.mark.parametrize("required", list(SandboxLevel))
def test_the_level_process_is_refused_unless_it_is_asked_for_by_name(
    required: SandboxLevel,
) -> None:
    settings = Settings(level=SandboxLevel.PROCESS)
    with pytest.raises(SandboxUnavailable):
        Sandbox(required=required, settings=settings)
    allowed = Settings(level=SandboxLevel.PROCESS, allow_unsafe=True)
    with Sandbox(required=required, settings=allowed) as sandbox:
        assert sandbox.level is SandboxLevel.PROCESS
        assert play(sandbox, PLAIN) == [LEGAL]


def test_allowing_unsafe_policies_does_not_lower_what_the_machine_reaches() -> None:
    with Sandbox(settings=Settings(allow_unsafe=True)) as sandbox:
        assert sandbox.level in (SandboxLevel.FULL, SandboxLevel.KERNEL)


def test_settings_are_read_from_the_environment() -> None:
    environment = {"CSRO_SANDBOX": "Kernel", "CSRO_SANDBOX_NAMESPACES": "own"}
    expected = Settings(level=SandboxLevel.KERNEL, namespaces=Namespaces.OWN)
    assert Settings.from_environment(environment) == expected
    assert Settings.from_environment({"CSRO_SANDBOX": "auto"}) == Settings()
    assert Settings.from_environment({"CSRO_ALLOW_UNSAFE_POLICIES": "1"}).allow_unsafe


def test_a_wrong_setting_names_the_right_ones() -> None:
    with pytest.raises(EngineError, match="must be one of auto, full, kernel, process"):
        Settings.from_environment({"CSRO_SANDBOX": "strong"})


def test_bubblewrap_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    assert bubblewrap.program() is None
    with pytest.raises(SandboxUnavailable, match="bubblewrap is not installed"):
        Sandbox(
            required=SandboxLevel.FULL,
            settings=Settings(level=SandboxLevel.FULL, namespaces=Namespaces.BUBBLEWRAP),
        )


def test_an_interpreter_that_does_not_start_is_no_silent_fallback() -> None:
    broken = Interpreter(program="/bin/false", site="/nonexistent")
    with pytest.raises(SandboxUnavailable, match="does not reach it"):
        Sandbox(settings=Settings(), interpreter=broken)


def test_an_interpreter_without_numpy_is_refused() -> None:
    without = Interpreter(program=Interpreter.default().program, site="/nonexistent")
    with pytest.raises(SandboxUnavailable, match="No module named 'numpy'"):
        Sandbox(settings=Settings(), interpreter=without)


def test_the_escape_test_notices_a_jail_that_leaks() -> None:
    """Level process is no jail: the same attempts succeed there."""
    zygote = Zygote(Interpreter.default(), SandboxLevel.PROCESS, Namespaces.NONE)
    try:
        with pytest.raises(ZygoteDied, match="got out: a policy can") as caught:
            escape.check(zygote, SandboxLevel.FULL)
    finally:
        zygote.close()
    for name in ("read a file", "open a socket", "call the kernel", "see a file"):
        assert name in str(caught.value)


def test_a_child_whose_locks_fail_never_sees_the_policy() -> None:
    impossible = Limits(open_files=2**40)
    with (
        Sandbox(settings=Settings()) as sandbox,
        sandbox.spawn(echo_job(PLAIN, limits=impossible)) as process,
        pytest.raises(JailNotLocked, match="could not be locked"),
    ):
        process.start()
