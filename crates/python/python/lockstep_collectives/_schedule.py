"""Schedules and plans."""

from __future__ import annotations

import html
import os
from typing import TYPE_CHECKING, Any, Iterable, NamedTuple, overload

from . import _native
from ._arrays import to_array, to_arrays
from ._frames import transfer_frame, transfer_seconds
from ._labels import Labels
from ._plots import plot_schedule
from ._quantities import bandwidth_bytes
from ._topology import Topology
from ._values import shown, size_bytes
from .typing import Clock, ExportName, Runtime, Size

if TYPE_CHECKING:
    import numpy
    import pandas
    from matplotlib.axes import Axes


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
    """A verified schedule: transfers in synchronized steps. :func:`plan` and :func:`verify` make schedules.

    A schedule does not change. It can be hashed, compared, and pickled, also for the processes of a pool.
    """

    __slots__ = ("_native", "_labels")

    def __init__(self, native: _native.Schedule, labels: Labels = None) -> None:
        self._native = native
        self._labels = labels

    @property
    def topology(self) -> Topology:
        """Network of the schedule."""
        return Topology._of(self._native.network, self._labels)

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

    def to_pandas(
        self, *, size: Size | None = None, unit: float | str | None = None, clock: Clock = "synchronous"
    ) -> pandas.DataFrame:
        """Return the transfers as a frame, indexed by their numbers.

        The columns are step, message, origin (the source of the message), source, target, the length of the path, and its
        channels as a tuple of numbers. Nodes are those of :attr:`Topology.nodes`. ``frame.explode("channels")`` has one row per
        channel of a path.

        With a `size`, the columns begin and end are the times of the transfers in seconds: a transfer of the ``synchronous``
        clock takes its whole step, one of the ``asynchronous`` clock begins as soon as its data has arrived and its channels
        are free. `size` and `unit` are those of :meth:`time`.

        >>> import lockstep_collectives as lockstep
        >>> frame = lockstep.plan("ring:3", "all-gather").to_pandas(size="3MB", unit="1GB/s")
        >>> frame.groupby("step")["end"].max().to_dict()
        {0: 0.001}
        """
        asynchronous = _is_asynchronous(clock)
        frame = transfer_frame(self)
        if size is not None:
            times = transfer_seconds(self, size_bytes(size), _unit_bytes(unit), asynchronous)
            frame["begin"], frame["end"] = times["begin"], times["end"]
        return frame

    def plot(
        self,
        ax: Axes | None = None,
        *,
        size: Size | None = None,
        unit: float | str | None = None,
        clock: Clock = "synchronous",
    ) -> Axes:
        """Draw the transfers with matplotlib: a row per channel, steps from left to right, a colour per origin of a message.

        With a `size`, the horizontal axis is the time in microseconds, see :meth:`to_pandas`. Without `ax`, there is a new figure.

        >>> import lockstep_collectives as lockstep
        >>> plan = lockstep.plan("ring:4", "all-gather")
        >>> plan.plot().get_xlabel(), plan.plot(size="1MB", unit="1GB/s", clock="asynchronous").get_xlabel()
        ('step', 'time in microseconds')
        """
        asynchronous = _is_asynchronous(clock)
        times = None if size is None else transfer_seconds(self, size_bytes(size), _unit_bytes(unit), asynchronous)
        return plot_schedule(self, ax, times)

    def verify(self) -> dict[str, Any]:
        """Verify the schedule again, and all claims of a plan. Return the counts of the verifier.

        >>> import lockstep_collectives as lockstep
        >>> lockstep.plan("ring:3", "all-gather").verify()["deliveries"]
        6
        """
        return self._native.verify()

    @overload
    def time(  # type: ignore[overload-overlap]  # a text is also an iterable of texts
        self, size: Size, *, unit: float | str | None = None
    ) -> Times: ...

    @overload
    def time(self, size: Iterable[Size], *, unit: float | str | None = None) -> list[Times]: ...

    def time(self, size: Size | Iterable[Size], *, unit: float | str | None = None) -> Times | list[Times]:
        """Return the times for a size such as ``64MiB`` or a number of bytes, or for each of several sizes.

        `unit` is the bandwidth of one unit of capacity, such as ``25GB/s``; the default is that of the network.

        >>> import lockstep_collectives as lockstep
        >>> plan = lockstep.plan("ring:4", "all-gather")
        >>> plan.time("4MB", unit="1GB/s").synchronous
        0.002
        >>> [times.bytes for times in plan.time(lockstep.sizes("1KiB..16KiB"), unit="1GB/s")]
        [1024, 4096, 16384]
        """
        rate = _unit_bytes(unit)
        if isinstance(size, str) or not isinstance(size, Iterable):
            return Times(**self._native.times(size_bytes(size), rate))
        return [Times(**self._native.times(size_bytes(one), rate)) for one in size]

    @overload
    def export(
        self,
        format: ExportName,
        path: None = None,
        *,
        in_place: bool = False,
        routed: bool = False,
        runtime: Runtime = "msccl",
        size: Size = "1MB",
        sizes: tuple[Size, Size] = (0, 0),
    ) -> dict[str, bytes]: ...

    @overload
    def export(
        self,
        format: ExportName,
        path: str | os.PathLike[str],
        *,
        in_place: bool = False,
        routed: bool = False,
        runtime: Runtime = "msccl",
        size: Size = "1MB",
        sizes: tuple[Size, Size] = (0, 0),
    ) -> None: ...

    def export(
        self,
        format: ExportName,
        path: str | os.PathLike[str] | None = None,
        *,
        in_place: bool = False,
        routed: bool = False,
        runtime: Runtime = "msccl",
        size: Size = "1MB",
        sizes: tuple[Size, Size] = (0, 0),
    ) -> dict[str, bytes] | None:
        """Write the schedule for a runtime or simulator: see :func:`export_formats`.

        With a `path`, write a file, or all files into this folder, and return None. An old file is replaced as a whole. Without
        a path, return the contents by the names of the files; a single file has an empty name.

        >>> import lockstep_collectives as lockstep
        >>> plan = lockstep.plan("ring:4", "all-gather")
        >>> plan.export("mpi-c", "plan.c")
        >>> b"MPI_Init" in plan.export("mpi-c")[""]
        True
        """
        ends = size_bytes(sizes[0], "sizes"), size_bytes(sizes[1], "sizes")
        files = self._native.export(format, in_place, routed, runtime, size_bytes(size), ends)
        if path is None:
            return dict(files)
        target = os.fspath(path)
        for name, contents in files:
            own_path = os.path.join(target, name) if name else target
            os.makedirs(os.path.dirname(own_path) or ".", exist_ok=True)
            _native.write_file(own_path, contents)
        return None

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Schedule:
        """Read a schedule file or a plan file, JSON or binary, and verify its schedule.

        >>> import lockstep_collectives as lockstep
        >>> lockstep.plan("ring:4", "all-gather").save("plan.json")
        >>> lockstep.Schedule.load("plan.json")
        <Schedule of all-gather on ring:4: 2 steps>
        """
        return Schedule(_native.read_schedule(_native.read_file(path)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the schedule to a file.

        The extension says the format: ``.lsb`` or ``.bin`` is binary, ``.html`` the page, ``.svg`` the drawing, and every other one
        JSON. An old file is replaced as a whole, and stays as it is if the new one cannot be written.
        """
        name = os.fspath(path)
        if name.endswith((".lsb", ".bin")):
            contents = self._native.binary()
        elif name.endswith(".html"):
            contents = self.to_html().encode()
        elif name.endswith(".svg"):
            contents = self.to_svg().encode()
        else:
            contents = self._native.json().encode()
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

    def __eq__(self, other: object) -> bool:
        """Compare network, collective, model and transfers, and the claims of plans. A plan equals no mere schedule."""
        return isinstance(other, Schedule) and self._native.equals(other._native)

    def __hash__(self) -> int:
        return hash((self.collective, self.steps, self._native.transfer_count, tuple(self._native.network.digest)))

    def __copy__(self) -> Schedule:
        return self

    def __deepcopy__(self, _: dict[int, Any]) -> Schedule:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self._native.binary(), self._labels)

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


def _restored(kind: type[Schedule], contents: bytes, labels: Labels) -> Schedule:
    """Return a schedule that was pickled, after the checks of a file."""
    read = _native.read_plan if issubclass(kind, Plan) else _native.read_schedule
    return kind(read(contents), labels)


def _is_asynchronous(clock: Clock) -> bool:
    if clock not in ("synchronous", "asynchronous"):
        raise _native.ProblemError(f"clock: found '{shown(clock)}', expected 'synchronous' or 'asynchronous'")
    return clock == "asynchronous"


def _unit_bytes(unit: float | str | None) -> int | None:
    return None if unit is None else bandwidth_bytes(unit)


@overload
def export(schedule: Schedule, format: ExportName, path: None = None, **options: Any) -> dict[str, bytes]: ...


@overload
def export(schedule: Schedule, format: ExportName, path: str | os.PathLike[str], **options: Any) -> None: ...


def export(
    schedule: Schedule, format: ExportName, path: str | os.PathLike[str] | None = None, **options: Any
) -> dict[str, bytes] | None:
    """Write a schedule for a runtime or simulator: see :meth:`Schedule.export`."""
    if path is None:
        contents: dict[str, bytes] = schedule.export(format, **options)
        return contents
    schedule.export(format, path, **options)
    return None


def export_formats() -> list[ExportFormat]:
    """Return all formats of :func:`export`.

    >>> "mpi-c" in [format.name for format in export_formats()]
    True
    """
    return [ExportFormat(*row) for row in _native.export_formats()]


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
