"""How every number on every page is written. Unknown is "unknown", never zero."""

from __future__ import annotations

import math
from dataclasses import dataclass

UNKNOWN = "unknown"
MINUS = "−"


@dataclass(frozen=True)
class Written:
    """A number as text: the value, its interval (may be empty), and what it says on hover."""

    value: str
    interval: str = ""
    hover: str = ""

    @property
    def known(self) -> bool:
        return self.value != UNKNOWN

    def __str__(self) -> str:
        return f"{self.value} {self.interval}".strip()


def payoff(
    mean: float | None,
    low: float | None = None,
    high: float | None = None,
    *,
    unit: str = "",
    episodes: int | None = None,
    signed: bool = True,
) -> Written:
    """A payoff with its sign and 95 % interval: ``+284.5 ± 3.1``, or with both ends if lopsided.

    ``signed=False`` leaves out a plus, for what counts down from zero (PopExpl).
    """
    if mean is None or not math.isfinite(mean):
        return Written(UNKNOWN, hover="not known")
    notes = [unit] if unit else []
    if low is None or high is None or not math.isfinite(low) or not math.isfinite(high):
        interval, digits = f"± {UNKNOWN}", 1
        notes.append("interval unknown")
    else:
        half = (high - low) / 2
        digits = _digits(half)
        lopsided = abs((high - mean) - (mean - low)) > max(0.1 * half, 10**-digits)
        ends = f"{_text(low, digits, signed)} to {_text(high, digits, signed)}"
        interval = f"({ends})" if lopsided else f"± {half:,.{digits}f}"
        notes.append(f"95 % interval {ends}")
    if episodes is not None:
        notes.append(f"{episodes:,} episodes")
    return Written(_text(mean, digits, signed), interval, "; ".join(notes))


def weight(value: float | None, low: float | None = None, high: float | None = None) -> Written:
    """A probability with its bootstrap range: ``0.34 (0.10–0.62)``."""
    if value is None or not math.isfinite(value):
        return Written(UNKNOWN, hover="not known")
    if low is None or high is None or not math.isfinite(low) or not math.isfinite(high):
        return Written(_text(value, 2, signed=False), hover="range unknown")
    ends = f"{_text(low, 2, signed=False)}–{_text(high, 2, signed=False)}"
    return Written(_text(value, 2, signed=False), f"({ends})", f"95 % bootstrap range {ends}")


def usd(amount: float | None) -> Written:
    """US dollars, small amounts with the digits that they need: ``0.0021 usd``, ``12.40 usd``.

    What was paid never reads as nothing: below a ten-thousandth it is ``0.000038 usd``.
    """
    if amount is None or not math.isfinite(amount):
        return Written(UNKNOWN, hover="the price is not known")
    if amount == 0 or amount >= 1:
        digits = 2
    elif amount >= 1e-4:
        digits = 4
    else:
        digits = min(1 - math.floor(math.log10(amount)), 9)
    return Written(f"{amount:,.{digits}f} usd", hover=f"{amount:.9f} US dollars")


def count(number: int | None, *, unit: str = "") -> Written:
    """A whole number with thousands separated."""
    if number is None:
        return Written(UNKNOWN, hover="not known")
    return Written(f"{number:,}", hover=unit)


def plain(number: float | None, *, unit: str = "") -> Written:
    """A measured quantity without a sign or interval, to three significant digits."""
    if number is None or not math.isfinite(number):
        return Written(UNKNOWN, hover="not known")
    digits = 0 if abs(number) >= 100 else 1 if abs(number) >= 10 else 2
    text = f"{number:,.{digits}f}".replace("-", MINUS)
    return Written(text, hover=unit)


def duration(seconds: float | None) -> str:
    """``48 s``, ``3 min 20 s``, ``2 h 5 min``; :data:`UNKNOWN` for None."""
    if seconds is None or not math.isfinite(seconds):
        return UNKNOWN
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 10:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    if minutes < 60:
        return f"{round(whole / 60)} min"
    hours, minutes = divmod(round(whole / 60), 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def _digits(half_width: float) -> int:
    """Decimals that an interval of this half-width deserves."""
    return 1 if half_width >= 0.95 or half_width == 0 else 2 if half_width >= 0.095 else 3


def _text(number: float, digits: int, signed: bool) -> str:
    text = f"{number:+,.{digits}f}" if signed else f"{number:,.{digits}f}"
    if float(text.replace(",", "")) == 0:
        return f"{0:.{digits}f}"
    return text.replace("-", MINUS)
