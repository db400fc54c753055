"""Playing a bundle's matches again and computing its figures anew."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from csro_web.bundles.matches import NoSource, Sample, Samples, estimate_row, spec_of
from csro_web.bundles.proofs import unproved
from csro_web.bundles.reading import Bundle, BundleError
from csro_web.bundles.recomputing import recomputed
from csro_web.bundles.reevaluations import compare_attempts, unsupported_approvals
from csro_web.bundles.resting import misplaced_matches
from csro_web.bundles.verifying import Finding
from games.engine import MatchEngine
from games.fixed import payoff_bound
from games.match import ENGINE_VERSION, MatchResult, MatchSpec, SandboxLevel

_UNUSABLE = (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, NoSource)
"""What a manifest that is not what it should be leads to."""


@dataclass(frozen=True)
class Replay:
    """What came out of it; ``findings`` are numbers that are not as the bundle has them."""

    matches: int
    """In the bundle."""
    played: int
    """Of them, played again: all of this engine's version, or a sample."""
    sandbox_level: SandboxLevel
    """Of this machine."""
    findings: tuple[Finding, ...]
    unrepeatable: tuple[str, ...]
    """Matches in which a time limit decided something: other numbers prove nothing."""
    figures: int
    """Computed anew and compared."""
    other_engines: Mapping[str, int]
    """How many matches were played by which other versions of the engine. They give other numbers,
    so these were not played again; their figures were computed anew from their payoffs."""
    unchecked: tuple[str, ...] = ()
    """Re-evaluations that no approval rests on and whose matches are not in the bundle."""


def replay(
    bundle: Bundle,
    engine: MatchEngine,
    *,
    sample: int | None = None,
    on_result: Callable[[], None] = lambda: None,
) -> Replay:
    """Play the matches again, all or ``sample`` of them at random, and compare every figure.

    Figures of matches that were not drawn, or that another version of the engine played, are
    computed from the payoffs that the bundle has.

    Raises:
        BundleError: when the manifest cannot be used.
        EngineError: when the matches cannot be played here.
    """
    try:
        return _replay(bundle, engine, sample, on_result)
    except _UNUSABLE as error:
        raise BundleError(f"its manifest cannot be used: {error!r}") from error


def _replay(
    bundle: Bundle, engine: MatchEngine, sample: int | None, on_result: Callable[[], None]
) -> Replay:
    manifest = bundle.manifest
    sources = {one.sha256: one.source for one in (*bundle.policies, *bundle.evidence)}
    rows = list(manifest["matches"])
    specs = [spec_of(row, sources, manifest["game"]) for row in rows]
    # What claims more episodes than it has payoffs could be played for ever.
    drawn = [
        at
        for at, row in enumerate(rows)
        if row["engine_version"] == ENGINE_VERSION and len(row["payoffs"]) == row["episodes"]
    ]
    if sample is not None and sample < len(drawn):
        drawn = sorted(random.SystemRandom().sample(drawn, sample))
    results = engine.play([specs[at] for at in drawn], on_result=lambda _at, _result: on_result())
    samples = {row["key"]: Sample.of(row) for row in rows}
    findings: list[Finding] = []
    unrepeatable: list[str] = []
    for row, spec in zip(rows, specs, strict=True):
        findings += _stated(row, spec)
    for at, result in zip(drawn, results, strict=True):
        row, same_payoffs = rows[at], result.payoffs == samples[rows[at]["key"]].payoffs
        faults = {"a": dict(result.a.counts), "b": dict(result.b.counts)}
        if same_payoffs and row["faults"] == faults and row["decisions"] == result.decisions:
            continue
        if row["reproducible"] and result.reproducible:
            if row["faults"] != faults:
                words = f"faults {row['faults']} in the bundle and {faults} when played again"
                findings.append(Finding(name_of(row), words))
            if row["decisions"] != result.decisions:
                words = f"{row['decisions']} decisions in the bundle and {result.decisions} played"
                findings.append(Finding(name_of(row), words))
            if not same_payoffs:
                findings.append(_other_payoffs(row, result))
                samples[row["key"]] = replace(samples[row["key"]], payoffs=result.payoffs)
        else:
            unrepeatable.append(str(row["key"]))
    findings += misplaced_matches(manifest)
    findings += unproved(bundle)
    findings += unsupported_approvals(manifest)
    figures, differences = _compare(manifest, samples)
    again = {row["key"]: {**row, "payoffs": samples[row["key"]].payoffs} for row in rows}
    found = compare_attempts(manifest, again, sources)
    return Replay(
        matches=len(rows),
        played=len(drawn),
        sandbox_level=engine.level,
        findings=(*findings, *differences, *found.findings),
        unrepeatable=tuple(unrepeatable),
        figures=figures + found.figures,
        other_engines=Counter(
            version for row in rows if (version := str(row["engine_version"])) != ENGINE_VERSION
        ),
        unchecked=found.unchecked,
    )


def name_of(row: Mapping[str, Any]) -> str:
    return f"match {str(row['key'])[:12]} (seed {row['seed']})"


def _stated(row: Mapping[str, Any], spec: MatchSpec) -> Iterator[Finding]:
    """What a match's row says of itself that does not follow from it."""
    level, engine = SandboxLevel(row["sandbox_level"]), str(row["engine_version"])
    if row["key"] != spec.key(level, engine_version=engine):
        yield Finding(name_of(row), "its key is not that of its players, seed and episodes")
    if len(row["payoffs"]) != row["episodes"]:
        yield Finding(name_of(row), "it has not one payoff for each episode")
        return
    bound = payoff_bound(spec, reproducible=bool(row["reproducible"]))
    if row.get("bound", bound) != bound:
        yield Finding(name_of(row), f"its bound is {row['bound']} and its players give {bound}")
    for part, value in estimate_row(Sample.of(row).estimate).items():
        if row[part] != value:
            yield Finding(name_of(row), f"{part} is {row[part]} and its payoffs give {value}")


def _other_payoffs(row: Mapping[str, Any], result: MatchResult) -> Finding:
    recorded: Sequence[float] = row["payoffs"]
    first = next(
        at for at, (old, new) in enumerate(zip(recorded, result.payoffs, strict=True)) if old != new
    )
    return Finding(
        name_of(row),
        f"episode {first} pays {recorded[first]} in the bundle and {result.payoffs[first]} when "
        f"played again (means {row['mean']} and {result.mean})",
    )


def _compare(manifest: Mapping[str, Any], samples: Samples) -> tuple[int, list[Finding]]:
    count, found = 0, []
    for figure in recomputed(manifest, samples):
        count += 1
        if not figure.agrees:
            words = f"{figure.stated} in the bundle and {figure.computed} when computed anew"
            found.append(Finding(figure.name, words))
    return count, found
