"""``./csro match``: two players against each other."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from csro_web.cli.arguments import add_episodes_and_seed, add_game, add_json, parser
from csro_web.cli.output import STDOUT, check_target, interval, number, write_json, write_text

if TYPE_CHECKING:
    from games.match import MatchResult, MatchSpec


def main(name: str, argv: Sequence[str]) -> int:
    arguments = parser(name, "Two players against each other: mean, interval, faults per side.")
    player = "a policy file, bot:NAME, policy:ID or a hash"
    arguments.add_argument("a", metavar="A", help=player)
    arguments.add_argument("b", metavar="B", help=player)
    add_game(arguments)
    add_episodes_and_seed(arguments, episodes=20)
    arguments.add_argument(
        "--record", metavar="FILE", help="write the whole match as JSON, every decision of it"
    )
    add_json(arguments)
    given = arguments.parse_args(argv)
    check_target(given.json)
    if given.record == STDOUT:
        arguments.error("argument --record: it takes the name of a file, not -")
    check_target(given.record)

    from csro_web.cli.play import open_engine, play_all, prepare
    from csro_web.cli.players import load_game, load_player
    from games.match import MatchSpec
    from games.players import BotPlayer
    from games.replay import record_match

    game = load_game(given.game, given.param)
    spec = MatchSpec(
        game=game.name,
        a=load_player(given.a, game),
        b=load_player(given.b, game),
        episodes=given.episodes,
        seed=given.seed,
        params=game.params,
    )
    prepare(game, [player.name for player in (spec.a, spec.b) if isinstance(player, BotPlayer)])
    with open_engine() as engine:
        if given.record:
            recording = record_match(engine, spec)
            result = recording.result
        else:
            [result] = play_all(engine, [spec], "matches")
    if given.record:
        write_text(Path(given.record), json.dumps(recording.to_json()) + "\n")
    answer = _answer(given.a, given.b, spec, result)
    if given.json != STDOUT:
        _show(given.a, given.b, answer, result)
    if given.json:
        write_json(given.json, answer)
    return 0


def _answer(a: str, b: str, spec: MatchSpec, result: MatchResult) -> dict[str, Any]:
    from games.fixed import payoff_bound
    from games.metrics import estimate

    bound = payoff_bound(spec, reproducible=result.reproducible)
    payoff = estimate(result.payoffs, bound=bound)
    return {
        "game": spec.game,
        "game_params": dict(spec.params),
        "a": _side(a, spec.a),
        "b": _side(b, spec.b),
        "episodes": spec.episodes,
        "seed": spec.seed,
        "sandbox_level": str(result.sandbox_level),
        "mean": payoff.mean,
        "low": payoff.low,
        "high": payoff.high,
        "faults": {"a": result.a.total, "b": result.b.total},
        "reproducible": result.reproducible,
        "seconds": result.seconds,
        "decisions": result.decisions,
    }


def _side(text: str, player: object) -> dict[str, Any]:
    return {"player": text, "sha256": getattr(player, "sha256", None)}


def _show(a: str, b: str, answer: dict[str, Any], result: MatchResult) -> None:
    from csro_web.cli.play import describe_faults, show_tracebacks

    print(f"{a} against {b}: {number(answer['mean'])} per episode for {a}")
    print(f"95 % interval: {interval(answer['low'], answer['high'])}")
    print(f"episodes: {answer['episodes']}, decisions: {result.decisions}, seed: {answer['seed']}")
    print(f"sandbox level: {result.sandbox_level}")
    if not result.reproducible:
        print("not reproducible bit for bit: a time limit decided something")
    for name, report in ((a, result.a), (b, result.b)):
        print(f"faults of {name}: {describe_faults(dict(report.counts))}")
        if report.tracebacks:
            print(show_tracebacks(report))
