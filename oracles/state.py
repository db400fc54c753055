"""What is known of a run: the value that :func:`oracles.loop.fold` computes from its step results.

Web pages and terminal tables are projections of this value; nothing else decides what a run says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

from games.metrics import Estimate, PopulationScore
from games.players import BotPlayer, CodePlayer
from oracles.changes import ChangeRecord
from oracles.steps import StepSpec

Number = TypeVar("Number", int, float)


@dataclass(frozen=True)
class Summary:
    """What a language model says of a policy; ``text`` is None when none could be had."""

    text: str | None
    model: str | None = None
    """The model that served it."""
    note: str = ""
    """Why there is none, in words."""


@dataclass(frozen=True)
class PolicyRecord:
    """A member of the population. ``index`` is its row in the payoff matrix."""

    index: int
    name: str
    origin: str
    """``initial``, ``bot``, ``generated``, ``refined``, ``evolved``, ``computed``, ``trained``,
    ``edited`` or ``imported``."""
    player: CodePlayer | BotPlayer
    iteration: int | None
    """The iteration that added it; None for the initial population."""
    candidate_key: str | None
    """Key of the candidate that became it."""
    parents: tuple[int, ...] = ()
    """Indexes of the policies it was shown or refined from."""
    faults: Mapping[str, int] = field(default_factory=dict)
    summary: Summary | None = None
    """None unless one was asked for."""
    change: int | None = None
    """Number of the change by which a person added it; None for the search's own."""
    withdrawn_by: int | None = None
    """Number of the change that took it out of the mixtures; None while they may play it."""


@dataclass(frozen=True)
class Usage:
    """What completions cost. A figure that one of them did not report is None for all: unknown."""

    model_calls: int = 0
    prompt_tokens: int | None = 0
    completion_tokens: int | None = 0
    usd: float | None = 0.0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.model_calls + other.model_calls,
            _known_sum(self.prompt_tokens, other.prompt_tokens),
            _known_sum(self.completion_tokens, other.completion_tokens),
            _known_sum(self.usd, other.usd),
        )


def _known_sum(a: Number | None, b: Number | None) -> Number | None:
    return None if a is None or b is None else a + b


class Stage(StrEnum):
    """How far a proposal of an evolution came."""

    REFUSED = "refused"
    """There was no program to play, or not a new one."""
    SCREENING = "screening"
    SCREENED_OUT = "screened out"
    """It was neither near the best of its island nor of a kind that the island lacked."""
    PLAYING = "playing"
    PLAYED = "played"


@dataclass(frozen=True)
class Evolved:
    """What an evolution knows of a candidate beside its score."""

    island: int
    """From 0."""
    inspirations: tuple[str, ...]
    """Keys of the candidates whose programs the writer was shown beside the parent."""
    stage: Stage
    screen: Estimate | None = None
    """Mean utility against sigma in the screening; None while unknown."""
    behaviour: tuple[float | None, ...] = ()
    """By the game's axes; empty until it was screened, None where unknown."""
    length: int | None = None
    """Lines of code without comments and docstrings; None until it was screened."""
    cell: tuple[int | None, ...] = ()
    """Its place on the map: a bin per axis, then one of its length; empty until it was screened."""


@dataclass(frozen=True)
class Elite:
    """The best program of a cell of an island's archive."""

    island: int
    cell: tuple[int | None, ...]
    attempt: int
    fitness: float
    arrived_from: int | None
    """The island it migrated from; None where it was proposed to this one."""


@dataclass(frozen=True)
class Migration:
    """A program that was copied to another island, after so many results."""

    after: int
    attempt: int
    source: int
    target: int


@dataclass(frozen=True)
class EvolutionRecord:
    """The program database of one iteration."""

    elites: tuple[Elite, ...]
    """By island, the fittest first."""
    migrations: tuple[Migration, ...]


@dataclass(frozen=True)
class CandidateRecord:
    """Everything the oracle tried, also what failed, and why."""

    key: str
    """``it<iteration>/attempt<k>``."""
    iteration: int
    attempt: int
    messages: tuple[Mapping[str, str], ...]
    completion: str
    model: str | None
    accepted: bool
    reason: str
    """Why it was refused, in words a person and a model can act on; empty when accepted."""
    line: int | None
    source: str | None
    sha256: str | None
    repairs: tuple[str, ...]
    parent: str | None
    """Key of the candidate that this one refines."""
    score: Estimate | None
    """Mean utility against sigma; None until it was played."""
    per_opponent: tuple[Mapping[str, Any], ...]
    """``{"index", "name", "weight", "mean", "low", "high", "episodes", "faults"}`` each."""
    faults: Mapping[str, int]
    tracebacks: tuple[str, ...]
    feedback: str
    """What the writer was told about it; empty until it was played or refused."""
    improved: bool | None
    """Whether it beat the incumbent on paired episodes; None until it was played."""
    paired_difference: Estimate | None
    fit: bool = False
    """Whether it was played against all of sigma and may join the population."""
    finish_reason: str | None = None
    usage: Usage = field(default_factory=Usage)
    mark: str | None = None
    """Fingerprint of the program, or of the answer when it was refused."""
    prompt_version: str | None = None
    """Hash of the texts that the prompt was made of; None when it was not recorded."""
    context_use: Mapping[str, Any] = field(default_factory=dict)
    """Which opponents the prompt showed and which it dropped; empty when not recorded."""
    evolved: Evolved | None = None
    """None where the oracle is no evolution."""
    training: Mapping[str, Any] | None = None
    """How it was trained (:func:`oracles.baselines.impala.step.train_step`); None: it was not."""


@dataclass(frozen=True)
class CellRecord:
    """One cell of the payoff matrix: the row policy's mean payoff against the column policy."""

    row: int
    column: int
    estimate: Estimate
    match_key: str
    seed: int
    faults_row: Mapping[str, int]
    faults_column: Mapping[str, int]
    payoffs: tuple[float, ...] = ()
    """Payoff of each episode to the row policy, in order."""
    bound: float = 0.0
    """Of its payoffs (:mod:`games.metrics`)."""


@dataclass(frozen=True)
class MixtureQuality:
    """How near a mixture is to an equilibrium of its own population."""

    solver: str
    exploitability: float
    """What the best policy of the population gains against it, in the game's payoff unit."""
    converged: bool | None
    """Whether the meta-solver found an equilibrium; None when it looks for none."""


@dataclass(frozen=True)
class IterationRecord:
    """One turn of the loop: the mixture it started from and the best response it found."""

    index: int
    sigma: tuple[float, ...]
    """Training mixture over the policies that existed when the iteration began; sums to 1."""
    sigma_low: tuple[float, ...]
    sigma_high: tuple[float, ...]
    """95 % bootstrap range of each weight; empty while unknown (a cell was played only once)."""
    gain: Estimate | None
    """Utility of the best response against sigma; None while unknown or when none was found."""
    policy: int | None
    """Index of the policy that joined; None while open, or when no candidate was fit to join."""
    finished: bool
    note: str = ""
    """Why it ended without a policy, or why the search for one stopped; empty while open."""
    evolution: EvolutionRecord | None = None
    """None where the oracle is no evolution."""
    quality: MixtureQuality | None = None
    """Of sigma; None in runs from before it was computed."""


@dataclass(frozen=True)
class HeldOutOpponent:
    name: str
    estimate: Estimate
    faults: Mapping[str, int]
    """Faults of the subject against it."""
    seed: int
    seen: bool = False
    """Whether the run's initial population had it; then it counts in ``HeldOut.seen`` alone."""


@dataclass(frozen=True)
class HeldOut:
    """Scores on the evaluation population, which the search never met."""

    subject: str
    """``final_mixture``, ``best_policy``, ``last_policy`` or ``agent``."""
    policy: int | None
    """Index of the policy; None for the mixture and the agent."""
    pop_return: Estimate
    pop_expl: Estimate
    agg_score: Estimate
    opponents: tuple[HeldOutOpponent, ...]
    seen: PopulationScore | None = None
    """The same over the evaluation opponents that the run trained against; None without any."""
    untuned: PopulationScore | None = None
    """The same as the figures above over those opponents alone that the writer was not tuned on;
    None when it was tuned on none of them."""


@dataclass(frozen=True)
class ExactFigures:
    """What a computed policy is worth, from the game's tree and not from play: no intervals.

    Over the evaluation population, in the game's payoff unit.
    """

    exploitability: float
    """What a best response gains, in ``exploitability_unit``."""
    exploitability_unit: str
    pop_return: float
    pop_expl: float
    agg_score: float
    opponents: tuple[tuple[str, float], ...]
    """Name and mean payoff against it."""


@dataclass(frozen=True)
class AgentCounts:
    """What the figures of ``llm_agent`` rest on: a sample, and how large it is."""

    opponents: int
    """Opponents with at least one episode that counts."""
    opponents_planned: int
    opponents_of: int
    """Members of the evaluation population."""
    episodes: int
    """Episodes that count, none of them whole unless all of its units were played."""
    turns_asked: int
    """Decisions that the model was asked for and that were played."""
    calls: int
    """Requests to models."""
    asked_again: int
    """Turns whose first answer could not be read."""
    forfeits: int
    """Turns whose second answer could not be read either."""
    unit: str
    """``throws`` or ``hands``."""
    units: int
    """Of them, played in the episodes that count (both seats of a game that has two)."""
    units_per_episode: int
    """What payoffs are scaled to."""
    stopped: tuple[str, ...]
    """Why turns of the sample were not asked; empty when all were."""


@dataclass(frozen=True)
class RunState:
    """A run as far as it is known."""

    population: tuple[PolicyRecord, ...]
    cells: tuple[CellRecord, ...]
    """Played cells with ``row > column``; the matrix is antisymmetric."""
    iterations: tuple[IterationRecord, ...]
    candidates: tuple[CandidateRecord, ...]
    final_sigma: tuple[float, ...] | None
    """The newest: of the search's end, or of the last revision after it."""
    final_sigma_low: tuple[float, ...] | None
    final_sigma_high: tuple[float, ...] | None
    best_policy: int | None
    """Highest mean payoff against the population, worst case breaking ties; None until the end."""
    held_out: tuple[HeldOut, ...]
    sandbox_level: str | None
    """The weakest level among the results so far."""
    pending: tuple[StepSpec, ...]
    """Steps that can be done now and have no result yet, in order."""
    finished: bool
    stop_reason: str
    """Why the loop ended (iteration count, no gain, no candidate); empty while it goes on."""
    steps_done: int
    steps_expected: int
    """An upper estimate of all steps, for progress."""
    usage: Usage = field(default_factory=Usage)
    """What the writer's completions cost so far."""
    decisions: int | None = 0
    """Decisions played so far, of both sides; None when a result does not tell."""
    quality: MixtureQuality | None = None
    """Of the newest mixture: the final one, else that of the last iteration."""
    exact: ExactFigures | None = None
    """Of the policy of ``cfr``; None for what was not computed."""
    agent: AgentCounts | None = None
    """Of ``llm_agent``; None for runs of programs."""
    changes: tuple[ChangeRecord, ...] = ()
    """What people changed in the population, in order."""
    evaluated: bool = False
    """Whether the held-out evaluation is over. Changes that came later are revisions: they make a
    newer final mixture, while the held-out scores stay those of the search's own."""

    def candidate(self, key: str) -> CandidateRecord:
        """The candidate of that key.

        Raises:
            KeyError: when there is none.
        """
        for record in self.candidates:
            if record.key == key:
                return record
        raise KeyError(key)
