"""Flow-level simulation."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

from . import _native
from ._schedule import Schedule
from ._topology import as_topology
from ._values import size_bytes
from .typing import FlowRouting, Rates, Size, StepMode


class Simulation(NamedTuple):
    """The result of a simulation in time units; `seconds` is the makespan, if the network has bandwidths."""

    makespan: float
    seconds: Optional[float]
    flow_count: int
    flow_times: Optional[list[float]]


def simulate(
    subject: Any,
    workload: str = "chained",
    *,
    steps: StepMode = "free",
    flows: int = 3,
    size: Size = 1000,
    routing: FlowRouting = "ecmp-split",
    rates: Rates = "equal-share",
    capacity: float | None = None,
    startup: float = 0.0,
    seed: int = 1,
) -> Simulation:
    """Simulate a schedule, or a workload on a network.

    `workload` is ``chained``, ``phased``, ``uniform`` or ``all-to-all``; `flows` and `size` are those of each task. For a
    schedule, `size` is that of each message, and `steps` is ``free`` (a transfer starts as soon as its data has arrived) or
    ``synchronous`` (after all transfers of the step before). A link carries `capacity` units per time unit; in a network with
    bandwidths, units are bytes and the time unit is 1 microsecond. Each flow uses links from `startup` time units after its
    send on. `flow_times` are the smallest, mean, median and largest time of a flow.

    >>> import lockstep_collectives as lockstep
    >>> plan = lockstep.plan("ring:4", "all-gather")
    >>> simulate(plan, size=1000).makespan
    2.0
    >>> simulate(plan, size=1000, steps="synchronous", startup=0.5).makespan
    3.0
    """
    amount = size_bytes(size)
    if isinstance(subject, Schedule):
        row = _native.simulate_schedule(subject._native, steps, amount, rates, capacity, startup)
    else:
        network = as_topology(subject)._native
        row = _native.simulate_workload(network, workload, flows, amount, routing, rates, capacity, startup, seed)
    makespan, unit, count, times = row
    return Simulation(makespan, None if unit is None else makespan * unit * 1e-12, count, times)
