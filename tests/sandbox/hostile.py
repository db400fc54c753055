"""Plays every hostile policy in one jail and says how each ended. Also a program, for other users.

``python hostile.py LEVEL NAMESPACES`` prints the outcome as JSON.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from games.engine import SandboxUnavailable
from games.match import SandboxLevel
from games.sandbox import Namespaces, PolicyFault, Sandbox, Settings
from tests.sandbox.canaries import Canaries
from tests.sandbox.echo import echo_job
from tests.sandbox.processes import descendants, wait_until_gone

CASES = Path(__file__).parent.parent / "cases" / "hostile"
LEGAL = "legal"
ZYGOTE_PROCESSES = {Namespaces.OWN: 2, Namespaces.BUBBLEWRAP: 3, Namespaces.NONE: 1}
CODES = {-1: "illegal action", -2: "exception", -3: "constructor"}


@dataclass
class Outcome:
    """How all hostile policies ended, and what they left. ``missing`` tells why the jail is not."""

    ended: dict[str, list[str]] = field(default_factory=dict)
    harm: list[str] = field(default_factory=list)
    left_running: int = 0
    left_open: int = 0
    uid: int = -1
    missing: str | None = None


def play(sandbox: Sandbox, source: str, rounds: int = 2, episodes: int = 2) -> list[str]:
    """The distinct ways in which the decisions of one policy ended."""
    ended: list[str] = []
    try:
        with sandbox.spawn(echo_job(source, episodes)) as process:
            process.start()
            for _ in range(rounds):
                process.send(bytes(episodes), episodes)
                for code in memoryview(process.receive()).cast("i"):
                    ended.append(CODES.get(code, LEGAL))
    except PolicyFault as fault:
        ended.append(f"{fault.kind}: {fault.detail}")
    return sorted(set(ended))


def play_all(level: SandboxLevel, namespaces: Namespaces | None) -> Outcome:
    outcome = Outcome(uid=os.getuid())
    open_before = len(os.listdir("/proc/self/fd"))
    running_before = descendants()
    with Canaries() as canaries:
        settings = Settings(level=level, namespaces=namespaces)
        try:
            sandbox = Sandbox(required=level, settings=settings)
        except SandboxUnavailable as error:
            outcome.missing = str(error)
            return outcome
        with sandbox:
            for path in sorted(CASES.glob("*.py")):
                source = canaries.aim(path.read_text())
                outcome.ended[path.stem] = play(sandbox, source)
                outcome.harm += [f"{path.stem} {harm}" for harm in canaries.harmed()]
            zygotes = descendants() - running_before
        outcome.left_running = len(zygotes) - ZYGOTE_PROCESSES[sandbox.namespaces]
        outcome.left_running += len(wait_until_gone(zygotes))
    outcome.left_open = len(os.listdir("/proc/self/fd")) - open_before
    return outcome


def main() -> None:
    level, namespaces = sys.argv[1:]
    print(json.dumps(asdict(play_all(SandboxLevel(level), Namespaces(namespaces)))))


if __name__ == "__main__":
    main()
