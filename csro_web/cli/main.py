"""The dispatcher: names the commands, loads the one that was asked for, turns errors into lines."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from csro_web.cli.errors import CommandFailure, WrongUsage, explain_os_error, one_line
from csro_web.version import VERSION

DATA = Path(__file__).resolve().parents[2] / "var"
"""Database, caches and logs of the embedded set-up, unless CSRO_DATA_DIR names another place."""
INTERRUPTED = 130


@dataclass(frozen=True)
class Command:
    """``module`` of this package has ``main(name, arguments) -> int``; it is loaded when called."""

    summary: str
    module: str


COMMANDS = {
    "run": Command("start web and worker here, with a demo run", "django_commands"),
    "test": Command("run the tests", "testing"),
    "solve": Command("a whole CSRO run in this terminal", "django_commands"),
    "challenge": Command("look for an exploiter of one player", "django_commands"),
    "table": Command("published results beside those measured here", "django_commands"),
    "export": Command("the signed bundle of approved policies", "django_commands"),
    "verify": Command("whether a bundle is what was signed, and its numbers hold", "verify"),
    "evaluate": Command("policy files against a game's evaluation population", "evaluate"),
    "match": Command("two players against each other", "match"),
    "extract": Command("the program in a model's answer, or why there is none", "extract"),
    "bots": Command("the reference opponents of a game", "bots"),
    "bench": Command("engine, sandbox and solvers against their peers", "bench"),
    "doctor": Command("what this machine offers and what is missing", "doctor"),
    "manage": Command("Django's own commands", "django_commands"),
}
HELP_WORDS = ("help", "--help", "-h")


def usage() -> str:
    width = max(len(name) for name in COMMANDS)
    lines = [f"  {name:<{width}}  {command.summary}" for name, command in COMMANDS.items()]
    return "\n".join(
        [
            "usage: ./csro COMMAND [ARGUMENTS]",
            "",
            "Audit game policies that language models wrote as Python code.",
            "",
            *lines,
            "",
            "./csro COMMAND --help explains a command. The first command sets up .venv.",
        ]
    )


def needs_environment(argv: Sequence[str]) -> bool:
    """Whether this command line loads anything outside Python's standard library."""
    return bool(argv) and argv[0] in COMMANDS


def main(argv: Sequence[str]) -> int:
    """Runs one command line; answers its exit code (0 done, 1 explained failure, 2 wrong usage)."""
    if not argv or argv[0] in HELP_WORDS:
        print(usage(), file=sys.stdout if argv else sys.stderr)
        return 0 if argv else 2
    if argv[0] == "--version":
        print(f"csro {VERSION}")
        return 0
    name = argv[0]
    if name not in COMMANDS:
        return _end(name, f"no such command; ./csro help lists them: {', '.join(COMMANDS)}", 2)
    try:
        return _call(name, argv[1:])
    except CommandFailure as error:
        return _end(name, str(error), 1)
    except WrongUsage as error:
        return _end(name, str(error), 2)
    except BrokenPipeError:
        # Whoever read our output has gone (``| head``); that is not a failure worth a line.
        _drop_output()
        return 1
    except OSError as error:
        _drop_output()
        return _end(name, str(explain_os_error(error, f"go on ({error.filename or 'I/O'})")), 1)
    except KeyboardInterrupt:
        return _end(name, "interrupted", INTERRUPTED)


def _call(name: str, arguments: Sequence[str]) -> int:
    os.environ.setdefault("CSRO_DATA_DIR", str(DATA))
    module = importlib.import_module(f"csro_web.cli.{COMMANDS[name].module}")
    code: int = module.main(name, arguments)
    sys.stdout.flush()
    return code


def _drop_output() -> None:
    """What stdout did not take would be tried, and complained about, once more at the very end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _end(name: str, message: str, code: int) -> int:
    print(f"csro {name}: {one_line(message)}", file=sys.stderr)
    return code
