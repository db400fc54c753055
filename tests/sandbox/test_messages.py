"""Messages and replies are exact words, of any size, and nothing else is believed."""

from __future__ import annotations

from array import array

import pytest

from games.match import FaultKind
from games.sandbox import Limits, PolicyFault, Sandbox
from tests.sandbox.echo import echo_job

ECHO = """
class Policy:
    def act(self, obs):
        return obs["byte"] % 3
"""
BULK_VIEW = """
class View:
    def start(self, construct):
        self.act = construct(0, 0, 2, {}, 0)

    def run(self, message, reply):
        total = sum(message[::997])
        for i in range(len(reply)):
            reply[i] = (len(message) + total) % 65521
        return len(reply)


def make_view(setup):
    return View()
"""


def words(reply: bytes) -> list[int]:
    return memoryview(reply).cast("i").tolist()


def test_replies_come_in_the_order_of_the_decisions(sandbox: Sandbox) -> None:
    with sandbox.spawn(echo_job(ECHO, episodes=5)) as process:
        assert process.start().failed == ()
        for message in (bytes([0, 1, 2, 1, 0]), bytes([2, 2, 1, 0, 0])):
            process.send(message, 5)
            assert words(process.receive()) == list(message)


def test_messages_of_hundreds_of_kilobytes_arrive_whole(sandbox: Sandbox) -> None:
    job = echo_job(ECHO, view_source=BULK_VIEW, num_actions=None, limits=Limits())
    with sandbox.spawn(job) as process:
        process.start()
        for size in (1, 65527, 65528, 65529, 300_000, 2_000_000, 10):
            message = bytes(array("B", (i % 251 for i in range(size))))
            process.send(message, 64)
            expected = (size + sum(message[::997])) % 65521
            assert words(process.receive()) == [expected] * 64


def test_several_processes_work_at_the_same_time(sandbox: Sandbox) -> None:
    processes = [sandbox.spawn(echo_job(ECHO, episodes=1)) for _ in range(8)]
    for process in processes:
        process.begin()
    for process in processes:
        assert process.start().failed == ()
    for turn in range(20):
        for index, process in enumerate(processes):
            process.send(bytes([turn + index]), 1)
        for index, process in enumerate(processes):
            assert words(process.receive()) == [(turn + index) % 3]
    for process in processes:
        process.close()


def view_that_writes(code: str) -> str:
    return f"""
import os
class View:
    def start(self, construct):
        construct(0, 0, 2, {{}}, 0)

    def run(self, message, reply):
        {code}
        return 1

def make_view(setup):
    return View()
"""


@pytest.mark.parametrize(
    "code",
    [
        "reply[0] = 3",
        "reply[0] = -4",
        "reply[0] = 2 ** 31 - 1",
        "os.write(3, bytes(5)); os._exit(0)",
        "os.write(3, bytes(100000)); os._exit(0)",
    ],
)
def test_a_word_that_no_view_sends_is_a_protocol_violation(sandbox: Sandbox, code: str) -> None:
    job = echo_job(ECHO, episodes=1, view_source=view_that_writes(code))
    with sandbox.spawn(job) as process:
        process.start()
        process.send(b"\0", 1)
        with pytest.raises(PolicyFault) as caught:
            process.receive()
        assert caught.value.kind is FaultKind.PROTOCOL


def test_a_short_reply_and_an_exit_is_a_crash(sandbox: Sandbox) -> None:
    job = echo_job(
        ECHO, episodes=1, view_source=view_that_writes("os.write(3, b'12'); os._exit(5)")
    )
    with sandbox.spawn(job) as process:
        process.start()
        process.send(b"\0", 1)
        with pytest.raises(PolicyFault, match="exited with status 5") as caught:
            process.receive()
        assert caught.value.kind is FaultKind.CRASH


def test_the_referee_can_call_a_reply_a_violation(sandbox: Sandbox) -> None:
    with sandbox.spawn(echo_job(ECHO)) as process:
        process.start()
        fault = process.violate("action 2 was not legal in decision 0")
        assert fault.kind is FaultKind.PROTOCOL
        with pytest.raises(ValueError, match="dead"):
            process.send(b"\0\0", 2)


def test_a_message_must_ask_for_something(sandbox: Sandbox) -> None:
    with sandbox.spawn(echo_job(ECHO)) as process:
        process.start()
        with pytest.raises(ValueError, match="at least one decision"):
            process.send(b"", 0)
