"""CFR+ is OpenSpiel's, its values are the reference values, its cache file is whole or absent."""

from __future__ import annotations

import json
import multiprocessing
import os
from pathlib import Path

import pyspiel
import pytest

from games.bots import cfr
from games.bots.leduc import strategy
from games.exact import best_response_value, expected_payoff, exploitability
from games.leduc_tree import HIDDEN, NODES, info_code


def openspiel_states() -> list[tuple[int, str]]:
    """Our number of each information state with OpenSpiel's string (suits left out)."""
    states = []
    for index, node in enumerate(NODES):
        first, second = (" ".join(map(str, actions)) for actions in node.betting)
        head = f"[Round {node.round + 1}][Player: {node.player}][Pot: {sum(node.bets)}]"
        head += f"[Money: {100 - node.bets[0]} {100 - node.bets[1]}]"
        for rank in range(3):
            for public in (HIDDEN,) if node.round == 0 else range(3):
                board = "" if public == HIDDEN else f"[Public: {public}]"
                text = f"[Observer: {node.player}][Private: {rank}]{head}{board}"
                text += f"[Round1: {first}][Round2: {second}]"
                states.append((info_code(index, rank, public), text))
    return states


def openspiel_table(table: dict[int, tuple[float, ...]]) -> pyspiel.TabularPolicy:
    """The strategy as a policy of the full game (two suits)."""
    rows = {}
    for code, text in openspiel_states():
        legal = NODES[code // 12].legal
        rows[text] = list(zip(legal, table[code], strict=True))
    return pyspiel.TabularPolicy(rows)


def test_the_first_iterations_are_those_of_openspiels_solver() -> None:
    game = pyspiel.load_game("leduc_poker(suit_isomorphism=True)")
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(20):
        solver.evaluate_and_update_policy()
    peer = solver.tabular_average_policy().policy_table()
    ours = cfr.solve(20)
    for code, text in openspiel_states():
        row = dict(peer[text])
        expected = [row[action] for action in NODES[code // 12].legal]
        assert ours[code] == pytest.approx(expected, abs=1e-9)


def test_exploitability_is_that_of_openspiel() -> None:
    game = pyspiel.load_game("leduc_poker(suit_isomorphism=True)")
    for table in (cfr.solve(3), dict(strategy("uniform"))):
        policy = openspiel_table(table)
        assert exploitability(table) == pytest.approx(pyspiel.exploitability(game, policy))


def test_expected_payoffs_are_those_of_openspiel() -> None:
    game = pyspiel.load_game("leduc_poker(suit_isomorphism=True)")
    tables = [cfr.solve(3), dict(strategy("always_raise"))]
    policies = [openspiel_table(table) for table in tables]
    root = game.new_initial_state()
    seats = [
        pyspiel.expected_returns(root, [policies[0], policies[1]], -1, True)[0],
        pyspiel.expected_returns(root, [policies[1], policies[0]], -1, True)[1],
    ]
    assert expected_payoff(tables[0], tables[1]) == pytest.approx(50 * sum(seats))


def test_cfr_plus_reaches_the_reference_values(data_dir: Path) -> None:
    solution = cfr.cfr_plus.__wrapped__(10_000)
    assert solution.exploitability < 2e-5
    value = solution.strategy
    assert expected_payoff(value, strategy("always_call")) == pytest.approx(63.29, abs=0.02)
    assert expected_payoff(value, strategy("always_fold")) == pytest.approx(57.27, abs=0.01)
    assert expected_payoff(value, strategy("always_raise")) == pytest.approx(33.5, abs=0.1)
    assert expected_payoff(value, strategy("uniform")) == pytest.approx(70.7, abs=0.1)
    assert [path.name for path in (data_dir / "cache").glob("*.json")] == [
        "leduc-cfr-plus-10000.json"
    ]


def test_best_responses_have_their_known_values() -> None:
    known = {"always_call": 146.7, "always_fold": 100.0, "always_raise": 236.7, "uniform": 237.4}
    for name, value in known.items():
        assert best_response_value(strategy(name)) == pytest.approx(value, abs=0.06)


def _solve_in(directory: str) -> dict[int, tuple[float, ...]]:
    os.environ["CSRO_DATA_DIR"] = directory
    return cfr.cfr_plus.__wrapped__(60).strategy


def test_processes_that_need_the_cache_at_once_leave_one_whole_file(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        tables = pool.map(_solve_in, [str(tmp_path)] * 4)
    assert all(table == tables[0] for table in tables)
    files = [p for p in (tmp_path / "cache").iterdir() if not p.name.endswith(".lock")]
    assert len(files) == 1
    assert json.loads(files[0].read_text())["iterations"] == 60


def test_a_torn_cache_file_is_computed_again(data_dir: Path) -> None:
    whole = cfr.cfr_plus.__wrapped__(5)
    (path,) = (data_dir / "cache").glob("*.json")
    path.write_text(path.read_text()[:100])
    assert cfr.cfr_plus.__wrapped__(5) == whole


def test_rows_that_are_no_distribution_are_refused() -> None:
    with pytest.raises(ValueError, match="no valid distribution"):
        cfr.check_rows({0: (0.4, 0.4)})
