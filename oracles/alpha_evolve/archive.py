"""The program database: islands that evolve apart, each with a MAP-Elites archive."""

from __future__ import annotations

from dataclasses import dataclass

from oracles.alpha_evolve.cells import Cell
from oracles.search import Screening
from oracles.state import Elite, EvolutionRecord, Migration


@dataclass(frozen=True)
class Program:
    """A program that was played in full."""

    index: int
    """Of its attempt."""
    fitness: float
    """Mean utility against sigma, on the same episodes for all programs of the task."""
    cell: Cell
    screening: Screening
    arrived_from: int | None = None
    """The island that a copy came from; None on its own island."""


class Island:
    """The best program of each cell that any of its programs fell into."""

    def __init__(self) -> None:
        self.elites: dict[Cell, Program] = {}
        self.ranked: tuple[Program, ...] = ()
        """The same, the fittest first, the earlier of equals first."""

    def place(self, program: Program) -> bool:
        """Let it in if it is better than the elite of its cell, or the first there.

        The earlier of two equal ones stays, so no program is ever here twice.
        """
        there = self.elites.get(program.cell)
        if there is not None and program.fitness <= there.fitness:
            return False
        self.elites[program.cell] = program
        programs = self.elites.values()
        self.ranked = tuple(sorted(programs, key=lambda item: (-item.fitness, item.index)))
        return True


class Archive:
    """All islands, as they are after the results that have entered."""

    def __init__(self, islands: int) -> None:
        self.islands = [Island() for _ in range(islands)]
        self._migrations: list[Migration] = []

    def migrate(self, after: int) -> None:
        """Copy each island's best program to the next island, in a ring.

        All islands send what they had before any of them received something. A copy keeps its
        cell and its fitness, and is let in like any other program: where it is there already, or
        a better one of its kind is, nothing happens.
        """
        senders = [island.ranked[:1] for island in self.islands]
        for source, best in enumerate(senders):
            target = (source + 1) % len(self.islands)
            if target == source:
                continue
            for program in best:
                copy = Program(
                    program.index, program.fitness, program.cell, program.screening, source
                )
                if self.islands[target].place(copy):
                    self._migrations.append(Migration(after, program.index + 1, source, target))

    def record(self) -> EvolutionRecord:
        return EvolutionRecord(
            elites=tuple(
                Elite(number, item.cell, item.index + 1, item.fitness, item.arrived_from)
                for number, island in enumerate(self.islands)
                for item in island.ranked
            ),
            migrations=tuple(self._migrations),
        )
