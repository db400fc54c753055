"""Every number keeps its interval, and what is unknown is never shown as zero."""

from __future__ import annotations

import math

import pytest

from csro_web.pages import numbers
from csro_web.pages.charts import Scale, nice_ticks
from csro_web.pages.templatetags.show import words


@pytest.mark.parametrize(
    ("mean", "low", "high", "text"),
    [
        (284.5, 281.4, 287.6, "+284.5 ± 3.1"),
        (-41.0, -50.0, -32.0, "−41.0 ± 9.0"),
        (0.0, -1.2, 1.2, "0.0 ± 1.2"),
        (10.0, 2.0, 11.0, "+10.0 (+2.0 to +11.0)"),
        (1234.5, 1230.0, 1239.0, "+1,234.5 ± 4.5"),
        (0.5, 0.3, 0.7, "+0.50 ± 0.20"),
        (7.0, None, None, "+7.0 ± unknown"),
        (None, None, None, "unknown"),
        (float("nan"), 0.0, 1.0, "unknown"),
    ],
)
def test_a_payoff_is_written_with_sign_and_interval(
    mean: float | None, low: float | None, high: float | None, text: str
) -> None:
    assert str(numbers.payoff(mean, low, high)) == text


def test_the_unit_and_the_interval_are_told_on_hover() -> None:
    hover = numbers.payoff(5.0, 4.0, 6.0, unit="chips", episodes=1200).hover
    assert hover == "chips; 95 % interval +4.0 to +6.0; 1,200 episodes"


def test_a_weight_is_written_with_its_range_and_an_exploitability_without_plus() -> None:
    assert str(numbers.weight(0.34, 0.1, 0.62)) == "0.34 (0.10–0.62)"
    assert str(numbers.weight(None)) == "unknown"
    assert str(numbers.payoff(41.8, 34.1, 49.5, signed=False)) == "41.8 ± 7.7"


def test_ends_that_are_no_numbers_are_unknown_and_rounding_leaves_no_negative_zero() -> None:
    assert str(numbers.payoff(1.0, math.nan, 2.0)) == "+1.0 ± unknown"
    assert str(numbers.payoff(1.0, -math.inf, math.inf)) == "+1.0 ± unknown"
    assert str(numbers.weight(0.5, math.nan, 0.6)) == "0.50"
    assert str(numbers.weight(-1e-17, -1e-17, 0.1)) == "0.00 (0.00–0.10)"


def test_counts_and_durations_that_are_not_known_say_so() -> None:
    assert numbers.count(None).value == numbers.duration(None) == "unknown"
    assert [numbers.duration(s) for s in (48, 200, 3600, 7500)] == [
        "48 s",
        "3 min 20 s",
        "1 h",
        "2 h 5 min",
    ]


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (None, "unknown"),
        (0.0, "0.00 usd"),
        (12.4, "12.40 usd"),
        (0.0021, "0.0021 usd"),
        (0.0000384, "0.000038 usd"),
        (0.000000001, "0.000000001 usd"),
    ],
)
def test_what_was_paid_never_reads_as_nothing(amount: float | None, text: str) -> None:
    assert str(numbers.usd(amount)) == text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("linear_refinement", "Linear refinement"),
        ("alpha_evolve", "AlphaEvolve"),
        ("cfr", "CFR+"),
        ("llm", "Language model"),
        (None, ""),
    ],
)
def test_methods_are_named_as_people_write_them(name: str | None, text: str) -> None:
    assert words(name) == text


@pytest.mark.parametrize(
    ("low", "high"), [(0.0, 0.0), (0.0, 1e-14), (-2e-13, 3e-13), (998.2, 998.2 + 1e-12), (0, 1e-6)]
)
def test_a_span_that_is_rounding_noise_has_ticks_that_a_scale_can_use(
    low: float, high: float
) -> None:
    ticks = nice_ticks(low, high)
    assert ticks == sorted(set(ticks))
    assert ticks[0] <= low + 1e-9
    assert ticks[-1] >= high - 1e-9
    assert 0.0 <= Scale(ticks[0], ticks[-1], 0.0, 100.0)((low + high) / 2) <= 100.0
