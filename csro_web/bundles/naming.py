"""Names that Python can import and every file system can hold, out of names that people chose."""

from __future__ import annotations

import re
import unicodedata

LONGEST = 40


def slug(name: str, *, otherwise: str) -> str:
    """Lower-case ASCII letters, digits and single underscores, at most :data:`LONGEST`.

    Letters that only look like ASCII ones (a Cyrillic "a") are left out, not taken for them.
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    cleaned = re.sub("[^a-z0-9]+", "_", plain.lower()).strip("_")[:LONGEST].strip("_")
    return cleaned or otherwise


def module_name(index: int, name: str) -> str:
    """Of the policy at ``index``: unique, no keyword, no name that a system reserves (``con``)."""
    return f"p{index:03d}_{slug(name, otherwise='policy')}"


def package_name(subject: str, *, draft: bool) -> str:
    """``csro_export_run_7``; a draft's name says that it is one."""
    return f"csro_{'draft' if draft else 'export'}_{slug(subject, otherwise='policies')}"


def file_name(package: str, *, draft: bool) -> str:
    """What the archive is called when it is saved."""
    return package.replace("_", "-") + ("-DRAFT.zip" if draft else ".zip")
