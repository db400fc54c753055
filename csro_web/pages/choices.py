"""Choices among rows that people have named: a browser cannot show code points in an option."""

from __future__ import annotations

from typing import Any

from django import forms

from csro_web.pages.inert import plain


class NamedChoiceField(forms.ModelChoiceField):  # type: ignore[type-arg]
    """One row; characters that nobody sees are shown by their code."""

    def label_from_instance(self, obj: Any) -> str:
        return plain(str(obj))


class NamedMultipleChoiceField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    """Several rows, shown likewise."""

    def label_from_instance(self, obj: Any) -> str:
        return plain(str(obj))
