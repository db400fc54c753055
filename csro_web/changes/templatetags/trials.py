"""What trials say in a line."""

from __future__ import annotations

from django import template

from csro_web.changes import trial_report
from csro_web.changes.edit_models import Trial

register = template.Library()


@register.simple_tag
def trial_words(trial: Trial) -> str:
    """``+12.0 ± 5.1 against the mixture``; no HTML."""
    return trial_report.in_words(trial)
