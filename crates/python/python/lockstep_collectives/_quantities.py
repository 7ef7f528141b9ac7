"""Bandwidths and latencies."""

from __future__ import annotations

from typing import Any

from . import _native
from ._values import shown


def bandwidth_bytes(value: Any) -> int:
    """Return a bandwidth in bytes per second."""
    return _native.bandwidth(value) if isinstance(value, str) else _whole(value, "bandwidth", 1)


def latency_picoseconds(value: Any) -> int:
    """Return a latency, a number of seconds or a text, in picoseconds."""
    return _native.time(value) if isinstance(value, str) else _whole(value, "latency", 10**12)


def _whole(value: Any, what: str, factor: int) -> int:
    number = float(value) * factor
    if not 0 <= number < 2.0**63:
        raise _native.TopologyError(f"{what}: found {shown(value)}, expected a number from 0")
    return round(number)
