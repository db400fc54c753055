"""Islands keep the best program of each kind, and migration copies none twice."""

from __future__ import annotations

import numpy as np
import pytest

from games.metrics import Estimate
from games.rrps import AXES
from oracles.alpha_evolve.archive import Archive, Program
from oracles.alpha_evolve.cells import cell_of, lines_of_code
from oracles.alpha_evolve.selection import Bar, choose, novelty, scaled
from oracles.search import Screening


def screening(mean: float, repeats: float | None = 0.5, length: int = 30) -> Screening:
    entropy = None if repeats is None else 1.0
    return Screening(Estimate(mean, None, None, 2), (entropy, repeats), length)


def program(index: int, fitness: float, repeats: float | None = 0.5) -> Program:
    seen = screening(fitness, repeats)
    return Program(index, fitness, cell_of(AXES, seen), seen)


def test_a_cell_keeps_the_fitter_program_and_the_earlier_of_equals() -> None:
    island = Archive(1).islands[0]
    assert island.place(program(0, 10))
    assert not island.place(program(1, 10))
    assert island.place(program(2, 11))
    assert island.place(program(3, -50, repeats=0.9))
    assert [item.index for item in island.ranked] == [2, 3]


def test_programs_of_another_length_or_unknown_behaviour_have_cells_of_their_own() -> None:
    seen = [screening(0), screening(0, length=45), screening(0, None), screening(0, length=5000)]
    cells = [cell_of(AXES, item) for item in seen]
    assert cells == [(10, 8, 3), (10, 8, 4), (None, None, 3), (10, 8, 39)]


def test_comments_and_docstrings_are_no_lines_of_code() -> None:
    source = 'class Policy:\n    """A.\n\n    B.\n    """\n    # no\n\n    x = 1\n    "no"\n'
    assert lines_of_code(source) == 2


def test_migration_sends_what_islands_had_before_it_and_duplicates_nothing() -> None:
    archive = Archive(3)
    for index, fitness in enumerate((30, 20, 10)):
        archive.islands[index].place(program(index, fitness, repeats=0.1 + 0.3 * index))
    archive.migrate(3)
    held = [[item.index for item in island.ranked] for island in archive.islands]
    assert held == [[0, 2], [0, 1], [1, 2]]
    for after in range(4, 40):
        archive.migrate(after)
    for island in archive.islands:
        indexes = [item.index for item in island.ranked]
        assert len(indexes) == len(set(indexes)) <= 3
    record = archive.record()
    assert len(record.migrations) == len({(m.attempt, m.target) for m in record.migrations}) == 5
    assert record.migrations[0].after == 3
    assert {elite.arrived_from for elite in record.elites if elite.attempt == 1} == {None, 0, 1}


def test_one_island_or_an_empty_one_sends_nothing() -> None:
    alone = Archive(1)
    alone.islands[0].place(program(0, 1))
    alone.migrate(1)
    Archive(4).migrate(1)
    assert alone.record().migrations == ()


def test_parents_are_drawn_by_fitness_and_novelty_and_the_best_inspires() -> None:
    island = Archive(1).islands[0]
    for index, repeats in enumerate((0.10, 0.17, 0.23, 0.95)):
        island.place(program(index, 40 - index, repeats))
    places = scaled(island, AXES)
    drawn = [choose(island.ranked, places, seed) for seed in range(400)]
    counts = np.bincount([parent for parent, _ in drawn if parent is not None], minlength=4)
    assert counts[0] > counts[1] > counts[2]
    assert counts[3] > counts[2], "the odd one out is drawn more often than its rank says"
    for parent, inspirations in drawn:
        assert parent not in inspirations
        assert len(set(inspirations)) == 2
        assert inspirations[0] == (1 if parent == 0 else 0)
    assert choose(island.ranked, places, 7) == choose(island.ranked, places, 7)
    assert choose((), [], 7) == (None, ())


def test_novelty_is_zero_where_behaviour_is_unknown() -> None:
    assert novelty([(0.0, 0.0), None, (3.0, 4.0)]).tolist() == [5.0, 0.0, 5.0]
    assert novelty([None, (0.5, 0.5)]).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("seen", "worth"),
    [
        (screening(-100, repeats=0.8), True),
        (screening(31), True),
        (screening(10), True),
        (screening(9), False),
        (screening(30), False),
        (screening(30, length=300), False),
        (screening(30, repeats=None), True),
    ],
    ids=["new cell", "beats its cell", "third best", "weak", "same play", "longer", "unknown"],
)
def test_only_what_may_be_among_the_best_or_is_new_is_played_in_full(
    seen: Screening, worth: bool
) -> None:
    island = Archive(1).islands[0]
    for index, (mean, repeats) in enumerate(((30, 0.5), (20, 0.3), (10, 0.1), (0, 0.95))):
        island.place(program(index, mean, repeats))
    assert Bar.of(island, AXES)(seen) is worth
