"""Courtesies inside the jail: clear import errors, source lines in tracebacks, repeatable chance.

None of this is a boundary. The locks are, and they are tested with the guard taken away.
"""

from __future__ import annotations

import builtins
import importlib
import itertools
import linecache
import random
import sys
from collections.abc import Callable
from typing import Any

ALLOWED_IMPORTS = (
    "__future__",
    "abc",
    "bisect",
    "collections",
    "copy",
    "dataclasses",
    "enum",
    "functools",
    "heapq",
    "itertools",
    "math",
    "numpy",
    "operator",
    "random",
    "statistics",
    "typing",
)
"""What a policy may import, with everything below it."""

_ALSO_PRELOADED = (
    "array", "collections.abc", "ctypes", "decimal", "fractions", "json", "linecache", "mmap",
    "numbers", "platform", "resource", "socket", "string", "threading",
    "traceback", "types", "unicodedata", "weakref",
    "encodings.ascii", "encodings.latin_1", "encodings.utf_8", "encodings.unicode_escape",
    "numpy.char", "numpy.fft", "numpy.lib.recfunctions", "numpy.lib.stride_tricks", "numpy.linalg",
    "numpy.ma", "numpy.polynomial", "numpy.random", "numpy.rec", "numpy.strings", "numpy.typing",
)  # fmt: skip


def preload() -> None:
    """Import all that a policy can need, once, before any process is forked."""
    for name in (*ALLOWED_IMPORTS, *_ALSO_PRELOADED):
        importlib.import_module(name)


def forget_product() -> None:
    """Take the way to this package off the import path; what is loaded stays loaded."""
    here = __file__.rpartition("/jail/")[0]
    sys.path[:] = [path for path in sys.path if path != here]


def guarded_builtins() -> dict[str, Any]:
    """Builtins whose ``import`` knows only the allowed modules and says so."""
    namespace = dict(vars(builtins))
    real_import: Callable[..., Any] = builtins.__import__

    def guarded_import(
        name: str,
        globals: dict[str, Any] | None = None,
        locals: dict[str, Any] | None = None,
        fromlist: tuple[str, ...] = (),
        level: int = 0,
    ) -> Any:
        if level or name.partition(".")[0] not in ALLOWED_IMPORTS:
            allowed = ", ".join(ALLOWED_IMPORTS)
            raise ImportError(f"a policy may not import {name!r}; it may import {allowed}")
        return real_import(name, globals, locals, fromlist, level)

    namespace["__import__"] = guarded_import
    return namespace


def remember_source(name: str, source: str) -> None:
    """Let tracebacks show the lines of a source that is no file."""
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)


def seed_everything(seed: int) -> None:
    """Seed the global generators, and every later one that its owner left without a seed.

    ``random.Random()``, ``random.seed()``, ``numpy.random.seed()`` and
    ``numpy.random.default_rng()`` then draw from a sequence that ``seed`` fixes, so that a policy
    that forgot to seed plays the same match again.
    """
    numpy_random = importlib.import_module("numpy.random")
    bit_generator = sys.modules["numpy.random.bit_generator"]
    fresh = itertools.count(1)
    original = random.Random.seed

    def entropy(bits: int = 64) -> int:
        source = random.Random.__new__(random.Random)
        original(source, (seed << 32) + next(fresh))
        return source.getrandbits(bits)

    def seeded(self: random.Random, a: Any = None, version: int = 2) -> None:
        original(self, entropy() if a is None else a, version)

    random.Random.seed = seeded  # type: ignore[method-assign]
    random.seed = random._inst.seed
    bit_generator.__dict__["randbits"] = entropy
    random.seed(seed)
    numpy_random.seed(entropy(32))
