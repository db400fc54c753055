"""Zygotes and policy processes end with whoever started them, and nothing else is disturbed."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from games.match import FaultKind, SandboxLevel
from games.sandbox import Namespaces, PolicyFault, Sandbox, Settings
from tests.sandbox.echo import echo_job
from tests.sandbox.hostile import LEGAL, play
from tests.sandbox.processes import descendants, wait_until_gone

ROOT = Path(__file__).parents[2]
PLAIN = "class Policy:\n    def act(self, obs):\n        return 0\n"
JAILS = [
    Settings(level=SandboxLevel.KERNEL),
    Settings(namespaces=Namespaces.OWN),
    Settings(namespaces=Namespaces.BUBBLEWRAP),
]


@pytest.mark.parametrize("settings", JAILS)
@pytest.mark.parametrize("thread", [False, True])
def test_kill_9_of_the_worker_leaves_nothing_running(settings: Settings, thread: bool) -> None:
    program = f"""
        import sys, threading, time
        from games.match import SandboxLevel
        from games.sandbox import Namespaces, Sandbox, Settings
        from tests.sandbox.echo import echo_job

        def work():
            global kept
            settings = Settings(level={settings.level and str(settings.level)!r} and
                                SandboxLevel({str(settings.level)!r}),
                                namespaces={settings.namespaces and str(settings.namespaces)!r} and
                                Namespaces({str(settings.namespaces)!r}))
            sandbox = Sandbox(settings=settings)
            loop = "class Policy:\\n    def act(self, obs):\\n        while True: pass\\n"
            processes = [sandbox.spawn(echo_job(loop, 2)) for _ in range(3)]
            for process in processes:
                process.start()
                process.send(bytes(2), 2)
            kept = sandbox, processes
            print("ready", flush=True)

        if {thread}:
            worker = threading.Thread(target=work)
            worker.start()
            worker.join()
        else:
            work()
        time.sleep(600)
    """
    worker = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, cwd=ROOT
    )
    assert worker.stdout is not None
    assert worker.stdout.readline() == b"ready\n"
    family = descendants(worker.pid)
    assert len(family) >= 4
    worker.kill()
    worker.wait()
    worker.stdout.close()
    assert wait_until_gone(family) == set()


def test_a_killed_zygote_is_replaced_and_its_processes_end_as_crashes() -> None:
    others = descendants()
    with Sandbox(settings=Settings()) as sandbox:
        before = descendants() - others
        with sandbox.spawn(echo_job(PLAIN)) as process:
            process.start()
            for pid in before & descendants():
                os.kill(pid, signal.SIGKILL)
            process_gone = wait_until_gone({process.pid})
            assert process_gone == set()
            with pytest.raises(PolicyFault) as caught:
                process.send(bytes(2), 2)
            assert caught.value.kind is FaultKind.CRASH
        assert play(sandbox, PLAIN) == [LEGAL]
        assert wait_until_gone(before) == set()


def test_closing_ends_everything_and_gives_every_descriptor_back() -> None:
    open_before, running_before = len(os.listdir("/proc/self/fd")), descendants()
    sandbox = Sandbox(settings=Settings())
    processes = [sandbox.spawn(echo_job(PLAIN)) for _ in range(20)]
    for process in processes[:10]:
        process.start()
    for process in processes:
        process.close()
        process.close()
    family = descendants() - running_before
    sandbox.close()
    assert wait_until_gone(family) == set()
    assert len(os.listdir("/proc/self/fd")) == open_before


def test_a_closed_sandbox_takes_living_processes_along() -> None:
    running_before = descendants()
    sandbox = Sandbox(settings=Settings())
    process = sandbox.spawn(echo_job(PLAIN))
    process.start()
    family = descendants() - running_before
    sandbox.close()
    assert wait_until_gone(family) == set()
    process.close()


def _play_and_tell(sandbox: Sandbox, answers: multiprocessing.SimpleQueue[object]) -> None:
    zygotes_before = descendants()
    answers.put(play(sandbox, PLAIN))
    answers.put(len(descendants() - zygotes_before) > 0)
    sandbox.close()


def test_a_fork_of_the_worker_starts_a_zygote_of_its_own() -> None:
    """As in a prefork worker, whose daemonic children may not use multiprocessing themselves."""
    context = multiprocessing.get_context("fork")
    with Sandbox(settings=Settings()) as sandbox:
        answers = context.SimpleQueue()
        child = context.Process(target=_play_and_tell, args=(sandbox, answers), daemon=True)
        child.start()
        assert answers.get() == [LEGAL]
        assert answers.get() is True
        child.join()
        assert child.exitcode == 0
        assert play(sandbox, PLAIN) == [LEGAL]


def test_threads_share_one_sandbox(sandbox: Sandbox) -> None:
    ends: list[list[str]] = []

    def work() -> None:
        for _ in range(5):
            ends.append(play(sandbox, PLAIN))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ends == [[LEGAL]] * 20


def test_a_keyboard_interrupt_in_the_terminal_does_not_reach_the_jail(sandbox: Sandbox) -> None:
    with sandbox.spawn(echo_job(PLAIN)) as process:
        process.start()
        assert os.getsid(process.pid) != os.getsid(0)
