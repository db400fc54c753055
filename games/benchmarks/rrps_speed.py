"""RRPS: throws per second against OpenSpiel's own example, and what the sandbox costs in CPU."""

from __future__ import annotations

import contextlib
import io
import time
from typing import Any

from games.benchmarks.rows import Row, policy_source
from games.evaluate import evaluate
from games.local_engine import LocalEngine
from games.match import MatchSpec
from games.players import BotPlayer, CodePlayer
from games.registry import get_game

_OPPONENT = "markov5"
_REPEATS = 3


def throughput(name: str, policy: str, *, target: float, episodes: int) -> Row:
    """Throws per second of a policy against markov5: sandboxed, and in OpenSpiel's example loop.

    Both get the best of a few tries, taken in turns. The engine plays two batches on two cores, as
    it does for every evaluation; OpenSpiel's loop knows no way to do that.
    """
    source = policy_source(policy)
    spec = MatchSpec(
        "rrps", CodePlayer(source), BotPlayer(_OPPONENT), 2 * episodes, 1, batch_size=episodes
    )
    ours, peer = 0.0, 0.0
    with LocalEngine(workers=2) as engine:
        engine.play([MatchSpec("rrps", spec.a, spec.b, 2, 1, batch_size=1)])
        for _ in range(_REPEATS):
            started = time.perf_counter()
            engine.play([spec])
            ours = max(ours, 2000 * episodes / (time.perf_counter() - started))
            peer = max(peer, 1000 / _example_seconds(source))
        level = engine.level
    return Row(
        name=name,
        ours=ours,
        peer=peer,
        ratio=ours / peer,
        target=target,
        unit="throws/s",
        note=(
            f"{policy} policy against {_OPPONENT}, {episodes} episodes in a batch, sandbox level "
            f"{level}, two referees; peer: OpenSpiel's roshambo_population_example, same policy"
        ),
    )


def cpu_ratio(name: str, policy: str, *, target: float, episodes: int) -> Row:
    """CPU of a sandboxed evaluation against all bots, over that of a plain loop in process."""
    source = policy_source(policy)
    game = get_game("rrps")
    with LocalEngine() as engine:
        evaluation = evaluate(engine, game, CodePlayer(source), episodes=episodes, seed=1)
    seconds = [opponent.result.cpu_seconds for opponent in evaluation.opponents]
    ours = sum(value for value in seconds if value is not None)
    started = time.process_time()
    for bot in game.evaluation_population():
        for episode in range(episodes):
            play_in_process(source, bot, seed=episode)
    peer = time.process_time() - started
    return Row(
        name=name,
        ours=ours,
        peer=peer,
        ratio=ours / peer,
        target=target,
        unit="CPU seconds",
        note=(
            f"{policy} policy against 43 bots, {episodes} episodes each, sandbox level "
            f"{evaluation.sandbox_level}; peer: the policy in process, bots stepped directly"
        ),
        at_most=True,
    )


def play_in_process(source: str, bot_name: str, *, seed: int) -> int:
    """One episode without any protection: only for sources of this package. The score."""
    import pyspiel

    policy = _policy(source, 0, seed)
    bot = pyspiel.make_roshambo_bot(1, bot_name, 1000)
    state = pyspiel.load_game(
        "repeated_game(stage_game=matrix_rps(),num_repetitions=1000,recall=1)"
    ).new_initial_state()
    mine: list[int] = []
    theirs: list[int] = []
    obs = _observation(mine, theirs)
    score = 0
    for throw in range(1000):
        obs["throw"], obs["my_score"] = throw, score
        action, reply = policy.act(obs), bot.step(state)
        state.apply_actions([action, reply])
        mine.append(action)
        theirs.append(reply)
        score += (0, 1, -1)[(action - reply) % 3]
    return score


def _observation(mine: list[int], theirs: list[int]) -> dict[str, Any]:
    obs = get_game("rrps").example_observation()
    return {**obs, "throw": 0, "my_actions": mine, "opponent_actions": theirs, "my_score": 0}


def _policy(source: str, player: int, seed: int) -> Any:
    namespace: dict[str, Any] = {"__name__": "policy"}
    exec(compile(source, "policy.py", "exec"), namespace)  # noqa: S102 - a file of this package
    return namespace["Policy"](player, 2, get_game("rrps").game_dict(), seed)


def _example_seconds(source: str) -> float:
    """Wall time of one episode in the loop of OpenSpiel's example."""
    from open_spiel.python import rl_agent, rl_environment
    from open_spiel.python.examples import roshambo_population_example as example

    class PolicyAgent(rl_agent.AbstractAgent):  # type: ignore[misc]
        """The policy as an agent of the example: it reads the last throws off the info state."""

        def __init__(self) -> None:
            self.restart()

        def restart(self) -> None:
            self.policy = _policy(source, 0, 1)
            self.obs = _observation([], [])

        def step(self, time_step: Any, is_evaluation: bool = False) -> Any:
            if time_step.last():
                return None
            if not time_step.first():
                one_hot = time_step.observations["info_state"][0]
                self.obs["my_actions"].append(one_hot[-6:-3].index(1.0))
                self.obs["opponent_actions"].append(one_hot[-3:].index(1.0))
                self.obs["throw"] += 1
            return rl_agent.StepOutput(action=self.policy.act(self.obs), probs=[1.0, 0.0, 0.0])

    environment = rl_environment.Environment(
        "repeated_game(stage_game=matrix_rps(),num_repetitions=1000,recall=1)",
        include_full_state=True,
    )
    population = sorted(bot.name for bot in get_game("rrps").bots())
    index = population.index(_OPPONENT)
    opponent = example.create_roshambo_bot_agent(1, 3, population, index)
    agents = [PolicyAgent(), opponent]
    started = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):  # the example prints every episode
        example.eval_agents(environment, agents, 2, 1)
    return time.perf_counter() - started
