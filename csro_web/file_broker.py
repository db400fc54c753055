"""The embedded broker: messages are files of one directory; no server is needed.

kombu has such a transport, whose readers can meet a file that is still being written (an empty or
torn message then ends the worker), whose take-over through the temporary directory is a copy where
that is another file system, and whose binding tables are rewritten in place. Here everything is
written aside and renamed, a message is taken by one rename within its directory, and one that
cannot be read is put aside and reported instead of ending its reader.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.exceptions import ChannelError
from kombu.transport import TRANSPORT_ALIASES, filesystem, virtual

logger = logging.getLogger(__name__)

ALIAS = "csro-files"
SUFFIX = ".msg"


class Channel(filesystem.Channel):
    """Whole messages or none, each taken by exactly one reader."""

    def _folder(self) -> Path:
        folder = Path(self.data_folder_in)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder

    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:
        # The wall clock: messages of before a restart of the machine stay the older ones.
        name = f"{time.time_ns():020d}_{uuid.uuid4().hex}.{queue}{SUFFIX}"
        try:
            self._replace(self._folder() / name, json.dumps(payload))
        except OSError as error:
            raise ChannelError(f"cannot add a message to {self.data_folder_in}: {error}") from error

    def _get(self, queue: str) -> Any:
        folder = self._folder()
        for name in self._names(queue):
            taken = folder / f".taken-{uuid.uuid4().hex}"
            try:
                os.rename(folder / name, taken)
            except FileNotFoundError:
                continue  # another reader was first
            try:
                payload = json.loads(taken.read_text(encoding="utf-8"))
            except ValueError:
                aside = folder / f".unreadable-{name}"
                os.rename(taken, aside)
                logger.error("put an unreadable message aside as %s", aside)
                continue
            taken.unlink()
            return payload
        raise Empty

    def _size(self, queue: str) -> int:
        return len(self._names(queue))

    def _purge(self, queue: str) -> int:
        names = self._names(queue)
        for name in names:
            (self._folder() / name).unlink(missing_ok=True)
        return len(names)

    def _names(self, queue: str) -> list[str]:
        """The queue's messages, oldest first; names with a leading dot are no messages."""
        ending = f"{queue}{SUFFIX}"
        names = os.listdir(self._folder())
        return sorted(n for n in names if n[0] != "." and n.partition(".")[2] == ending)

    def get_table(self, exchange: str) -> list[Any]:
        try:
            rows = json.loads(self._exchange_file(exchange).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return []
        return [filesystem.exchange_queue_t(*row) for row in rows]

    def queue_bind(
        self,
        queue: str,
        exchange: str | None = None,
        routing_key: str = "",
        arguments: Any = None,
        **kwargs: Any,
    ) -> None:
        """The table on disk comes first: kombu remembers a binding for all threads of a process
        before it is written, and a message that another thread sends meanwhile would be lost."""
        name = exchange or "amq.direct"
        self._queue_bind(name, *self.typeof(name).prepare_bind(queue, name, routing_key, arguments))
        super().queue_bind(queue, exchange, routing_key, arguments, **kwargs)

    def _queue_bind(self, exchange: str, routing_key: str, pattern: str, queue: str) -> None:
        row = filesystem.exchange_queue_t(routing_key or "", pattern or "", queue or "")
        with self._bindings_locked():
            rows = self.get_table(exchange)
            if row not in rows:
                self._replace(self._exchange_file(exchange), json.dumps([row, *rows]))

    def _delete(
        self, queue: str, exchange: str, routing_key: str, pattern: str, *args: Any, **kwargs: Any
    ) -> None:
        virtual.Channel._delete(self, queue, exchange, routing_key, pattern, *args, **kwargs)
        row = filesystem.exchange_queue_t(routing_key or "", pattern or "", queue or "")
        with self._bindings_locked():
            rows = [kept for kept in self.get_table(exchange) if kept != row]
            self._replace(self._exchange_file(exchange), json.dumps(rows))

    @contextmanager
    def _bindings_locked(self) -> Iterator[None]:
        folder = Path(self.control_folder)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (folder / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    @staticmethod
    def _replace(target: Path, content: str) -> None:
        temporary = target.with_name(f".new-{uuid.uuid4().hex}")
        try:
            temporary.write_text(content, encoding="utf-8")
            os.rename(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)


class Transport(filesystem.Transport):
    """``csro-files://``; the directories come from the transport options."""

    Channel = Channel


def register() -> None:
    """Teaches kombu the address ``csro-files://``."""
    TRANSPORT_ALIASES[ALIAS] = f"{__name__}:Transport"
