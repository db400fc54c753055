"""Messages between an engine and its referee processes: a length, then JSON."""

from __future__ import annotations

import json
import socket
import struct
from typing import Any

_LENGTH = struct.Struct("!I")


def send(connection: socket.socket, data: Any) -> None:
    """Send one message.

    Raises:
        OSError: when the other end is gone.
    """
    body = json.dumps(data).encode()
    connection.sendall(_LENGTH.pack(len(body)) + body)


def receive(connection: socket.socket) -> Any:
    """The next message.

    Raises:
        EOFError: when the other end is gone.
    """
    (length,) = _LENGTH.unpack(_exactly(connection, _LENGTH.size))
    return json.loads(_exactly(connection, length))


def _exactly(connection: socket.socket, size: int) -> bytes:
    parts = []
    while size:
        try:
            part = connection.recv(min(size, 1 << 20))
        except ConnectionError as error:
            raise EOFError(str(error)) from error
        if not part:
            raise EOFError("the other end closed the connection")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
