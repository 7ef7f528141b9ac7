"""Values of arguments: limits and sizes."""

from __future__ import annotations

import math
from datetime import timedelta
from typing import Any

from . import _native
from .typing import Budget, Size, Sizes

_MAX_SECONDS = 1e7
"""A longer limit, more than 100 days, is none."""


def shown(value: object) -> str:
    """Return a value for a message: long words are shortened, as in all other messages."""
    return _native.message_line(str(value))


def limit(budget: Budget) -> str | None:
    """Return a budget as the text that the program has as its argument."""
    if budget is None or isinstance(budget, str):
        return budget
    try:
        if isinstance(budget, bool):
            raise TypeError
        seconds = budget.total_seconds() if isinstance(budget, timedelta) else budget
        seconds = math.inf if seconds > _MAX_SECONDS else float(seconds)
    except TypeError:
        kind = type(budget).__name__
        raise TypeError(f"budget: expected seconds, a timedelta or a text such as '30s', found {kind}") from None
    if math.isnan(seconds) or seconds <= 0:
        raise _native.ProblemError(
            f"budget: found {shown(budget)}, expected a number of seconds above 0, or evaluations as a text such as '4000000'"
        )
    return "unlimited" if seconds > _MAX_SECONDS else f"{max(1, round(seconds * 1e9))}ns"


def size_bytes(size: Size, name: str = "size") -> int:
    """Return a size in bytes."""
    if isinstance(size, str):
        if ".." in size:
            raise _native.ProblemError(f"{name}: found the range '{shown(size)}', expected one size; use lockstep_collectives.sizes")
        return _native.size(size)
    number = int(size) if _is_whole(size) else size
    if not isinstance(number, int) or not 0 <= number < 2**64:
        raise _native.ProblemError(f"{name}: found {shown(size)}, expected a number of bytes or a text such as '64MiB'")
    return number


def _is_whole(size: Any) -> bool:
    """Return true for an integer of any type, and for a float without a fraction."""
    return hasattr(size, "__index__") or (isinstance(size, float) and size.is_integer())


def size_pair(sizes: Sizes) -> tuple[int, int]:
    """Return the smallest and the largest size in bytes."""
    if isinstance(sizes, str):
        return _native.sizes(sizes)
    ends = tuple(sizes)
    if len(ends) != 2:
        raise _native.ProblemError(f"sizes: found {shown(repr(sizes))}, expected two sizes, such as '1KiB..1GiB'")
    least, most = size_bytes(ends[0], "sizes"), size_bytes(ends[1], "sizes")
    if least == 0 or least > most:
        raise _native.ProblemError("sizes: expected a size above 0, and a second one that is not smaller")
    return least, most


def sizes(ends: Sizes, *, factor: int = 4) -> list[int]:
    """Return some sizes in bytes, each `factor` times as large as the one before, with both ends.

    >>> import lockstep_collectives as lockstep
    >>> lockstep.sizes("1KiB..20KiB")
    [1024, 4096, 16384, 20480]
    """
    if factor < 2:
        raise _native.ProblemError(f"factor: found {shown(factor)}, expected 2 or more")
    size, most = size_pair(ends)
    found = []
    while size < most:
        found.append(size)
        size *= factor
    return [*found, most]
