"""Held-out scores: three subjects, opponents of the initial population counted apart."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from games.rrps import Rrps
from oracles.config import RunConfig
from oracles.held_out import held_out_scores
from oracles.steps import StepResult, StepSpec
from oracles.writers.grammar.tuning import TUNED_ON

NAMES = list(Rrps().evaluation_population())


class Answers:
    """Results in which a policy with index i wins i against every opponent but the first."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, steps: Sequence[StepSpec]) -> list[StepResult | None]:
        self.asked += [step.key for step in steps]
        return [self._result(step) for step in steps]

    def _result(self, step: StepSpec) -> StepResult:
        player = step.inputs["player"]
        level = -1 if player == "mixture" else int(player)
        return {
            "matches": [
                {
                    "payoffs": [-50.0, -50.0] if index == 0 else [level - 1.0, level + 1.0],
                    "faults_a": {},
                    "seed": index,
                }
                for index in step.inputs["opponents"]
            ]
        }


def config(*initial: str) -> RunConfig:
    return RunConfig(game="rrps", initial=initial)


def test_mixture_best_and_last_are_scored_over_all_held_out_opponents() -> None:
    scores = held_out_scores(config(), Answers(), final=[0.5, 0.5], best=3, last=4)
    assert [(score.subject, score.policy) for score in scores] == [
        ("final_mixture", None),
        ("best_policy", 3),
        ("last_policy", 4),
    ]
    best = scores[1]
    assert [opponent.name for opponent in best.opponents] == NAMES
    assert best.pop_return.mean == pytest.approx((42 * 3 - 50) / 43)
    assert best.pop_expl.mean == 50
    assert best.agg_score.mean == pytest.approx(best.pop_return.mean - 50)
    assert best.seen is None


def test_the_same_player_under_two_names_is_played_once() -> None:
    answers = Answers()
    scores = held_out_scores(config(), answers, final=[0.0, 0.0, 1.0], best=2, last=2)
    assert len(answers.asked) == len(set(answers.asked))
    assert len({score.agg_score for score in scores}) == 1


def test_no_last_policy_when_none_joined() -> None:
    scores = held_out_scores(config(), Answers(), final=[1.0], best=0, last=None)
    assert [score.subject for score in scores] == ["final_mixture", "best_policy"]


def test_nothing_is_said_while_a_part_is_missing() -> None:
    def partly(steps: Sequence[StepSpec]) -> list[StepResult | None]:
        return [*Answers()(steps[:-1]), None]

    assert held_out_scores(config(), partly, final=[1.0], best=0, last=None) == ()


def test_seen_opponents_are_left_out_of_the_held_out_figures() -> None:
    seen = NAMES[0]
    (score, _) = held_out_scores(
        config("uniform", f"bot:{seen}"), Answers(), final=[1.0, 0.0, 0.0, 0.0], best=0, last=None
    )
    assert [opponent.seen for opponent in score.opponents] == [True] + [False] * 42
    assert score.pop_return.mean == 0
    assert score.pop_expl.mean == 0
    assert score.seen is not None
    assert score.seen.pop_expl.mean == 50


def untuned_of(**config: str) -> tuple[int | None, float | None]:
    scores = held_out_scores(
        RunConfig.from_json({"game": "rrps", **config}), Answers(), final=[1.0], best=0, last=None
    )
    untuned = next(score for score in scores if score.subject == "best_policy").untuned
    return (untuned.pop_return.episodes, untuned.pop_expl.mean) if untuned else (None, None)


def test_opponents_that_the_grammar_was_not_tuned_on_are_scored_apart() -> None:
    assert NAMES[0] not in TUNED_ON["rrps"]
    assert set(NAMES) > TUNED_ON["rrps"]
    assert untuned_of(writer="grammar") == (2 * 33, 50.0)


def test_a_writer_that_was_tuned_on_nobody_has_no_second_score() -> None:
    assert untuned_of(writer="replay", recording="1") == (None, None)
