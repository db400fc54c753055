"""Playing a bundle's matches again and computing its figures anew."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from csro_web.bundles.matches import NoSource, Sample, Samples, estimate_row, spec_of
from csro_web.bundles.proofs import unproved_seeds
from csro_web.bundles.reading import Bundle, BundleError
from csro_web.bundles.recomputing import recomputed
from csro_web.bundles.resting import misplaced_matches
from csro_web.bundles.verifying import Finding
from games.engine import MatchEngine
from games.fixed import payoff_bound
from games.match import ENGINE_VERSION, MatchResult, MatchSpec, SandboxLevel


@dataclass(frozen=True)
class Replay:
    """What came out of it; ``findings`` are numbers that are not as the bundle has them."""

    matches: int
    """In the bundle."""
    played: int
    """Of them, played again: all, or a sample."""
    sandbox_level: SandboxLevel
    """Of this machine."""
    findings: tuple[Finding, ...]
    unrepeatable: tuple[str, ...]
    """Matches in which a time limit decided something: other numbers prove nothing."""
    figures: int
    """Computed anew and compared."""


def replay(
    bundle: Bundle,
    engine: MatchEngine,
    *,
    sample: int | None = None,
    on_result: Callable[[], None] = lambda: None,
) -> Replay:
    """Play the matches again, all or ``sample`` of them at random, and compare every figure.

    Figures of matches that were not drawn are computed from the payoffs that the bundle has.

    Raises:
        BundleError: when another version of the engine is needed, or the manifest cannot be used.
        EngineError: when the matches cannot be played here.
    """
    manifest = bundle.manifest
    if manifest.get("engine_version") != ENGINE_VERSION:
        raise BundleError(
            f"it was made with version {manifest.get('engine_version')} of the engine and this is "
            f"{ENGINE_VERSION}: other versions give other numbers; replay it with that one"
        )
    try:
        return _replay(bundle, engine, sample, on_result)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, NoSource) as error:
        raise BundleError(f"its manifest cannot be used: {error!r}") from error


def _replay(
    bundle: Bundle, engine: MatchEngine, sample: int | None, on_result: Callable[[], None]
) -> Replay:
    manifest = bundle.manifest
    sources = {one.sha256: one.source for one in (*bundle.policies, *bundle.evidence)}
    rows = list(manifest["matches"])
    _check_engine(rows)
    specs = [spec_of(row, sources, manifest["game"]) for row in rows]
    # What claims more episodes than it has payoffs could be played for ever.
    drawn = [at for at, row in enumerate(rows) if len(row["payoffs"]) == row["episodes"]]
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
        if same_payoffs and row["faults"] == faults:
            continue
        if row["reproducible"] and result.reproducible:
            if row["faults"] != faults:
                words = f"faults {row['faults']} in the bundle and {faults} when played again"
                findings.append(Finding(name_of(row), words))
            if not same_payoffs:
                findings.append(_other_payoffs(row, result))
                samples[row["key"]] = replace(samples[row["key"]], payoffs=result.payoffs)
        else:
            unrepeatable.append(str(row["key"]))
    findings += misplaced_matches(manifest)
    findings += unproved_seeds(manifest)
    figures, differences = _compare(manifest, samples)
    return Replay(
        matches=len(rows),
        played=len(drawn),
        sandbox_level=engine.level,
        findings=(*findings, *differences),
        unrepeatable=tuple(unrepeatable),
        figures=figures,
    )


def _check_engine(rows: Sequence[Mapping[str, Any]]) -> None:
    """A run that an older version began may have been exported by a newer one."""
    others = sorted({str(row["engine_version"]) for row in rows} - {ENGINE_VERSION})
    if others:
        raise BundleError(
            f"it has matches of version {', '.join(others)} of the engine and this is "
            f"{ENGINE_VERSION}: other versions give other numbers"
        )


def name_of(row: Mapping[str, Any]) -> str:
    return f"match {str(row['key'])[:12]} (seed {row['seed']})"


def _stated(row: Mapping[str, Any], spec: MatchSpec) -> Iterator[Finding]:
    """What a match's row says of itself that does not follow from it."""
    if row["key"] != spec.key(SandboxLevel(row["sandbox_level"])):
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
