"""What a game is, to everything that plays it or writes policies for it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from games.behaviour import Axis
    from games.replay import Episode
    from games.table import Outcome, Seating, Side

_ROOM = Path(__file__).parent
LONGEST_EXCERPT = 1_000
"""Characters of :meth:`Game.excerpt`."""


class GameError(ValueError):
    """A wrong game name or parameter; the message names the allowed ones."""


@dataclass(frozen=True)
class BotInfo:
    """A reference opponent: its name and a line on what it does (``./csro bots``)."""

    name: str
    summary: str


@dataclass(frozen=True)
class InitialPolicy:
    """A readable policy that a run may start from."""

    name: str
    source: str


class Game(ABC):
    """A two-player zero-sum game with its parameters fixed.

    Subclasses are values: two games with equal ``name`` and ``params`` are the same game.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    payoff_unit: ClassVar[str]
    """For example ``"wins minus losses over 1000 throws"``."""
    seats_symmetric: ClassVar[bool]
    """Whether both seats are the same; if not, every episode is played from both."""
    stochastic_chance: ClassVar[bool]
    """Whether the game itself draws (cards); if not, only the players do."""
    largest_payoff: ClassVar[float]
    """No episode pays more to anybody, in the game's payoff unit."""
    fixed_bots: ClassVar[frozenset[str]]
    """Names of the reference bots that never draw."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        self.params: dict[str, Any] = self.validate_params(params or {})

    @classmethod
    @abstractmethod
    def default_params(cls) -> dict[str, Any]: ...

    @classmethod
    @abstractmethod
    def validate_params(cls, params: Mapping[str, Any]) -> dict[str, Any]:
        """All parameters with defaults filled in; strings from a command line are accepted.

        Raises:
            GameError: on an unknown parameter or a value out of range.
        """

    @abstractmethod
    def rules(self) -> str:
        """The rules in prose, as a person would be told them."""

    @abstractmethod
    def policy_api(self) -> str:
        """The exact API that a policy meets, with a worked observation."""

    @abstractmethod
    def example_observation(self) -> dict[str, Any]: ...

    def view_source(self) -> str:
        """Python source of the part that runs inside the jail (see docs/explanation/sandbox.md)."""
        return (_ROOM / "views" / f"{self.name}_view.py").read_text(encoding="utf-8")

    @abstractmethod
    def bots(self) -> Sequence[BotInfo]:
        """All reference opponents that ``bot:NAME`` may name."""

    @abstractmethod
    def evaluation_population(self) -> Sequence[str]:
        """Names of the held-out opponents, in order. The search never meets them."""

    def initial_population(self) -> Sequence[InitialPolicy]:
        """The policies that a run starts from by default: games/initial/NAME/*.py, by file name."""
        files = sorted((_ROOM / "initial" / self.name).glob("*.py"))
        return [InitialPolicy(file.stem, file.read_text(encoding="utf-8")) for file in files]

    @abstractmethod
    def game_dict(self) -> dict[str, Any]:
        """What a policy's constructor gets as ``game``."""

    @abstractmethod
    def view_setup(self, player: int, seeds: Sequence[int]) -> dict[str, Any]:
        """Plain JSON data for the view: the seat, a policy seed per episode, the game's tables."""

    @abstractmethod
    def bot_side(self, name: str, player: int, seeds: Sequence[int]) -> Side:
        """The named bot at seat ``player``, one instance per episode.

        Raises:
            GameError: on an unknown name; the message lists the known ones.
        """

    @abstractmethod
    def play_batch(self, seating: Seating) -> Outcome:
        """Play all episodes of the batch to their end, in lockstep."""

    @abstractmethod
    def excerpt(self, plays: Sequence[Episode]) -> str:
        """The part of an episode where ``a`` lost most, in a few lines, as ``a`` could observe it.

        ``plays`` are those of one episode (:func:`games.replay.record_episode`). At most
        :data:`LONGEST_EXCERPT` characters; the same plays give the same text.
        """

    def behaviour_axes(self) -> Sequence[Axis]:
        """What of a policy's way to play can be told from the tallies of its matches."""
        return ()

    def check_bot(self, name: str) -> None:
        """Raises GameError, listing the known bots, when ``name`` is not one of them."""
        known = [bot.name for bot in self.bots()]
        if name not in known:
            raise GameError(f"{self.name} has no bot named {name!r}; it knows {', '.join(known)}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and (self.name, self.params) == (other.name, other.params)

    def __hash__(self) -> int:
        return hash((self.name, tuple(sorted(self.params.items()))))
