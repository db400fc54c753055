"""What the environment says about the sandbox.

``CSRO_SANDBOX``                 auto | full | kernel | process: the level to use (default auto)
``CSRO_SANDBOX_NAMESPACES``      auto | own | bubblewrap: what makes namespaces (default auto)
``CSRO_ALLOW_UNSAFE_POLICIES``   1 accepts the level ``process``, which is no jail
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from games.engine import EngineError
from games.match import SandboxLevel

_E = TypeVar("_E", bound=StrEnum)


class Namespaces(StrEnum):
    """What makes the namespaces of level ``full``."""

    OWN = "own"
    BUBBLEWRAP = "bubblewrap"
    NONE = "none"


@dataclass(frozen=True)
class Settings:
    """None means: the strongest that works."""

    level: SandboxLevel | None = None
    namespaces: Namespaces | None = None
    allow_unsafe: bool = False

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Settings:
        """Raises EngineError on a value that is none of the allowed ones."""
        return cls(
            level=_choice(environment, "CSRO_SANDBOX", SandboxLevel),
            namespaces=_choice(environment, "CSRO_SANDBOX_NAMESPACES", Namespaces),
            allow_unsafe=environment.get("CSRO_ALLOW_UNSAFE_POLICIES") == "1",
        )


def _choice(environment: Mapping[str, str], name: str, kind: type[_E]) -> _E | None:
    text = environment.get(name, "auto").strip().lower()
    if text in ("", "auto"):
        return None
    try:
        return kind(text)
    except ValueError:
        allowed = ", ".join(["auto", *(str(member) for member in kind)])
        raise EngineError(f"{name} is {text!r}; it must be one of {allowed}") from None
