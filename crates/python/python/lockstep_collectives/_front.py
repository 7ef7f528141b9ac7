"""The best schedule for every size."""

from __future__ import annotations

from typing import Any, Iterable, Iterator, NamedTuple

from . import _native
from ._planning import Collective, problem
from ._progress import Progress, observed
from ._schedule import Schedule
from ._topology import as_topology


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
    """The schedules that take the least time for some size. It is a sequence of :class:`FrontPlan`."""

    def __init__(self, native: _native.Front, sizes: tuple[int, int]) -> None:
        self._native = native
        rows = [(Schedule(schedule), least, engine) for schedule, least, engine, _ in native.rows()]
        ends = [least - 1 for _, least, _ in rows[1:]] + [sizes[1]]
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

    def time(self, size: int | str) -> FrontTime:
        """Return the times for a size such as ``64MiB``; `plan` is the place of the best schedule in the front."""
        size = _native.size(size) if isinstance(size, str) else size
        plan, synchronous, asynchronous, at_least, bandwidth = self._native.time(size)
        seconds = [time * 1e-12 for time in (synchronous, asynchronous, at_least)]
        return FrontTime(size, plan, seconds[0], seconds[1], seconds[2], bandwidth)

    def __repr__(self) -> str:
        parts = [f"{plan.schedule.steps} steps from {plan.least_size} bytes" for plan in self]
        return f"<Front: {', '.join(parts)}>"


def front(
    topology: Any,
    collective: Collective,
    *,
    sizes: tuple[int | str, int | str] = ("1KiB", "1GiB"),
    max_chunks: int = 16,
    unit: int | str | None = None,
    latency: float | str | None = None,
    asynchronous: bool = False,
    root: Any = None,
    groups: Iterable[Iterable[Any]] = (),
    switching: str = "wormhole",
    ports: int | str = "all",
    routing: str = "minimal",
    scatter: str | None = None,
    duplex: str = "full",
    budget: str | None = "unlimited",
    seed: int = 1,
    progress: Progress = None,
) -> Front:
    """Find the best schedule for every size between two, and a lower bound of the time.

    A network without bandwidths needs the bandwidth of a `unit` of capacity, and one without latencies the `latency` of its
    channels: 1 microsecond unless given. The other arguments are those of :func:`plan`.

    >>> front("dgx-1", "all-gather", sizes=("64KiB", "64MiB"), switching="store-and-forward", budget="20s")[0].schedule.steps
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
    least, most = (_native.size(size) if isinstance(size, str) else size for size in sizes)
    task = problem(network, collective, root, groups, 1, (switching, ports, routing, scatter, duplex))

    def call(observer: Any) -> Any:
        return _native.front(task, (least, most), max_chunks, asynchronous, budget, seed, observer)

    return Front(observed(progress, call), (least, most))
