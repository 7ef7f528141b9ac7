"""The best schedule for every size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Iterator, Literal, NamedTuple, overload

from . import _native
from ._frames import front_frame
from ._labels import Labels
from ._planning import problem
from ._plots import plot_front
from ._progress import observed
from ._schedule import Schedule
from ._topology import as_topology
from ._values import limit, size_bytes, size_pair, sizes as sizes_of
from .typing import Budget, Clock, Collective, Duplex, PathRouting, Progress, Scatter, Size, Sizes, Switching

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes


class FrontPlan(NamedTuple):
    """A schedule of a front, and the sizes in bytes for which it is the best one."""

    schedule: Schedule
    least_size: int
    greatest_size: int
    engine: str


class FrontTime(NamedTuple):
    """Times of the best schedule for one size in seconds; no schedule takes less time than `at_least`."""

    bytes: int
    plan: int
    synchronous: float
    asynchronous: float
    at_least: float
    bus_bandwidth: int


class Front:
    """The schedules that take the least time for some size. It is a sequence of :class:`FrontPlan`.

    A front does not change. In Jupyter, it shows the times and the bus bandwidths over the size.
    """

    __slots__ = ("_native", "_labels", "_plans")

    def __init__(self, native: _native.Front, labels: Labels = None) -> None:
        self._native = native
        self._labels = labels
        rows = [(Schedule(schedule, labels), least, engine) for schedule, least, engine, _ in native.rows()]
        ends = [least - 1 for _, least, _ in rows[1:]] + [native.sizes[1]]
        self._plans = [FrontPlan(schedule, least, end, engine) for (schedule, least, engine), end in zip(rows, ends)]

    def __len__(self) -> int:
        return len(self._plans)

    def __getitem__(self, place: int) -> FrontPlan:
        return self._plans[place]

    def __iter__(self) -> Iterator[FrontPlan]:
        return iter(self._plans)

    @property
    def is_cut_short(self) -> bool:
        """True if the budget ended the search; more schedules can be on the front then."""
        return self._native.is_cut_short

    @property
    def collective(self) -> str:
        """Name of the collective."""
        return self._native.names[0]

    @property
    def network(self) -> str:
        """Name of the network."""
        return self._native.names[1]

    @property
    def sizes(self) -> tuple[int, int]:
        """The smallest and the largest size of the front in bytes."""
        return self._native.sizes

    @property
    def clock(self) -> Clock:
        """The kind of time for which the schedules are best: ``synchronous`` or ``asynchronous``."""
        return "asynchronous" if self._native.is_asynchronous else "synchronous"

    @overload
    def time(self, size: Size) -> FrontTime: ...  # type: ignore[overload-overlap]  # a text is also an iterable of texts

    @overload
    def time(self, size: Iterable[Size]) -> list[FrontTime]: ...

    def time(self, size: Size | Iterable[Size]) -> FrontTime | list[FrontTime]:
        """Return the times for a size such as ``64MiB``, or for each of several sizes.

        `plan` is the place of the best schedule in the front.
        """
        if isinstance(size, str) or not isinstance(size, Iterable):
            return self._time(size_bytes(size))
        return [self._time(size_bytes(one)) for one in size]

    def _time(self, size: int) -> FrontTime:
        plan, synchronous, asynchronous, at_least, bandwidth = self._native.time(size)
        seconds = [time * 1e-12 for time in (synchronous, asynchronous, at_least)]
        return FrontTime(size, plan, seconds[0], seconds[1], seconds[2], bandwidth)

    def to_pandas(self, sizes: Iterable[Size] | None = None) -> pandas.DataFrame:
        """Return the times as a frame with a row per size: those of :meth:`time`, with the figures of the best schedule.

        These are its steps, chunks, engine, and the sum of the widths of its steps. Without `sizes`, the rows are sizes from the
        smallest to the largest one of the front, each twice as large as the one before.

        >>> import lockstep_collectives as lockstep
        >>> front = lockstep.front("dgx-1", "all-gather", sizes="64KiB..1MiB", switching="store-and-forward", budget=10)
        >>> frame = front.to_pandas()
        >>> len(frame), bool((frame["at_least"] <= frame["synchronous"]).all())
        (5, True)
        """
        chosen = sizes_of(self.sizes, factor=2) if sizes is None else [size_bytes(size) for size in sizes]
        return front_frame(self, chosen)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the least time and its lower bound over the size with matplotlib. Without `ax`, there is a new figure."""
        return plot_front(self, ax, self._native.curve_sizes())

    def to_svg(self) -> str:
        """Return a picture: times and bus bandwidths of all schedules over the size."""
        return self._native.svg()

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def __eq__(self, other: object) -> bool:
        """Compare schedules, sizes and bounds."""
        return isinstance(other, Front) and self._native.store() == other._native.store()

    def __hash__(self) -> int:
        return hash(tuple(self._plans))

    def __copy__(self) -> Front:
        return self

    def __deepcopy__(self, _: dict[int, Any]) -> Front:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._native.store(), self._labels)

    def __repr__(self) -> str:
        parts = [f"{plan.schedule.steps} steps from {plan.least_size} bytes" for plan in self]
        return f"<Front: {', '.join(parts)}>"


def _restored(stored: Any, labels: Labels) -> Front:
    """Return a front that was pickled, after the checks of its schedules and of its bound."""
    return Front(_native.Front.restore(stored), labels)


def front(
    topology: Any,
    collective: Collective,
    *,
    sizes: Sizes = "1KiB..1GiB",
    max_chunks: int = 16,
    unit: float | str | None = None,
    latency: float | str | None = None,
    asynchronous: bool = False,
    root: Any = None,
    groups: Iterable[Iterable[Any]] = (),
    switching: Switching = "wormhole",
    ports: int | Literal["all"] = "all",
    routing: PathRouting = "minimal",
    scatter: Scatter | None = None,
    duplex: Duplex = "full",
    budget: Budget = "unlimited",
    seed: int = 1,
    progress: Progress = None,
) -> Front:
    """Find the best schedule for every size between two, and a lower bound of the time.

    `sizes` is a text such as ``64KiB..1MiB``, or a pair of sizes.

    A network without bandwidths needs the bandwidth of a `unit` of capacity, and one without latencies the `latency` of its
    channels: 1 microsecond unless given. The other arguments are those of :func:`plan`.

    >>> front("dgx-1", "all-gather", sizes="64KiB..64MiB", switching="store-and-forward", budget=20)[0].schedule.steps
    2
    """
    network = as_topology(topology)
    if latency is not None and network._native.has_latencies():
        raise _native.ProblemError(f"latency: {network.name} has latencies; leave it out")
    if not network._native.has_latencies():
        rate = unit if unit is not None else network.unit
        if rate is None:
            raise _native.ProblemError(f"{network.name}: the network has no bandwidths; give unit, such as '25GB/s'")
        network = network.with_times(rate, "1us" if latency is None else latency)
    ends, text = size_pair(sizes), limit(budget)
    task = problem(network, collective, root, groups, 1, (switching, ports, routing, scatter, duplex))

    def call(observer: Any) -> Any:
        return _native.front(task, ends, max_chunks, asynchronous, text, seed, observer)

    return observed(progress, call, lambda native: Front(native, network._labels))
