"""What an interpreter needs in order to start inside a jail, found by starting it outside."""

from __future__ import annotations

import ctypes
import json
import sys

from . import guard
from .enter import masked_paths, readable_paths


class _LoadedObject(ctypes.Structure):
    _fields_ = [("address", ctypes.c_void_p), ("name", ctypes.c_char_p)]


def loaded_libraries() -> list[str]:
    """Paths of the shared objects in this process, by the names the loader found them under."""
    names: list[str] = []
    callback_type = ctypes.CFUNCTYPE(
        ctypes.c_int, ctypes.POINTER(_LoadedObject), ctypes.c_size_t, ctypes.c_void_p
    )

    def note(loaded: ctypes._Pointer[_LoadedObject], _size: int, _data: int) -> int:
        name = loaded.contents.name
        if name and name.startswith(b"/"):
            names.append(name.decode())
        return 0

    ctypes.CDLL(None).dl_iterate_phdr(callback_type(note), None)
    return names


def main() -> None:
    """Print what to bind, as JSON. The argument is the directory that holds NumPy."""
    sys.path.insert(0, sys.argv[1])
    guard.preload()
    readable = readable_paths()
    inside = tuple(path + "/" for path in readable)
    description = {
        "readable": readable,
        "masked": masked_paths(readable),
        "libraries": [name for name in loaded_libraries() if not name.startswith(inside)],
    }
    print(json.dumps(description))
