"""Pictures of matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy
    from matplotlib.axes import Axes

    from ._front import Front
    from ._schedule import Schedule

_MAX_NAMES = 48
"""More rows have no names."""

_MAX_COLOURS = 12
"""More origins have no legend."""

_SHARE = 0.9
"""Part of the height of a row that its bars take."""


def _new_axes(height: float) -> Axes:
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(8.0, height), layout="constrained")[1]


def _places(row: numpy.ndarray, step: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Return the place of each use of a channel among those of the same row and step, and their number."""
    import numpy

    key = row.astype(numpy.int64) * (int(step.max(initial=0)) + 1) + step
    order = numpy.argsort(key, kind="stable")
    _, first, group, count = numpy.unique(key[order], return_index=True, return_inverse=True, return_counts=True)
    place, number = numpy.empty_like(order), numpy.empty_like(order)
    place[order] = numpy.arange(len(order)) - first[group]
    number[order] = count[group]
    return place, number


def plot_schedule(schedule: Schedule, ax: Axes | None, times: dict[str, numpy.ndarray] | None) -> Axes:
    """Draw the uses of all channels, see :meth:`Schedule.plot`. `times` has the begin and the end of each transfer."""
    import numpy
    from matplotlib import colormaps
    from matplotlib.collections import PolyCollection
    from matplotlib.patches import Patch

    topology, transfers = schedule.topology, schedule.transfers
    nodes, channels = topology.nodes, topology.channels
    working = numpy.flatnonzero(channels["works"])
    row_of = numpy.zeros(len(channels["works"]), dtype=numpy.int64)
    row_of[working] = numpy.arange(len(working))

    transfer = numpy.repeat(numpy.arange(len(transfers["step"])), numpy.diff(transfers["offsets"]))
    row, step = row_of[transfers["channels"]], transfers["step"][transfer]
    place, number = _places(row, step)
    begin, end = (step, step + 1.0) if times is None else (1e6 * times["begin"][transfer], 1e6 * times["end"][transfer])
    bottom = row - _SHARE / 2 + _SHARE * place / number
    top = bottom + _SHARE / number
    corners = [begin, bottom, end, bottom, end, top, begin, top]
    bars = numpy.stack(corners, axis=-1).reshape(-1, 4, 2)

    origins = schedule.sources[transfers["message"]]
    used = numpy.unique(origins)
    numbers = numpy.arange(len(used))
    colours = colormaps["tab20"](numbers) if len(used) <= 20 else colormaps["turbo"](numbers / len(used))

    if ax is None:
        ax = _new_axes(min(12.0, 1.5 + 0.2 * len(working)))
    line = 0.5 if len(working) <= _MAX_NAMES else 0.0
    of_use = colours[numpy.searchsorted(used, origins)[transfer]]
    ax.add_collection(PolyCollection(bars, facecolors=of_use, edgecolors="white", linewidths=line))  # type: ignore[arg-type]
    last = float(schedule.steps if times is None else max(end, default=0.0))
    ax.set(xlim=(0.0, last or 1.0), ylim=(len(working) - 0.5, -0.5))
    ax.set_xlabel("step" if times is None else "time in microseconds")
    if times is None and schedule.steps <= 32:
        ax.set_xticks([at + 0.5 for at in range(schedule.steps)], [str(at) for at in range(schedule.steps)])
    if len(working) <= _MAX_NAMES:
        names = [f"{nodes[channels['tail'][number]]} to {nodes[channels['head'][number]]}" for number in working]
        ax.set_yticks(range(len(working)), names)
        ax.set_ylabel("channel")
    else:
        ax.set_ylabel("channels by number")
    if 1 < len(used) <= _MAX_COLOURS:
        patches = [Patch(color=colour, label=str(nodes[origin])) for colour, origin in zip(colours, used)]
        ax.legend(handles=patches, title="origin", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    ax.set_title(f"{schedule.collective} on {topology.name}: {schedule._summary()}")
    return ax


def plot_front(front: Front, ax: Axes | None, sizes: list[int]) -> Axes:
    """Draw the least time and its lower bound over the size, see :meth:`Front.plot`."""
    times = front.time(sizes)
    if ax is None:
        ax = _new_axes(4.5)
    asynchronous = front.clock == "asynchronous"
    best: list[Any] = [1e6 * (time.asynchronous if asynchronous else time.synchronous) for time in times]
    (line,) = ax.plot(sizes, best, label="best schedule")
    changes = [plan.least_size for plan in front if sizes[0] < plan.least_size <= sizes[-1]]
    at_changes = [1e6 * (time.asynchronous if asynchronous else time.synchronous) for time in front.time(changes)]
    ax.plot(changes, at_changes, "o", color=line.get_color(), label="another schedule is best from here on")
    ax.plot(sizes, [1e6 * time.at_least for time in times], "--", label="lower bound")
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    ax.set(xlabel="size in bytes", ylabel="time in microseconds", title=f"{front.collective} on {front.network}")
    ax.legend()
    return ax
