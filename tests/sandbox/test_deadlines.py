"""Time is charged as CPU, per decision; who sleeps or does not read is stopped as well."""

from __future__ import annotations

import pytest

from games.match import FaultKind
from games.sandbox import Limits, PolicyFault, Sandbox
from tests.sandbox.echo import echo_job

BURN = """
class Policy:
    def act(self, obs):
        import time
        until = time.process_time() + {seconds}
        while time.process_time() < until:
            pass
        return 0
"""
ONE = Limits(construct_seconds=1.0, decision_seconds=0.05, idle_seconds=0.3)


def fault_of(sandbox: Sandbox, source: str, limits: Limits, episodes: int = 1) -> PolicyFault:
    with sandbox.spawn(echo_job(source, episodes, limits=limits)) as process:
        try:
            process.start()
            for _ in range(100):
                process.send(bytes(episodes), episodes)
                process.receive()
        except PolicyFault as fault:
            return fault
    raise AssertionError("no limit was reached")


def test_a_decision_that_computes_too_long_is_a_timeout(sandbox: Sandbox) -> None:
    fault = fault_of(sandbox, BURN.format(seconds=10), ONE)
    assert fault.kind is FaultKind.TIMEOUT
    assert "computed for" in fault.detail


def test_a_batch_has_the_time_of_all_its_decisions(sandbox: Sandbox) -> None:
    source = BURN.format(seconds=0.03)
    with sandbox.spawn(echo_job(source, 8, limits=ONE)) as process:
        process.start()
        process.send(bytes(8), 8)
        assert memoryview(process.receive()).cast("i").tolist() == [0] * 8


def test_many_slow_messages_are_charged_each_for_itself(sandbox: Sandbox) -> None:
    with sandbox.spawn(echo_job(BURN.format(seconds=0.03), 1, limits=ONE)) as process:
        process.start()
        for _ in range(6):
            process.send(b"\0", 1)
            process.receive()
        used = process.cpu_seconds()
        assert used is not None
        assert used >= 0.18


def test_a_policy_that_waits_for_ever_is_stopped_without_using_cpu(sandbox: Sandbox) -> None:
    source = "class Policy:\n    def act(self, obs):\n        import threading\n"
    source += "        lock = threading.Lock()\n        lock.acquire()\n        lock.acquire()\n"
    fault = fault_of(sandbox, source, ONE)
    assert fault.kind is FaultKind.TIMEOUT
    assert "neither computed nor answered" in fault.detail


def test_a_constructor_has_a_limit_of_its_own(sandbox: Sandbox) -> None:
    source = "class Policy:\n    def __init__(self, *a):\n        while True:\n            pass\n"
    limits = Limits(construct_seconds=0.2, decision_seconds=0.01)
    fault = fault_of(sandbox, source + "    def act(self, obs): return 0\n", limits)
    assert fault.kind is FaultKind.TIMEOUT


def test_a_life_has_a_budget(sandbox: Sandbox) -> None:
    limits = Limits(decision_seconds=5.0, total_cpu_seconds=1.0)
    fault = fault_of(sandbox, BURN.format(seconds=0.3), limits)
    assert fault.kind is FaultKind.TIMEOUT
    assert "over its life" in fault.detail


def test_a_policy_that_does_not_read_cannot_block_the_referee(sandbox: Sandbox) -> None:
    view = """
class View:
    def start(self, construct): pass
    def run(self, message, reply):
        import os
        os.write(3, bytes(4))
        while True: pass
def make_view(setup): return View()
"""
    job = echo_job("class Policy: pass", 1, view_source=view, limits=ONE)
    with sandbox.spawn(job) as process:
        process.start()
        process.send(b"\0", 1)
        assert process.receive() == bytes(4)
        with pytest.raises(PolicyFault) as caught:
            process.send(bytes(8_000_000), 1)
        assert caught.value.kind is FaultKind.TIMEOUT


def test_limits_must_be_positive() -> None:
    with pytest.raises(ValueError, match="decision_seconds"):
        Limits(decision_seconds=0)
