"""What programs say, by place, once for each distinct program."""

from __future__ import annotations

from django.db import models


class ProgramText(models.Model):
    """A program's text in small letters, taken apart by place; written with the first policy or
    candidate that has it. The ``..._words`` columns hold each different word once, between spaces,
    so that ``" beat "`` finds whole words alone."""

    sha256 = models.CharField(max_length=64, unique=True)
    code = models.TextField(blank=True)
    comments = models.TextField(blank=True)
    docstrings = models.TextField(blank=True)
    code_words = models.TextField(blank=True)
    comments_words = models.TextField(blank=True)
    docstrings_words = models.TextField(blank=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.sha256[:12]
