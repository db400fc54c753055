"""How candidates are read, tried, scored, compared and let in."""

from __future__ import annotations

import pytest

from games.local_engine import LocalEngine
from games.match import FaultKind
from games.players import BotPlayer
from oracles.config import RunConfig
from oracles.state import CandidateRecord
from tests.oracles.conftest import ALWAYS, NAMES_A_THROW, RANDOM, FinishedRun, run_until_loop_ends


def candidate(run: FinishedRun, key: str) -> CandidateRecord:
    return next(record for record in run.state.candidates if record.key == key)


def test_refusal_is_stored_with_its_reason_and_costs_an_attempt(finished: FinishedRun) -> None:
    refused = candidate(finished, "it1/attempt1")
    assert not refused.accepted
    assert refused.reason.startswith("no code")
    assert refused.completion.startswith("I am sorry")
    assert "it1/attempt1/smoke" not in finished.results


def test_faulty_candidate_is_found_out_in_one_episode(finished: FinishedRun) -> None:
    faulty = candidate(finished, "it1/attempt2")
    assert faulty.accepted
    assert not faulty.fit
    assert faulty.score is None
    assert faulty.faults == {FaultKind.ILLEGAL_ACTION: 1000}
    assert "illegal action" in faulty.feedback
    assert "it1/attempt2/score/0" not in finished.results


def test_duplicate_is_refused_before_it_is_played(finished: FinishedRun) -> None:
    copy = candidate(finished, "it1/attempt4")
    assert not copy.accepted
    assert "it1/attempt3" in copy.reason
    assert "it1/attempt4/smoke" not in finished.results


def test_program_that_had_faults_before_is_a_duplicate_too(finished: FinishedRun) -> None:
    again = candidate(finished, "it2/attempt3")
    assert not again.accepted
    assert "it1/attempt2" in again.reason


def test_candidates_of_one_task_meet_the_same_opponents_on_the_same_seeds(
    finished: FinishedRun,
) -> None:
    first = finished.results["it1/attempt3/score/0"]["matches"]
    second = finished.results["it1/attempt5/score/0"]["matches"]
    assert [match["seed"] for match in first] == [match["seed"] for match in second]
    row = finished.results["it1/row/0"]["matches"]
    assert not {match["seed"] for match in first} & {match["seed"] for match in row}


def test_refinement_is_compared_in_pairs_with_the_incumbent(finished: FinishedRun) -> None:
    first, refined = candidate(finished, "it1/attempt3"), candidate(finished, "it1/attempt5")
    assert first.improved is True
    assert first.paired_difference is None
    assert refined.parent == first.key
    assert refined.paired_difference is not None
    assert first.score is not None
    assert refined.score is not None
    assert refined.paired_difference.mean == pytest.approx(refined.score.mean - first.score.mean)
    assert refined.improved is (refined.paired_difference.mean > 0)


def test_the_incumbent_joins_with_a_gain_on_fresh_seeds(finished: FinishedRun) -> None:
    iteration = finished.state.iterations[0]
    assert iteration.policy == 3
    member = finished.state.population[3]
    best = [c for c in finished.state.candidates if c.iteration == 1 and c.improved][-1]
    assert member.candidate_key == best.key
    assert member.origin == ("refined" if best.parent else "generated")
    row = [cell for cell in finished.state.cells if cell.row == 3]
    assert [cell.column for cell in row] == [0, 1, 2]
    gain = sum(iteration.sigma[cell.column] * cell.estimate.mean for cell in row)
    assert iteration.gain is not None
    assert iteration.gain.mean == pytest.approx(gain)


def test_feedback_tells_scores_and_worst_episodes(finished: FinishedRun) -> None:
    told = candidate(finished, "it1/attempt3").feedback
    assert "mean payoff" in told
    assert "worst:" in told
    later = candidate(finished, "it1/attempt5").messages[-1]["content"]
    assert told in later
    assert "no code" in later


def test_mixture_is_a_distribution_within_its_range(finished: FinishedRun) -> None:
    for record in finished.state.iterations:
        assert sum(record.sigma) == pytest.approx(1)
        for low, weight, high in zip(
            record.sigma_low, record.sigma, record.sigma_high, strict=True
        ):
            assert 0 <= low <= weight <= high <= 1


def test_held_out_opponents_are_met_at_the_end_alone(finished: FinishedRun) -> None:
    search = [key for key in finished.order if not key.startswith("evaluate/")]
    assert finished.order[: len(search)] == search
    assert [score.subject for score in finished.state.held_out] == [
        "final_mixture", "best_policy", "last_policy",
    ]  # fmt: skip
    assert all(len(score.opponents) == 43 for score in finished.state.held_out)
    assert not any(isinstance(policy.player, BotPlayer) for policy in finished.state.population)


def test_best_policy_has_the_highest_mean_payoff_of_the_run(finished: FinishedRun) -> None:
    size = len(finished.state.population)
    means = [0.0] * size
    for cell in finished.state.cells:
        means[cell.row] += cell.estimate.mean
        means[cell.column] -= cell.estimate.mean
    assert finished.state.best_policy == means.index(max(means))


def config(**changes: object) -> RunConfig:
    data = {
        "game": "rrps", "writer": "replay", "recording": "tests", "initial": ["uniform"],
        "oracle": "zero_shot", "iterations": 6, "episodes": 4, "seed": 1, **changes,
    }  # fmt: skip
    return RunConfig.from_json(data)


def test_run_stops_after_three_iterations_without_gain_beyond_interval(
    engine: LocalEngine,
) -> None:
    texts = {f"it{k}/attempt1": RANDOM.format(shift=k) for k in (1, 2, 3)}
    state = run_until_loop_ends(config(), engine, texts)
    assert len(state.iterations) == 3
    assert [record.policy for record in state.iterations] == [1, 2, 3]
    assert "without gain" in state.stop_reason


def test_iteration_without_a_fit_candidate_ends_without_a_policy_and_says_so(
    engine: LocalEngine,
) -> None:
    state = run_until_loop_ends(config(iterations=1), engine, {"it1/attempt1": NAMES_A_THROW})
    (iteration,) = state.iterations
    assert iteration.finished
    assert iteration.policy is None
    assert iteration.gain is None
    assert "no policy joined" in iteration.note
    assert len(state.population) == 1


def test_faulty_policy_joins_only_if_allowed(engine: LocalEngine) -> None:
    allowed = config(iterations=1, allow_faulty=True)
    state = run_until_loop_ends(allowed, engine, {"it1/attempt1": NAMES_A_THROW})
    assert state.iterations[0].policy == 1
    assert state.population[1].faults == {FaultKind.ILLEGAL_ACTION: 4000}


def test_seen_opponents_are_reported_apart_from_held_out_ones(engine: LocalEngine) -> None:
    state = run_until_loop_ends(
        config(iterations=1, initial=["uniform", "bot:rockbot"]),
        engine,
        {"it1/attempt1": ALWAYS.format(throw=1)},
    )
    assert state.population[1].player == BotPlayer("rockbot")
    assert state.population[1].origin == "bot"
