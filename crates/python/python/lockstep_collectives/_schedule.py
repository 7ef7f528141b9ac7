"""Schedules and plans."""

from __future__ import annotations

import html
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _native
from ._arrays import to_array, to_arrays
from ._topology import Topology

if TYPE_CHECKING:
    import numpy
    import pandas


class Times(NamedTuple):
    """Times of a schedule for one size, in seconds; sizes and bandwidths are those of nccl-tests, in bytes."""

    bytes: int
    chunk_bytes: int
    synchronous: float
    asynchronous: float
    algorithm_bandwidth: int
    bus_bandwidth: int


class ExportFormat(NamedTuple):
    """A format of :func:`export`. A format without extension writes a folder."""

    name: str
    consumer: str
    extension: str
    limits: str


class Schedule:
    """A verified schedule: transfers in synchronized steps. :func:`plan` and :func:`verify` make schedules."""

    __slots__ = ("_native",)

    def __init__(self, native: _native.Schedule) -> None:
        self._native = native

    @property
    def topology(self) -> Topology:
        """Network of the schedule."""
        return Topology._of(self._native.network)

    @property
    def collective(self) -> str:
        """Name of the collective; ``custom`` for a list of messages."""
        return self._native.collective

    @property
    def model(self) -> str:
        """Communication model in words."""
        return self._native.model

    @property
    def steps(self) -> int:
        """Number of steps."""
        return self._native.steps

    @property
    def message_count(self) -> int:
        """Number of messages; each chunk counts."""
        return self._native.counts[0]

    @property
    def chunks(self) -> int:
        """Number of chunks that share the data of a message."""
        return self._native.counts[1]

    @property
    def widths(self) -> list[int]:
        """Width of each step: how many times its capacity every channel carries. The widths of a plan are 1."""
        return self._native.widths()

    @property
    def transfers(self) -> dict[str, numpy.ndarray]:
        """Transfers as read-only arrays.

        Entry ``i`` of ``step``, ``message``, ``source`` and ``target`` belongs to transfer ``i``. Its path is
        ``channels[offsets[i]:offsets[i + 1]]``. Steps, messages, nodes and channels are numbers from 0.

        >>> import lockstep_collectives as lockstep
        >>> transfers = lockstep.plan("ring:3", "all-gather").transfers
        >>> transfers["step"].tolist()
        [0, 0, 0, 0, 0, 0]
        >>> sorted(transfers)
        ['channels', 'message', 'offsets', 'source', 'step', 'target']
        """
        return to_arrays(self._native.transfers())

    @property
    def sources(self) -> numpy.ndarray:
        """Source of each message, as the number of a node."""
        return to_array(self._native.sources())

    def to_pandas(self) -> pandas.DataFrame:
        """Return the transfers as a frame: step, message, source, target and the length of the path.

        >>> import lockstep_collectives as lockstep
        >>> frame = lockstep.plan("ring:3", "all-gather").to_pandas()
        >>> frame.groupby("step").size().to_dict()
        {0: 6}
        """
        import numpy
        import pandas

        transfers = self.transfers
        columns = {name: transfers[name] for name in ("step", "message", "source", "target")}
        return pandas.DataFrame({**columns, "length": numpy.diff(transfers["offsets"])})

    def verify(self) -> dict[str, Any]:
        """Verify the schedule again, and all claims of a plan. Return the counts of the verifier.

        >>> import lockstep_collectives as lockstep
        >>> lockstep.plan("ring:3", "all-gather").verify()["deliveries"]
        6
        """
        return self._native.verify()

    def time(self, size: int | str, *, unit: int | str | None = None) -> Times:
        """Return the times for a size such as ``64MiB`` or a number of bytes.

        `unit` is the bandwidth of one unit of capacity, such as ``25GB/s``; the default is that of the network.

        >>> import lockstep_collectives as lockstep
        >>> plan = lockstep.plan("ring:4", "all-gather")
        >>> plan.time("4MB", unit="1GB/s").synchronous
        0.002
        """
        size = _native.size(size) if isinstance(size, str) else size
        unit = _native.bandwidth(unit) if isinstance(unit, str) else unit
        return Times(**self._native.times(size, unit))

    def export(
        self,
        format: str,
        path: str | os.PathLike[str] | None = None,
        *,
        in_place: bool = False,
        routed: bool = False,
        runtime: str = "msccl",
        size: int | str = "1MB",
        sizes: tuple[int, int] = (0, 0),
    ) -> dict[str, bytes]:
        """Write the schedule for a runtime or simulator: see :func:`export_formats`.

        Return the contents by path. With a `path`, write a file, or all files into this folder. An old file is replaced as a
        whole.

        >>> import lockstep_collectives as lockstep
        >>> plan = lockstep.plan("ring:4", "all-gather")
        >>> program, = plan.export("mpi-c", "plan.c").values()
        >>> b"MPI_Init" in program
        True
        """
        size = _native.size(size) if isinstance(size, str) else size
        files = self._native.export(format, in_place, routed, runtime, size, sizes)
        target = os.fspath(path) if path is not None else ""
        written = {os.path.join(target, name) if name else target: contents for name, contents in files}
        if path is not None:
            for name, contents in written.items():
                os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
                _native.write_file(name, contents)
        return written

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the schedule to a file: JSON, or the binary format for the extension ``.lsb``.

        An old file is replaced as a whole, and stays as it is if the new one cannot be written.
        """
        name = os.fspath(path)
        contents = self._native.binary() if name.endswith((".lsb", ".bin")) else self._native.json().encode()
        _native.write_file(name, contents)

    def to_html(self) -> str:
        """Return the page of the schedule: one file that plays the steps."""
        return self._native.html()

    def to_svg(self) -> str:
        """Return a drawing of all steps."""
        return self._native.svg()

    def _repr_html_(self) -> str:
        page = html.escape(self.to_html(), quote=True)
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 640px; border: 0" sandbox="allow-scripts"></iframe>'

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.collective} on {self.topology.name}: {self._summary()}>"

    def _summary(self) -> str:
        return _counted(self.steps, "step")


class Plan(Schedule):
    """A verified schedule with a proved lower bound. :func:`plan` makes plans."""

    __slots__ = ()

    @property
    def lower_bound(self) -> int:
        """Number of steps that no schedule can beat."""
        return self._native.bound[0]

    @property
    def rule(self) -> str:
        """Rule that proves the lower bound."""
        return self._native.bound[1]

    @property
    def explanation(self) -> str:
        """Certificate of the lower bound in words.

        >>> import lockstep_collectives as lockstep
        >>> lockstep.plan("dgx-1", "all-gather", switching="store-and-forward").explanation
        'Every schedule takes at least 2 steps: terminal 0 receives 7 messages, at most 6 in a step.'
        """
        return self._native.bound[2]

    @property
    def verdict(self) -> str:
        """``optimal``, or ``gap`` with the sum of the widths of all steps above the lower bound."""
        return self._native.bound[3]

    @property
    def is_optimal(self) -> bool:
        """True if the schedule meets the lower bound: no schedule has fewer steps."""
        return self.verdict == "optimal"

    @property
    def engine(self) -> str:
        """Engine that found the schedule."""
        return self._native.origin[0]

    @property
    def seed(self) -> int:
        """Seed of the search."""
        return self._native.origin[1]

    @property
    def cut_short(self) -> str | None:
        """``deadline`` if a time limit ended the search, otherwise None."""
        return self._native.origin[2]

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Plan:
        """Read a plan file, JSON or binary, and check all its claims.

        >>> import lockstep_collectives as lockstep
        >>> lockstep.plan("ring:4", "all-gather").save("plan.json")
        >>> lockstep.Plan.load("plan.json")
        <Plan of all-gather on ring:4: 2 steps, optimal>
        """
        return cls(_native.read_plan(_native.read_file(path)))

    def _summary(self) -> str:
        return f"{_counted(self.steps, 'step')}, {self.verdict}"


def export(schedule: Schedule, format: str, path: str | os.PathLike[str] | None = None, **options: Any) -> dict[str, bytes]:
    """Write a schedule for a runtime or simulator: see :meth:`Schedule.export`."""
    return schedule.export(format, path, **options)


def export_formats() -> list[ExportFormat]:
    """Return all formats of :func:`export`.

    >>> "mpi-c" in [format.name for format in export_formats()]
    True
    """
    return [ExportFormat(*row) for row in _native.export_formats()]


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
