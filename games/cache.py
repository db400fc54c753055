"""Files that are computed once and kept: never torn, never computed twice at the same time."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def data_directory() -> Path:
    """``CSRO_DATA_DIR``, by default ``var`` beside the packages."""
    return Path(os.environ.get("CSRO_DATA_DIR") or Path(__file__).parents[1] / "var")


def cache_directory() -> Path:
    """``CSRO_DATA_DIR/cache``, made when missing."""
    directory = data_directory() / "cache"
    directory.mkdir(parents=True, exist_ok=True)
    return directory


def read_json(path: Path) -> Any:
    """The file's content, or None when it does not exist or was damaged from outside."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError, UnicodeDecodeError):
        return None


def write_json(path: Path, data: Any) -> None:
    """Write the file under a temporary name and rename it: readers see all of it or none."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(data, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Hold a lock beside ``path``; the system drops it when the process dies."""
    import fcntl

    with path.with_name(f".{path.name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
