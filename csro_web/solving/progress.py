"""What a person sees while a run goes on: a bar on a terminal, plain lines elsewhere (stderr)."""

from __future__ import annotations

import sys
import time
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from csro_web.runs.models import Run
from csro_web.solving import spending

PLAIN_SECONDS = 5.0


class RunProgress(AbstractContextManager["RunProgress"]):
    """``show(run, label)`` as often as one likes."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._shown_at = float("-inf")
        self._shown = ""
        console = Console(stderr=True)
        self._bar: Progress | None = None
        if sys.stderr.isatty():
            self._bar = Progress(
                TextColumn("{task.fields[title]}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                TextColumn("{task.description}"),
                console=console,
                transient=True,
            )
            self._task = self._bar.add_task("", total=None, title=title)

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, run: Run, label: str) -> None:
        spent = spending.in_words(run)
        label = f"{label} ({spent})" if spent else label
        if self._bar is not None:
            self._bar.update(
                self._task,
                completed=run.steps_done,
                total=run.steps_expected or None,
                description=label,
            )
            return
        line = f"{self._title}: {run.steps_done} of {run.steps_expected} steps: {label}"
        now = time.monotonic()
        if line != self._shown and now - self._shown_at >= PLAIN_SECONDS:
            self._shown, self._shown_at = line, now
            print(line, file=sys.stderr, flush=True)
