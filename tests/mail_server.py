"""A mail server on loopback that speaks SMTP (RFC 5321), keeps letters and refuses on demand.

With a certificate it turns to TLS (RFC 3207); with a password it takes letters only from who signs
in (RFC 4954, PLAIN), and tells of that only under TLS.
"""

from __future__ import annotations

import socketserver
import ssl
import threading
from base64 import b64decode
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
    tls: ssl.SSLContext | None = None
    sign_in: tuple[str, str] | None = None
    """User and password that it wants."""
    in_clear: bytes = b""
    """Everything that came outside TLS."""


class _Session(socketserver.StreamRequestHandler):
    box: Mailbox

    def handle(self) -> None:
        self.box.sessions += 1
        self.secure, self.known = False, self.box.sign_in is None
        self._say(self.box.answers.get("CONNECT", "220 mail.example.org"))
        sender, recipients = "", []
        for line in iter(lambda: self.rfile.readline(), b""):  # another file after STARTTLS
            self.box.in_clear += b"" if self.secure else line
            verb = line[:4].decode("ascii", "replace").upper().strip()
            if verb in self.box.answers:
                self._say(self.box.answers[verb])
            elif verb == "EHLO":
                self._greet()
            elif verb == "STAR" and self.box.tls:
                if not self._turned_to_tls(self.box.tls):
                    return
            elif verb == "AUTH":
                self._let_in(line)
            elif not self.known and verb != "QUIT":
                self._say("530 sign in first")
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

    def _greet(self) -> None:
        if self.box.tls and not self.secure:
            self._say("250-mail.example.org\r\n250 STARTTLS")
        elif self.box.sign_in:
            self._say("250-mail.example.org\r\n250 AUTH PLAIN")
        else:
            self._say("250 mail.example.org")

    def _turned_to_tls(self, context: ssl.SSLContext) -> bool:
        """False when the other side hung up: it does not trust the certificate."""
        self._say("220 go ahead")
        try:
            self.request = context.wrap_socket(self.request, server_side=True)
        except OSError:
            return False
        self.setup()
        self.secure = True
        return True

    def _let_in(self, line: bytes) -> None:
        _, user, password = b64decode(line.split()[2]).decode().split("\0")
        self.known = (user, password) == self.box.sign_in
        self._say("235 welcome" if self.known else f"535 no: {line.decode().strip()}")

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
