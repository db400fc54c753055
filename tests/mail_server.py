"""A mail server on loopback that speaks SMTP (RFC 5321), keeps letters and refuses on demand."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage


@dataclass
class Letter:
    sender: str
    recipients: list[str]
    raw: bytes

    @property
    def message(self) -> EmailMessage:
        found = message_from_bytes(self.raw, policy=policy.default)
        assert isinstance(found, EmailMessage)
        return found


@dataclass
class Mailbox:
    port: int = 0
    letters: list[Letter] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)
    """What to answer to a command instead: ``{"RCPT": "550 no such person"}``."""
    sessions: int = 0


class _Session(socketserver.StreamRequestHandler):
    box: Mailbox

    def handle(self) -> None:
        self.box.sessions += 1
        self._say(self.box.answers.get("CONNECT", "220 mail.example.org"))
        sender, recipients = "", []
        for line in iter(self.rfile.readline, b""):
            verb = line[:4].decode("ascii", "replace").upper().strip()
            if verb in self.box.answers:
                self._say(self.box.answers[verb])
            elif verb == "MAIL":
                sender, recipients = _address(line), []
                self._say("250 ok")
            elif verb == "RCPT":
                recipients.append(_address(line))
                self._say("250 ok")
            elif verb == "DATA":
                self._say("354 go on")
                self.box.letters.append(Letter(sender, recipients, self._data()))
                self._say("250 taken")
            elif verb == "QUIT":
                self._say("221 bye")
                return
            else:
                self._say("250 mail.example.org")

    def _data(self) -> bytes:
        lines = []
        for line in iter(self.rfile.readline, b".\r\n"):
            lines.append(line[1:] if line.startswith(b"..") else line)
        return b"".join(lines)

    def _say(self, text: str) -> None:
        self.wfile.write(text.encode("ascii") + b"\r\n")


def _address(line: bytes) -> str:
    return line.decode("ascii").split("<", 1)[1].split(">", 1)[0]


@contextmanager
def mail_server() -> Iterator[Mailbox]:
    box = Mailbox()
    handler = type("Session", (_Session,), {"box": box})
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        box.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield box
        finally:
            server.shutdown()
