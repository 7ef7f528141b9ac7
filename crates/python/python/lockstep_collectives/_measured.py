"""Measurements: outputs of benchmarks, and what a fit of a network says about its links."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Iterable, NamedTuple, Optional

from . import _native
from ._frames import class_frame, measurement_frame
from ._warnings import warn
from .typing import Evidence, Measurements, TransferKind

if TYPE_CHECKING:
    import pandas

    from ._topology import Topology


class FittedClass(NamedTuple):
    """A class of channels with equal ends. Bandwidths are those of a channel in bytes per second.

    `evidence` is ``identified`` if the class alone limits some transfer, ``nominal`` if it has the bandwidth of the given network,
    ``not-limiting`` if it carried all that its ends can send, ``lower-limit`` if it has the most that was measured and may be wider,
    and ``assumed`` if nothing is known. `half_duplex` is what both directions of a link carry together, if they share it.
    """

    kind: TransferKind
    name: str
    channels: list[int]
    bandwidth: int
    evidence: Evidence
    lower_limit: int
    upper_limit: Optional[int]
    half_duplex: Optional[int]
    tests: int


class SlowLink(NamedTuple):
    """A link that gives only a `part` of the bandwidth of its class. `bandwidth` is the median of its tests.

    If no test tells it and the links `others` apart, `slow_count` of all these links are slow.
    """

    kind: TransferKind
    name: str
    channels: list[int]
    class_name: str
    bandwidth: int
    part: float
    tests: int
    slow_count: int
    others: list[str]


class Fit(NamedTuple):
    """A network with measured bandwidths and latencies, its classes of channels for each kind of transfer, and its slow links.

    The first kind gives the numbers of the network. The slowest links come first.
    """

    topology: Topology
    classes: list[FittedClass]
    slow_links: list[SlowLink]

    def to_pandas(self) -> pandas.DataFrame:
        """Return the classes as a frame; `channels` is their number."""
        return class_frame(self.classes)


def fitted(
    network: _native.Network, measurements: Measurements, kind: TransferKind | None, ranks: list[str], rate_unit: str | None
) -> tuple[_native.Network, list[FittedClass], list[SlowLink]]:
    """Fit a network, and warn of the notes of the readers."""
    native, classes, slow_links, notes = _native.fit(network, files_of(measurements), kind, ranks, rate_unit)
    warn(notes, 2)
    return native, [_class(row) for row in classes], [SlowLink(*link) for link in slow_links]  # type: ignore[arg-type]  # kinds are texts


def _class(row: _native._Class) -> FittedClass:
    kind, name, channels, bandwidth, evidence, limits, half_duplex, tests = row
    return FittedClass(kind, name, channels, bandwidth, evidence, *limits, half_duplex, tests)  # type: ignore[arg-type]


def read_measurements(
    measurements: Measurements, *, ranks: int | None = None, rate_unit: str | None = None
) -> pandas.DataFrame:
    """Return the values of outputs of benchmarks as a frame, which :meth:`Topology.fit` and :func:`expect` take again.

    `measurements` and `rate_unit` are those of :meth:`Topology.fit`. `ranks` is the number of ranks, for outputs that do not state it.
    A row is a transfer from one device to another, or a collective. Transfers at the same time have the same `group`. Sizes are in
    bytes, times in seconds (`time_s`), and rates in bytes per second. Values whose data was wrong are left out.

    >>> frame = read_measurements("# OSU MPI Bandwidth Test v7.4\\n# Size      Bandwidth (MB/s)\\n4194304    24500.00\\n")
    >>> [str(frame.loc[0, name]) for name in ("from", "to", "bytes", "bytes_per_second")]
    ['0', '1', '4194304', '24500000000']
    """
    rows, notes = _native.read_measurements(files_of(measurements), ranks, rate_unit)
    warn(notes, 1)
    return measurement_frame(rows)


def files_of(measurements: Measurements) -> list[tuple[str, bytes]]:
    """Return the names and the contents of measurements."""
    is_one = isinstance(measurements, (str, os.PathLike)) or hasattr(measurements, "to_csv")
    is_one = is_one or not isinstance(measurements, Iterable)
    return [_file(one) for one in ([measurements] if is_one else measurements)]


def _file(measurement: Any) -> tuple[str, bytes]:
    if hasattr(measurement, "to_csv"):
        return "frame", measurement.to_csv(index=False).encode()
    if isinstance(measurement, str) and "\n" in measurement:
        return "text", measurement.encode()
    if isinstance(measurement, (str, os.PathLike)):
        return os.fspath(measurement), _native.read_file(measurement)
    kind = type(measurement).__name__
    raise TypeError(f"expected a path, a text with a line break or a frame of pandas, found {kind}")
