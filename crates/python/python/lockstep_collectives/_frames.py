"""Frames of pandas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

from ._arrays import to_array

if TYPE_CHECKING:
    import numpy
    import pandas

    from ._expect import ExpectedTime
    from ._front import Front
    from ._measured import FittedClass
    from ._schedule import Schedule
    from ._topology import Topology


def _chosen(values: Sequence[Any], numbers: numpy.ndarray) -> list[Any]:
    """Return the value of each number."""
    return [values[number] for number in numbers.tolist()]


def channel_frame(topology: Topology) -> pandas.DataFrame:
    """Return the channels of a network, see :meth:`Topology.to_pandas`."""
    import pandas

    channels, nodes, unit = topology.channels, topology.nodes, topology.unit
    columns = {
        "tail": _chosen(nodes, channels["tail"]),
        "head": _chosen(nodes, channels["head"]),
        "capacity": channels["capacity"],
        "bandwidth": channels["capacity"] * (float("nan") if unit is None else float(unit)),
        "latency": channels["latency"],
        "works": channels["works"],
    }
    return pandas.DataFrame(columns, index=pandas.RangeIndex(len(channels["tail"]), name="channel"))


def transfer_frame(schedule: Schedule) -> pandas.DataFrame:
    """Return the transfers of a schedule, see :meth:`Schedule.to_pandas`."""
    import numpy
    import pandas

    transfers, nodes = schedule.transfers, schedule.topology.nodes
    ends, channels = transfers["offsets"].tolist(), transfers["channels"].tolist()
    columns = {
        "step": transfers["step"],
        "message": transfers["message"],
        "origin": _chosen(nodes, schedule.sources[transfers["message"]]),
        "source": _chosen(nodes, transfers["source"]),
        "target": _chosen(nodes, transfers["target"]),
        "length": numpy.diff(transfers["offsets"]),
        "channels": [tuple(channels[begin:end]) for begin, end in zip(ends, ends[1:])],
    }
    return pandas.DataFrame(columns, index=pandas.RangeIndex(len(ends) - 1, name="transfer"))


def transfer_seconds(schedule: Schedule, size: int, unit: int | None, asynchronous: bool) -> dict[str, numpy.ndarray]:
    """Return the begin and the end of each transfer in seconds."""
    begin, end = schedule._native.transfer_times(size, unit, asynchronous)
    return {"begin": to_array(begin) * 1e-12, "end": to_array(end) * 1e-12}


def front_frame(front: Front, sizes: list[int]) -> pandas.DataFrame:
    """Return the times of a front, see :meth:`Front.to_pandas`."""
    import pandas

    from ._front import FrontTime

    times = front.time(sizes)
    frame = pandas.DataFrame(times, columns=list(FrontTime._fields))
    plans = [front[time.plan] for time in times]
    frame["steps"] = [plan.schedule.steps for plan in plans]
    frame["chunks"] = [plan.schedule.chunks for plan in plans]
    frame["width"] = [sum(plan.schedule.widths) for plan in plans]
    frame["engine"] = [plan.engine for plan in plans]
    return frame


def class_frame(classes: list[FittedClass]) -> pandas.DataFrame:
    """Return the classes of a fit, see :meth:`Fit.to_pandas`."""
    import pandas

    frame = pandas.DataFrame([row._asdict() for row in classes])
    frame["channels"] = [len(row.channels) for row in classes]
    return frame.astype({"upper_limit": "Int64", "half_duplex": "Int64"})


def measurement_frame(rows: list[Any]) -> pandas.DataFrame:
    """Return measured values, see :func:`read_measurements`."""
    import pandas

    names = [
        *("file", "benchmark", "test", "kind", "algorithm"),
        *("from", "to", "collective"),
        *("bytes", "time_s", "bytes_per_second"),
        *("group", "ranks", "in_place", "line"),
    ]
    frame = pandas.DataFrame([[value for part in row for value in part] for row in rows], columns=names)
    whole = {name: "Int64" for name in ("bytes", "bytes_per_second", "ranks")}
    frame["time_s"] = pandas.to_numeric(frame["time_s"]) / 1e12
    return frame.astype(whole)


def expectation_frame(times: list[ExpectedTime]) -> pandas.DataFrame:
    """Return expected and measured times, see :meth:`Expectation.to_pandas`."""
    import pandas

    from ._expect import ExpectedTime

    return pandas.DataFrame(times, columns=list(ExpectedTime._fields)).astype(
        {"algorithm_bus_bandwidth": "Int64", "observed_bus_bandwidth": "Int64"}
    )
