"""Progress of long calls."""

from __future__ import annotations

import sys
import time
from typing import Any, Callable, TypeVar

from .typing import Progress

_INTERVAL = 0.1

Native = TypeVar("Native")
Result = TypeVar("Result")


class Interrupted(KeyboardInterrupt):
    """A ``KeyboardInterrupt`` during a call. `best` is the best result until then, or None.

    That is a :class:`Plan`, a :class:`Front`, the list of the fault sets that are done, or a design. A second interrupt does not
    wait for it.

    >>> try:
    ...     raise Interrupted("the best plan")
    ... except KeyboardInterrupt as interrupt:
    ...     print(interrupt.best)
    the best plan
    """

    best: Any

    def __init__(self, best: Any = None) -> None:
        super().__init__(best)
        self.best = best

    def __str__(self) -> str:
        return "there is no result yet" if self.best is None else f"the best result is {self.best!r}"


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


def observed(progress: Progress, call: Callable[[Any], Native], wrap: Callable[[Native], Result]) -> Result:
    """Run a call with the observer that `progress` describes, and wrap its result.

    An interrupt keeps the result until then, see :class:`Interrupted`.
    """
    line = Line() if progress is True else None
    try:
        return wrap(call(line or progress or None))
    except KeyboardInterrupt as interrupt:
        best = getattr(interrupt, "best", None)
        raise Interrupted(None if best is None else wrap(best)) from None
    finally:
        if line is not None:
            line.close()
