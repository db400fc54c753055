"""The embedded broker: whole messages, each to one reader.

kombu's own transport reads files that are still being written (celery/kombu issue 1551: an empty
message ends its reader) and rewrites binding tables in place (treeverse/dvc-task issue 73).
"""

from __future__ import annotations

import threading
from pathlib import Path
from queue import Empty

import pytest
from kombu import Connection, Exchange, Queue

from csro_web import file_broker

file_broker.register()
READERS, WRITERS, EACH = 3, 3, 60


@pytest.fixture
def options(tmp_path: Path) -> dict[str, object]:
    return {
        "data_folder_in": str(tmp_path / "messages"),
        "data_folder_out": str(tmp_path / "messages"),
        "control_folder": str(tmp_path / "control"),
        "polling_interval": 0.01,
    }


def connect(options: dict[str, object]) -> Connection:
    return Connection("csro-files://localhost", transport_options=options)


def test_readers_and_writers_at_once_pass_every_message_exactly_once(
    options: dict[str, object],
) -> None:
    read: list[int] = []
    written = threading.Event()

    def write(first: int) -> None:
        with connect(options) as connection:
            queue = connection.SimpleQueue("work")
            for number in range(first, first + EACH):
                queue.put({"number": number, "long": "x" * 20_000})

    def receive() -> None:
        with connect(options) as connection:
            queue = connection.SimpleQueue("work")
            while True:
                last = written.is_set()
                try:
                    message = queue.get(block=False)
                except Empty:
                    if last:
                        return
                    continue
                read.append(message.payload["number"])
                message.ack()

    writers = [threading.Thread(target=write, args=(i * EACH,)) for i in range(WRITERS)]
    readers = [threading.Thread(target=receive) for _ in range(READERS)]
    for thread in writers + readers:
        thread.start()
    for thread in writers:
        thread.join()
    written.set()
    for thread in readers:
        thread.join()
    assert sorted(read) == list(range(WRITERS * EACH))


def test_a_message_that_cannot_be_read_is_put_aside_and_the_next_one_is_delivered(
    options: dict[str, object], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with connect(options) as connection:
        queue = connection.SimpleQueue("work")
        (tmp_path / "messages").mkdir(exist_ok=True)
        (tmp_path / "messages" / "0000_torn.work.msg").write_bytes(b"")
        queue.put("whole")
        assert queue.get(block=False).payload == "whole"
    assert "unreadable" in caplog.text
    assert len(list((tmp_path / "messages").glob(".unreadable-*"))) == 1


def test_queues_that_are_bound_at_the_same_time_are_all_bound(options: dict[str, object]) -> None:
    together = threading.Barrier(6)
    exchange = Exchange("news", type="fanout")

    def bind(number: int) -> None:
        with connect(options) as connection:
            together.wait()
            Queue(f"reader{number}", exchange)(connection.channel()).declare()

    threads = [threading.Thread(target=bind, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with connect(options) as connection:
        table = connection.channel().get_table("news")
    assert {row.queue for row in table} == {f"reader{number}" for number in range(6)}


def test_messages_are_delivered_in_the_order_they_were_sent(options: dict[str, object]) -> None:
    with connect(options) as connection:
        queue = connection.SimpleQueue("work")
        for number in range(5):
            queue.put(number)
        assert [queue.get(block=False).payload for _ in range(5)] == [0, 1, 2, 3, 4]
        assert queue.qsize() == 0
