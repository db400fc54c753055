"""An agent's run against a real server: what it asks, what counts, and how it ends."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from games.engine import MatchCancelled
from games.match import SandboxLevel
from oracles.baselines.llm_agent.folding import drawn_opponents, payoff_of, planned
from oracles.config import ConfigError, RunConfig
from oracles.loop import MemoryMatchStore, Tools, execute, fold, summary_json
from oracles.models import ModelRefused
from oracles.options import Budget
from oracles.state import RunState
from oracles.steps import StepResult
from oracles.writers import LazyWriters
from tests.model_server import MODEL, ModelServer, Received, status
from tests.oracles.models.asking import client


class NoEngine:
    """An agent plays no programs: whatever asks for a match here is wrong."""

    level = SandboxLevel.FULL

    def play(self, *_: object, **__: object) -> list[Any]:
        raise AssertionError("an agent's run plays no matches")

    def close(self) -> None: ...


def config(server: ModelServer, game: str = "rrps", **agent: int) -> RunConfig:
    model = {"models": [{"model": MODEL}], "api_base": server.url, "retries": 0}
    return RunConfig.from_json(
        {"game": game, "oracle": "llm_agent", "model": model, "agent": agent, "seed": 11}
    )


def tools_for(
    budget: Budget | None = None, should_stop: Callable[[], bool] | None = None, **how: Any
) -> Tools:
    models, _ = client(budget)
    return Tools(
        engine=NoEngine(),
        writers=LazyWriters(),
        matches=MemoryMatchStore(),
        models=models,
        should_stop=should_stop,
        **how,
    )


def run(config: RunConfig, tools: Tools) -> tuple[RunState, Mapping[str, StepResult]]:
    results: dict[str, StepResult] = {}
    state = fold(config, results)
    while not state.finished:
        step = state.pending[0]
        results[step.key] = json.loads(json.dumps(execute(config, state, step, tools)))
        state = fold(config, results)
    return state, results


def beats_the_last(received: Received) -> str:
    """Reads the prompt as a model would: the throw that beats the opponent's last one."""
    lines = received.messages[1]["content"].split("\n")
    last = [line for line in lines if line.endswith(("won", "lost", "a tie")) and ". " in line]
    if not last:
        return "Rock"
    theirs = last[-1].split(", ")[1].split(":")[0]
    return {"Rock": "Paper", "Paper": "Scissors", "Scissors": "Rock"}[theirs]


def test_throws_are_sampled_and_every_figure_says_on_what_it_rests() -> None:
    with ModelServer(beats_the_last) as server:
        chosen = config(server, turns=6, opponents=3)
        state, results = run(chosen, tools_for())
        asked = [received.messages[1]["content"] for received in server.requests]
    assert state.agent is not None
    assert (state.agent.turns_asked, state.agent.calls, state.agent.units) == (18, 18, 18)
    assert (state.agent.opponents, state.agent.opponents_of) == (3, 43)
    assert (state.agent.forfeits, state.agent.stopped) == (0, ())
    assert (state.population, state.final_sigma, state.best_policy) == ((), None, None)
    (score,) = state.held_out
    assert score.subject == "agent"
    assert [one.name for one in score.opponents] == drawn_opponents(chosen)
    for name in drawn_opponents(chosen):
        assert not any(name in prompt for prompt in asked)
    first = results[planned(chosen)[0].key]
    assert first["plays"][0]["units"] == 6
    assert payoff_of(chosen, first) == first["plays"][0]["payoff"] * 1000 / 6
    assert score.pop_return.low is not None
    assert score.pop_expl.low is None  # one episode each: how sure the worst is, is not known
    answer = summary_json(chosen, state)
    assert answer["final_mixture"] is answer["best_policy"] is answer["last_policy"] is None
    assert answer["agent"]["calls"] == answer["model_calls"] == 18
    assert (answer["agent"]["turns_asked"], answer["agent"]["opponents"]) == (18, 3)
    assert [one["name"] for one in answer["agent"]["met"]] == drawn_opponents(chosen)
    assert answer["tokens"] == 18 * (11 + 7)


def test_a_sample_of_opponents_does_not_say_how_bad_the_worst_of_all_is() -> None:
    with ModelServer(beats_the_last) as server:
        state, _ = run(config(server, turns=4, opponents=2, episodes=2), tools_for())
    (score,) = state.held_out
    assert score.pop_return.low is not None
    assert (score.pop_expl.low, score.pop_expl.high) == (None, None)
    assert (score.agg_score.low, score.agg_score.high) == (None, None)


def test_poker_is_played_in_whole_hands_from_both_seats() -> None:
    with ModelServer("1") as server:  # check or call, always legal
        chosen = config(server, game="leduc", turns=5, opponents=3, episodes=2)
        state, results = run(chosen, tools_for())
    assert state.agent is not None
    assert state.agent.opponents == 3
    assert state.agent.episodes == 6
    for result in results.values():
        first, second = result["plays"]
        assert (first["seat"], second["seat"]) == (0, 1)
        assert first["units"] >= 1
        assert second["units"] >= 1
        assert result["turns"] >= 6  # three at each seat, to the end of the hand
    (score,) = state.held_out
    assert {one.name for one in score.opponents} == {"cfr_plus", "always_call", "always_fold"}
    assert score.pop_return.low is not None
    folds = next(one for one in score.opponents if one.name == "always_fold")
    assert folds.estimate.episodes == 2


def test_nonsense_is_asked_again_once_and_then_forfeits() -> None:
    with ModelServer("I would rather not say.") as server:
        chosen = config(server, turns=3, opponents=2)
        state, _ = run(chosen, tools_for())
        again = server.requests[1]
    assert state.agent is not None
    assert (state.agent.turns_asked, state.agent.calls) == (6, 12)
    assert (state.agent.asked_again, state.agent.forfeits) == (6, 6)
    assert [message["role"] for message in again.messages[1:]] == ["user", "assistant", "user"]
    assert "none of the legal actions" in again.messages[-1]["content"]
    (score,) = state.held_out
    assert score.pop_return.mean == -1000  # every throw lost
    assert all(one.faults == {"unreadable answer": 3} for one in score.opponents)


def test_a_second_answer_that_can_be_read_counts() -> None:
    with ModelServer(["Hm.", "Paper", "0"]) as server:
        state, _ = run(config(server, turns=2, opponents=1), tools_for())
    assert state.agent is not None
    assert (state.agent.asked_again, state.agent.forfeits, state.agent.calls) == (1, 0, 3)


def test_when_the_budget_ends_what_was_played_counts_with_its_size() -> None:
    with ModelServer("Rock") as server:
        chosen = config(server, turns=4, opponents=3)
        state, _ = run(chosen, tools_for(Budget(calls=6)))
        assert len(server.requests) == 6
    assert state.agent is not None
    assert (state.agent.turns_asked, state.agent.opponents, state.agent.units) == (6, 2, 6)
    assert "calls" in state.agent.stopped[0]
    assert state.stop_reason.startswith("some turns were not asked: ")
    (score,) = state.held_out
    assert len(score.opponents) == 2


def test_with_nothing_to_spend_nothing_is_known() -> None:
    with ModelServer("Rock") as server:
        chosen = config(server, turns=4, opponents=2)
        state, _ = run(chosen, tools_for(Budget(calls=0)))
        assert server.requests == []
    assert state.held_out == ()
    answer = summary_json(chosen, state)
    assert answer["agent"]["pop_return"] is None
    assert (answer["agent"]["opponents"], answer["agent"]["met"]) == (0, [])


def test_a_person_or_the_clock_can_end_it() -> None:
    with ModelServer("Rock") as server:
        chosen = config(server, turns=4, opponents=2)
        state, _ = run(chosen, tools_for(exhausted=lambda: "a person ended the search"))
        assert server.requests == []
    assert state.agent is not None
    assert state.agent.stopped == ("a person ended the search",)


def test_a_server_that_fails_ends_the_episode_and_not_the_player() -> None:
    with ModelServer("Rock") as server:
        chosen = config(server, turns=4, opponents=2)
        server.script(status(500))
        state, _ = run(chosen, tools_for())
    assert state.agent is not None
    assert (state.agent.forfeits, state.agent.opponents) == (0, 1)
    assert len(state.agent.stopped) == 1


def test_a_wrong_key_is_for_a_person_to_mend() -> None:
    with ModelServer("Rock") as server:
        chosen = config(server, turns=1, opponents=1)
        server.script(status(401))
        with pytest.raises(ModelRefused):
            run(chosen, tools_for())


def test_a_step_that_was_killed_is_repeated_without_paying_twice() -> None:
    with ModelServer(beats_the_last) as server:
        chosen = config(server, turns=5, opponents=1)
        asked = iter(range(1000))
        models, _ = client()
        surroundings = {
            "engine": NoEngine(),
            "writers": LazyWriters(),
            "matches": MemoryMatchStore(),
            "models": models,
        }
        stopped = Tools(**surroundings, should_stop=lambda: next(asked) > 2)  # type: ignore[arg-type]
        with pytest.raises(MatchCancelled):
            run(chosen, stopped)
        before = len(server.requests)
        assert before == 3
        again, results = run(chosen, Tools(**surroundings))  # type: ignore[arg-type]
        assert len(server.requests) == 5
    with ModelServer(beats_the_last) as server:
        undisturbed, expected = run(config(server, turns=5, opponents=1), tools_for())
    assert results == expected
    assert again.held_out == undisturbed.held_out


def test_opponents_are_drawn_with_the_seed() -> None:
    with ModelServer() as server:
        chosen = config(server, opponents=5)
    assert drawn_opponents(chosen) == drawn_opponents(RunConfig.from_json(chosen.to_json()))
    other = RunConfig.from_json({**chosen.to_json(), "seed": 12})
    assert drawn_opponents(other) != drawn_opponents(chosen)
    everyone = RunConfig.from_json({**chosen.to_json(), "agent": {"opponents": 1000}})
    assert len(drawn_opponents(everyone)) == 43


def test_it_needs_a_model() -> None:
    with pytest.raises(ConfigError, match="model is missing"):
        RunConfig.from_json({"game": "rrps", "oracle": "llm_agent"})
