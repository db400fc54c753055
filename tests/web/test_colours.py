"""Code can be read on every background that it may stand on, in light and in dark."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CSS = Path(__file__).parents[2] / "static" / "css"
LEAST_CONTRAST = 4.5
"""WCAG 2.1, success criterion 1.4.3."""


def colours(scheme: int) -> dict[str, str]:
    """The custom properties of the light (0) or dark (1) scheme."""
    found: dict[str, str] = {}
    for name in ("base.css", "code.css"):
        blocks = re.findall(r":root \{(.*?)\}", (CSS / name).read_text(), re.DOTALL)
        found |= dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", blocks[scheme]))
    return found


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_every_colour_of_code_has_contrast_on_every_background_of_a_diff(scheme: int) -> None:
    known = colours(scheme)
    inks = [name for name in known if name.startswith("code-")] + ["ink"]
    grounds = ["panel", "old-bg", "old-mark", "new-bg", "new-mark", "line-hit"]
    assert len(inks) == 7
    weak = [
        (ink, ground)
        for ink in inks
        for ground in grounds
        if contrast(known[ink], known[ground]) < LEAST_CONTRAST
    ]
    assert weak == []
