"""The Python that policies run on, and how it is started."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy

ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
"""All that a zygote inherits: the same set order everywhere, and one thread."""

HARNESS_DIRECTORY = str(Path(__file__).parent)
"""Holds the package ``jail``, the only part of the product that a zygote loads."""

_BOOT = "import sys; sys.path.insert(0, sys.argv.pop(1)); from jail.{0} import main; main()"
_FLAGS = ("-s", "-P", "-S", "-B", "-X", "utf8")
_DESCRIBE_SECONDS = 60


@dataclass(frozen=True)
class Interpreter:
    """A Python program, and the directory that holds its NumPy.

    ``-S`` keeps every other installed package out; ``-I`` would discard PYTHONHASHSEED.
    """

    program: str
    site: str

    @classmethod
    def default(cls) -> Interpreter:
        """The interpreter below the running one's virtual environment, with the running NumPy."""
        program: str = getattr(sys, "_base_executable", None) or sys.executable
        return cls(str(Path(program).resolve()), str(Path(numpy.__file__).parent.parent))

    def command(self, harness: str, module: str, argument: str) -> list[str]:
        """The command line that runs ``jail.<module>`` out of the directory ``harness``."""
        return [self.program, *_FLAGS, "-c", _BOOT.format(module), harness, argument]


@dataclass(frozen=True)
class Description:
    """What an interpreter needs inside a jail: directories to read (some hidden), libraries."""

    readable: tuple[str, ...]
    masked: tuple[str, ...]
    libraries: tuple[str, ...]


@lru_cache(maxsize=4)
def describe(interpreter: Interpreter) -> Description:
    """Start the interpreter once, outside of any jail, and ask it. Raises OSError."""
    command = interpreter.command(HARNESS_DIRECTORY, "describe", interpreter.site)
    done = subprocess.run(  # noqa: S603 - our own interpreter and arguments
        command,
        env=ENVIRONMENT,
        cwd="/",
        capture_output=True,
        text=True,
        timeout=_DESCRIBE_SECONDS,
        check=False,
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no message"]
        raise OSError(f"{interpreter.program} does not start with NumPy: {lines[-1]}")
    return Description(**{key: tuple(value) for key, value in json.loads(done.stdout).items()})
