"""Who can sit at a seat: code that nobody has read yet, a reference bot, a mixture of players."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field


def source_sha256(source: str) -> str:
    """Content hash of a policy's source: SHA-256 over its UTF-8 bytes, as 64 hex digits."""
    return hashlib.sha256(source.encode("utf-8")).hexdigest()


@dataclass(frozen=True)
class CodePlayer:
    """A policy as Python source. It only ever runs inside the sandbox."""

    source: str
    sha256: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sha256", source_sha256(self.source))

    @property
    def key(self) -> str:
        """What identifies this player in a match key."""
        return f"code:{self.sha256}"


@dataclass(frozen=True)
class BotPlayer:
    """A trusted reference opponent of the game, by name (``./csro bots`` lists them)."""

    name: str

    @property
    def key(self) -> str:
        return f"bot:{self.name}"


@dataclass(frozen=True)
class MixturePlayer:
    """A mixed strategy over players: one component is drawn for each whole episode."""

    components: tuple[tuple[float, CodePlayer | BotPlayer], ...]

    def __post_init__(self) -> None:
        weights = [weight for weight, _ in self.components]
        if not weights or any(not 0 <= weight <= 1 for weight in weights):
            raise ValueError(f"mixture weights must be probabilities, got {weights}")
        if abs(sum(weights) - 1.0) > 1e-6:
            raise ValueError(f"mixture weights must sum to 1, got {sum(weights)!r}")

    @property
    def key(self) -> str:
        inner = ",".join(f"{weight!r}*{player.key}" for weight, player in self.components)
        return f"mixture:[{inner}]"


Player = CodePlayer | BotPlayer | MixturePlayer
