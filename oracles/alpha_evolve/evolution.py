"""The search itself: what enters the archive, and what is proposed next."""

from __future__ import annotations

from collections.abc import Sequence

from games.behaviour import Axis
from games.tournament import derive_seed
from oracles.alpha_evolve.archive import Archive, Program
from oracles.alpha_evolve.cells import cell_of
from oracles.alpha_evolve.selection import Bar, choose, scaled
from oracles.options import Evolution
from oracles.search import (
    Attempt,
    Attempts,
    Proposal,
    Ranking,
    Search,
    exhaustion,
    open_numbers,
)
from oracles.state import EvolutionRecord


class AlphaEvolve:
    """Evolve programs on islands until ``limit`` proposals are made, or nothing improves any more.

    Results enter in the order of their numbers. Proposal ``i`` is made from the archive as it was
    after result ``i - window``, on island ``(i - 1) mod islands``, with draws of its own seed.
    """

    def __init__(
        self,
        *,
        weights: Sequence[float],
        limit: int,
        evolution: Evolution,
        axes: Sequence[Axis],
        seed: int,
    ) -> None:
        self._ranking = Ranking(weights)
        self._limit = limit
        self._options = evolution
        self._axes = tuple(axes)
        self._seed = seed
        self._archive = Archive(evolution.islands)
        self._idle = 0
        self._stagnant = ""
        self._proposals: dict[int, Proposal] = {}
        for number in range(1, evolution.window + 1):
            self._propose(number, entered=0)

    def search(self, attempts: Attempts) -> Search:
        ranking = self._ranking
        first = len(ranking.judgements)
        for index, attempt in enumerate(ranking.enter(attempts), start=first):
            self._enter(index, attempt, bool(ranking.judgements[index].improved))
        judgements = tuple(ranking.judgements)
        numbers = open_numbers(attempts, limit=self._limit, window=self._options.window)
        if not numbers:
            reason = exhaustion(attempts) or self._stagnant
            reason = reason or f"all {self._limit} proposals were made"
            return Search(judgements, ranking.best, True, reason)
        proposals = tuple(self._proposals[number] for number in numbers)
        return Search(judgements, ranking.best, False, "", proposals)

    def record(self) -> EvolutionRecord:
        return self._archive.record()

    def _enter(self, index: int, attempt: Attempt, improved: bool) -> None:
        entered = index + 1
        placed = self._place(index, attempt)
        if entered % self._options.migration == 0:
            self._archive.migrate(entered)
        self._idle = 0 if placed or improved else self._idle + 1
        if not self._stagnant and 0 < self._options.stagnation <= self._idle:
            self._stagnant = f"{self._idle} results in a row improved nothing"
            # What was proposed before this result entered goes on to its end.
            self._limit = min(self._limit, index + self._options.window)
        self._propose(entered + self._options.window, entered=entered)

    def _place(self, index: int, attempt: Attempt) -> bool:
        if not attempt.fit or attempt.score is None or attempt.screening is None:
            return False
        screening = attempt.screening
        cell = cell_of(self._axes, screening)
        program = Program(index, attempt.score.mean, cell, screening)
        return self._archive.islands[index % self._options.islands].place(program)

    def _propose(self, number: int, *, entered: int) -> None:
        if number > self._limit:
            return
        place = (number - 1) % self._options.islands
        island = self._archive.islands[place]
        seed = derive_seed(self._seed, str(number))
        parent, inspirations = choose(island.ranked, scaled(island, self._axes), seed)
        self._proposals[number] = Proposal(
            number,
            parent,
            inspirations,
            knows=entered,
            island=place,
            worth=Bar.of(island, self._axes),
        )
