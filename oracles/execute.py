"""Doing one step: playing, solving or writing what it asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

from games.engine import MatchEngine
from games.match import MatchSpec
from games.players import BotPlayer, CodePlayer, MixturePlayer, Player
from games.tournament import derive_seed
from oracles import plan
from oracles.baselines import cfr
from oracles.baselines.impala.step import train_step
from oracles.baselines.impala.task import Task
from oracles.baselines.llm_agent.playing import play as play_agent
from oracles.candidate import extract
from oracles.config import RunConfig, WriterName
from oracles.excerpts import worst_excerpt, worst_match
from oracles.fingerprint import answer_mark, fingerprint
from oracles.matches import MatchStore, PlayedMatch, play_matches
from oracles.mixture import mixture_json, support, support_weights
from oracles.models import BudgetExhausted, ModelClient, ModelFailed
from oracles.population import game_of
from oracles.request import write_request
from oracles.revisions import restricted_mixture
from oracles.state import RunState
from oracles.steps import StepKind, StepResult, StepSpec
from oracles.summaries import summarise
from oracles.task import Completion, Writer, WriteRequest
from oracles.text import storable

__all__ = ["Tools", "execute", "never_exhausted", "write_request", "write_result"]


def never_exhausted() -> str | None:
    """For surroundings that set no limits."""
    return None


@dataclass(frozen=True)
class Tools:
    """What a step needs from its surroundings."""

    engine: MatchEngine
    writers: Mapping[WriterName, Writer]
    matches: MatchStore
    should_stop: Callable[[], bool] | None = None
    models: ModelClient | None = None
    """The way to language models; None where there is none."""
    exhausted: Callable[[], str | None] = never_exhausted
    """Why nothing more may be proposed (time, a person's wish), in words; None while it may."""


def execute(config: RunConfig, state: RunState, step: StepSpec, tools: Tools) -> StepResult:
    """Do ``step``, one of ``state.pending``; its result is plain JSON data.

    Raises:
        MatchCancelled: when ``tools.should_stop`` said so.
        EngineError, MetaGameError: when the machine, not a policy, failed.
    """
    match step.kind:
        case StepKind.PLAY:
            return _play_row(config, state, step, tools)
        case StepKind.SCORE:
            return _score(config, state, step, tools)
        case StepKind.EVALUATE:
            return _evaluate(config, state, step, tools)
        case StepKind.SOLVE:
            return _solve(config, state, step)
        case StepKind.WRITE:
            return _write(config, state, step, tools)
        case StepKind.TRAIN:
            return _train(config, state, step, tools)
        case StepKind.SUMMARISE:
            return summarise(
                config,
                state,
                step,
                models=tools.models,
                exhausted=tools.exhausted,
                should_stop=tools.should_stop,
            )
        case StepKind.CHANGE:
            raise ValueError(f"{step.key} is what a person changed; nobody can work on it")
        case StepKind.COMPUTE:
            return cfr.compute(config)
        case StepKind.AGENT:
            return play_agent(
                config,
                step,
                models=tools.models,
                exhausted=tools.exhausted,
                should_stop=tools.should_stop,
            )


def _play_row(config: RunConfig, state: RunState, step: StepSpec, tools: Tools) -> StepResult:
    row, candidate = step.inputs["row"], step.inputs["candidate"]
    change = step.inputs.get("change")
    player: CodePlayer | BotPlayer
    if change:
        player, seeds = CodePlayer(state.changes[change - 1].source), f"change/{change}/cell"
    else:
        player = _candidate(state, candidate) if candidate else state.population[row].player
        seeds = f"cell/{row}"
    opponents = {
        f"{seeds}/{column}": state.population[column].player for column in step.inputs["columns"]
    }
    return _matches(config, tools, player, opponents, config.episodes)


def _score(config: RunConfig, state: RunState, step: StepSpec, tools: Tools) -> StepResult:
    """Seeds name the iteration and the opponent, not the candidate: common random numbers."""
    screen = step.inputs.get("screen")
    smoke = screen is None and step.inputs["smoke"]
    what = "screen" if screen else "smoke" if smoke else "score"
    opponents = {
        f"it{step.inputs['iteration']}/{what}/{index}": state.population[index].player
        for index in step.inputs["opponents"]
    }
    player = _candidate(state, step.inputs["candidate"])
    episodes = screen or (1 if smoke else config.episodes)
    played = _played(config, tools, player, opponents, episodes)
    matches = [match.to_json() for match in played]
    if screen:
        tallies = [match.result.a.tally for match in played]
        return {"matches": [{**m, "tally": t} for m, t in zip(matches, tallies, strict=True)]}
    if not smoke and config.writer is not WriterName.GRAMMAR:  # it reads figures alone
        index = worst_match(played)
        excerpt = worst_excerpt(game_of(config), played[index], tools.engine, tools.should_stop)
        matches[index]["excerpt"] = excerpt.to_json()
    return {"matches": matches}


def _evaluate(config: RunConfig, state: RunState, step: StepSpec, tools: Tools) -> StepResult:
    names = list(game_of(config).evaluation_population())
    opponents = {
        f"evaluate/{names[index]}": BotPlayer(names[index]) for index in step.inputs["opponents"]
    }
    player = _subject(state, step.inputs["player"])
    return _matches(config, tools, player, opponents, config.evaluation_episodes)


def _subject(state: RunState, player: int | str) -> Player:
    if player != plan.MIXTURE:
        return state.population[int(player)].player
    assert state.final_sigma is not None
    return _mixture(state, state.final_sigma)


def _mixture(state: RunState, sigma: Sequence[float]) -> MixturePlayer:
    players = [state.population[index].player for index in support(sigma)]
    return MixturePlayer(tuple(zip(support_weights(sigma), players, strict=True)))


def _candidate(state: RunState, key: str) -> CodePlayer:
    source = state.candidate(key).source
    assert source is not None, f"{key} was refused and cannot be played"
    return CodePlayer(source)


def _matches(
    config: RunConfig,
    tools: Tools,
    player: Player,
    opponents: Mapping[str, CodePlayer | BotPlayer],
    episodes: int,
) -> StepResult:
    played = _played(config, tools, player, opponents, episodes)
    return {"matches": [match.to_json() for match in played]}


def _played(
    config: RunConfig,
    tools: Tools,
    player: Player,
    opponents: Mapping[str, CodePlayer | BotPlayer],
    episodes: int,
) -> list[PlayedMatch]:
    """``player`` against each opponent; the opponent's key decides the seed."""
    specs = {
        key: MatchSpec(
            game=config.game,
            a=player,
            b=opponent,
            episodes=episodes,
            seed=derive_seed(config.seed, key),
            params=dict(config.params),
        )
        for key, opponent in opponents.items()
    }
    return play_matches(specs, tools.engine, tools.matches, tools.should_stop)


def _solve(config: RunConfig, state: RunState, step: StepSpec) -> StepResult:
    size = step.inputs["policies"]
    without = step.inputs.get("without", ())
    mixture = restricted_mixture(
        [cell for cell in state.cells if cell.row < size],
        size,
        [index for index in range(size) if index not in without],
        step.inputs["solver"],
        derive_seed(config.seed, step.key),
    )
    return mixture_json(mixture)


def _train(config: RunConfig, state: RunState, step: StepSpec, tools: Tools) -> StepResult:
    sigma = state.iterations[step.inputs["iteration"] - 1].sigma
    task = Task(
        game=game_of(config),
        opponents=_mixture(state, sigma),
        settings=config.impala,
        seed=derive_seed(config.seed, step.key),
    )
    return train_step(
        task,
        level=tools.engine.level,
        should_stop=tools.should_stop,
        exhausted=tools.exhausted,
    )


def _write(config: RunConfig, state: RunState, step: StepSpec, tools: Tools) -> StepResult:
    """See :class:`oracles.steps.StepKind` for the three results."""
    why = tools.exhausted()
    if why is not None:
        return {"exhausted": storable(why)}
    request = write_request(config, state, step)
    try:
        completion = tools.writers[config.writer].write(request)
    except BudgetExhausted as error:
        return {"exhausted": storable(str(error)), "requests": error.requests}
    except ModelFailed as error:
        failed = {"failed": storable(str(error)), "requests": error.requests}
        return {**_asked(request), **failed}
    return write_result(request, completion)


def write_result(request: WriteRequest, completion: Completion) -> StepResult:
    """What a write step finds when its writer, or a person, answers ``completion``."""
    text = storable(completion.text)
    extraction = extract(
        completion.text, base=request.incumbent, finish_reason=completion.finish_reason
    )
    return {
        **_asked(request),
        "completion": {**asdict(completion), "text": text},
        "extraction": extraction.to_json(),
        "fingerprint": fingerprint(extraction.source)
        if extraction.source is not None
        else answer_mark(completion.text),
    }


def _asked(request: WriteRequest) -> StepResult:
    return {
        "messages": storable([dict(message) for message in request.messages]),
        "prompt_version": request.prompt_version,
        "context": dict(request.context_use),
    }
