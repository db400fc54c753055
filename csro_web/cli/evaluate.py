"""``./csro evaluate``: policy files against a game's evaluation population."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from csro_web.cli.arguments import add_episodes_and_seed, add_game, add_json, parser
from csro_web.cli.output import STDOUT, check_target, interval, number, table, write_json

if TYPE_CHECKING:
    from games.base import Game
    from games.evaluate import Evaluation
    from games.local_engine import LocalEngine
    from games.players import CodePlayer


def main(name: str, argv: Sequence[str]) -> int:
    arguments = parser(name, "Policy files, in the sandbox, against the evaluation population.")
    arguments.add_argument("files", nargs="+", metavar="FILE", help="a policy (one Python file)")
    add_game(arguments)
    add_episodes_and_seed(arguments, episodes=20)
    add_json(arguments)
    given = arguments.parse_args(argv)
    check_target(given.json)

    from csro_web.cli.files import read_policy
    from csro_web.cli.play import open_engine, prepare
    from csro_web.cli.players import load_game
    from games.players import CodePlayer

    game = load_game(given.game, given.param)
    players = [(path, CodePlayer(read_policy(path))) for path in given.files]
    prepare(game, game.evaluation_population())
    with open_engine() as engine:
        evaluations = [
            _evaluate(engine, game, path, player, given.episodes, given.seed)
            for path, player in players
        ]
    answers = []
    for (path, player), evaluation in zip(players, evaluations, strict=True):
        answers.append(_answer(path, player, evaluation))
        if given.json != STDOUT:
            _show(game, path, player, evaluation)
    if given.json:
        write_json(given.json, answers[0] if len(answers) == 1 else answers)
    return 0


def _evaluate(
    engine: LocalEngine, game: Game, path: str, player: CodePlayer, episodes: int, seed: int
) -> Evaluation:
    from csro_web.cli.output import Progress
    from csro_web.cli.play import check_that_it_starts
    from games.evaluate import evaluate, evaluation_specs

    trial = evaluation_specs(game, player, episodes=1, seed=seed)[-1]
    check_that_it_starts(path, engine.play([trial])[0].a)
    with Progress(f"{path}: opponents", len(game.evaluation_population())) as progress:
        return evaluate(
            engine,
            game,
            player,
            episodes=episodes,
            seed=seed,
            on_result=lambda _index, _result: progress.advance(),
        )


def _faults(evaluation: Evaluation) -> dict[str, int]:
    total: Counter[str] = Counter()
    for opponent in evaluation.opponents:
        total.update(opponent.faults)
    return dict(total)


def _reproducible(evaluation: Evaluation) -> bool:
    return all(opponent.result.reproducible for opponent in evaluation.opponents)


def _answer(path: str, player: CodePlayer, evaluation: Evaluation) -> Mapping[str, Any]:
    return {
        **evaluation.to_json(),
        "policy": {"path": path, "sha256": player.sha256},
        "faults": _faults(evaluation),
        "reproducible": _reproducible(evaluation),
    }


def _show(game: Game, path: str, player: CodePlayer, evaluation: Evaluation) -> None:
    from csro_web.cli.play import describe_faults, show_tracebacks

    print(f"{path} (sha256 {player.sha256[:16]})")
    print(f"{game.title}, {game.payoff_unit}; {evaluation.episodes} episodes per opponent\n")
    rows = [
        (
            opponent.name,
            number(opponent.estimate.mean),
            interval(opponent.estimate.low, opponent.estimate.high),
            sum(opponent.faults.values()),
        )
        for opponent in evaluation.opponents
    ]
    print(table(rows, ("opponent", "mean", "95 % interval", "faults")))
    print()
    score = evaluation.score
    for label, value in (
        ("PopReturn", score.pop_return),
        ("PopExpl", score.pop_expl),
        ("AggScore", score.agg_score),
    ):
        print(f"{label:<10}{number(value.mean):>10}  {interval(value.low, value.high)}")
    print(f"faults: {describe_faults(_faults(evaluation))}")
    print(f"sandbox level: {evaluation.sandbox_level}, seed: {evaluation.seed}")
    if not _reproducible(evaluation):
        print("not reproducible bit for bit: a time limit decided something")
    reports = [opponent.result.a for opponent in evaluation.opponents]
    for text in sorted({show_tracebacks(report) for report in reports if report.tracebacks})[:3]:
        print(f"\n{text}")
