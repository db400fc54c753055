"""What spreadsheets make of names that people and models wrote."""

from __future__ import annotations

import pytest

from csro_web.pages.csv_lines import safe_cell


@pytest.mark.parametrize(
    "name", ["=1+1", " =1+1", "\n=1+1", "\N{NO-BREAK SPACE}@SUM(1)", "\uff1d1+1", "\tx", "-2+3"]
)
def test_a_name_that_could_be_a_formula_is_text(name: str) -> None:
    assert safe_cell(name) == f"'{name}"


@pytest.mark.parametrize("name", ["", "best response 1", "a=b", " plain", "3-2"])
def test_other_names_stay_as_they_are(name: str) -> None:
    assert safe_cell(name) == name
