"""The mixture over iterations as stacked areas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from csro_web.pages.charts import Scale

COLOURS = 10
"""Series with a colour of their own; the rest is drawn together as "others"."""
WIDTH, HEIGHT = 640, 250
LEFT, RIGHT, TOP, BOTTOM = 40, 8, 10, 30


@dataclass(frozen=True)
class Series:
    """One policy (None: all others together), its weight at each column, and its outline."""

    policy: int | None
    css: str
    weights: tuple[float, ...]
    points: str


@dataclass(frozen=True)
class MixtureChart:
    columns: tuple[tuple[str, float], ...]
    """Label and x of each column."""
    series: tuple[Series, ...]
    ticks: tuple[tuple[str, float], ...]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    floor: int = HEIGHT - BOTTOM


def draw(columns: Sequence[tuple[str, Sequence[float]]]) -> MixtureChart | None:
    """``columns``: a label and the mixture (by policy index; later ones are longer) of each.

    None when there is nothing to draw.
    """
    if not columns:
        return None
    peaks: dict[int, float] = {}
    for _, sigma in columns:
        for policy, weight in enumerate(sigma):
            peaks[policy] = max(peaks.get(policy, 0.0), weight)
    own = sorted(sorted(peaks, key=lambda one: -peaks[one])[:COLOURS])
    own = [policy for policy in own if peaks[policy] > 0.005]
    slots = colour_slots(own)
    x_of = _x_positions(len(columns))
    y_of = Scale(0.0, 1.0, HEIGHT - BOTTOM, TOP)
    floor = [0.0] * len(columns)
    series = []
    for policy in [*own, None]:
        weights = [_weight(sigma, policy, own) for _, sigma in columns]
        if policy is None and max(weights) < 0.005:
            continue
        roof = [low + weight for low, weight in zip(floor, weights, strict=True)]
        series.append(
            Series(
                policy,
                "series-rest" if policy is None else f"series-{slots[policy]}",
                tuple(weights),
                _outline(x_of, [y_of(v) for v in floor], [y_of(v) for v in roof]),
            )
        )
        floor = roof
    return MixtureChart(
        columns=_labelled([label for label, _ in columns], x_of),
        series=tuple(series),
        ticks=tuple((f"{share:.2g}", y_of(share)) for share in (0, 0.25, 0.5, 0.75, 1)),
    )


def colour_slots(policies: Sequence[int]) -> Mapping[int, int]:
    """A colour per policy that stays the policy's own while the run goes on, where it can."""
    slots: dict[int, int] = {}
    for policy in policies:
        slot = policy % COLOURS
        while slot in slots.values():
            slot = (slot + 1) % COLOURS
        slots[policy] = slot
    return slots


def _weight(sigma: Sequence[float], policy: int | None, own: Sequence[int]) -> float:
    if policy is None:
        return max(0.0, sum(sigma) - sum(sigma[one] for one in own if one < len(sigma)))
    return sigma[policy] if policy < len(sigma) else 0.0


def _x_positions(count: int) -> list[float]:
    """A single column is drawn as wide as the chart."""
    if count == 1:
        return [LEFT, WIDTH - RIGHT]
    scale = Scale(0, count - 1, LEFT, WIDTH - RIGHT)
    return [scale(place) for place in range(count)]


def _outline(x_of: Sequence[float], floor: Sequence[float], roof: Sequence[float]) -> str:
    if len(floor) == 1:
        floor, roof = [*floor, *floor], [*roof, *roof]
    there = [f"{x},{y}" for x, y in zip(x_of, roof, strict=True)]
    back = [f"{x},{y}" for x, y in zip(x_of, floor, strict=True)]
    return " ".join(there + back[::-1])


def _labelled(labels: Sequence[str], x_of: Sequence[float]) -> tuple[tuple[str, float], ...]:
    """At most about ten labels, always with the last."""
    if len(labels) == 1:
        return ((labels[0], (x_of[0] + x_of[-1]) / 2),)
    every = -(-len(labels) // 10)
    return tuple(
        (label, x_of[place])
        for place, label in enumerate(labels)
        if (place % every == 0 and (len(labels) - 1 - place >= every or place == len(labels) - 1))
        or place == len(labels) - 1
    )
