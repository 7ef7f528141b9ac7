"""Progress of long calls."""

from __future__ import annotations

import sys
import time
from typing import Any, Callable, TypeVar, Union

Progress = Union[bool, Callable[["dict[str, Any]"], Any], None]

_INTERVAL = 0.1

Result = TypeVar("Result")


class Line:
    """A line on standard error that shows the bound, the best schedule and the share of the budget."""

    def __init__(self) -> None:
        self._begin = time.monotonic()
        self._shown = 0.0
        self._width = 0
        self._bound = 0
        self._best: int | None = None
        self._rest = ""

    def __call__(self, event: dict[str, Any]) -> None:
        kind, steps = event["event"], event.get("steps")
        if kind == "bound" and steps is not None:
            self._bound = max(self._bound, steps)
        elif kind in ("tried", "found") and steps is not None:
            self._best = steps if self._best is None else min(self._best, steps)
        elif kind == "search":
            limit = event.get("limit")
            share = f", {100 * event['evaluations'] / limit:.0f}% of the budget" if limit else ""
            self._rest = f", {event['evaluations']} evaluations{share}"
        elif "done" in event:
            total = event.get("total")
            self._rest = f", {event['done']}" + (f" of {total}" if total else "") + f" {kind}"
        now = time.monotonic()
        if now - self._shown >= _INTERVAL:
            self._shown = now
            self._write()

    def _write(self) -> None:
        best = "-" if self._best is None else str(self._best)
        text = f"{time.monotonic() - self._begin:.1f}s best {best} bound {self._bound}{self._rest}"
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = len(text)

    def close(self) -> None:
        """Show the last state, and end the line."""
        self._write()
        sys.stderr.write("\n")
        sys.stderr.flush()


def observed(progress: Progress, call: Callable[[Any], Result]) -> Result:
    """Run a call with the observer that `progress` describes."""
    if progress is True:
        line = Line()
        try:
            return call(line)
        finally:
            line.close()
    return call(progress or None)
