"""Arrays of numpy over the memory of the extension module."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy


def to_array(column: tuple[str, bytes]) -> numpy.ndarray:
    """Return a read-only array over the bytes of a column, without a copy."""
    import numpy

    kind, data = column
    return numpy.frombuffer(data, dtype=kind)


def to_arrays(columns: dict[str, tuple[str, bytes]]) -> dict[str, numpy.ndarray]:
    """Return read-only arrays over all columns."""
    return {name: to_array(column) for name, column in columns.items()}


def u32_bytes(numbers: Any) -> bytes:
    """Return unsigned numbers of 32 bits as bytes; arrays of numpy are converted as a whole."""
    return _to_bytes(numbers, "I", "uint32", 2**32)


def u64_bytes(numbers: Any) -> bytes:
    """Return unsigned numbers of 64 bits as bytes; arrays of numpy are converted as a whole."""
    return _to_bytes(numbers, "Q", "uint64", 2**64)


def _to_bytes(numbers: Any, code: str, dtype: str, limit: int) -> bytes:
    if hasattr(numbers, "astype"):
        if numbers.size and not (0 <= numbers.min() and numbers.max() < limit):
            raise OverflowError(f"the numbers must be in the range 0 to {limit - 1}")
        converted: bytes = numbers.astype(dtype).tobytes()
        return converted
    return array(code, numbers).tobytes()
