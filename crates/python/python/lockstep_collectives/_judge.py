"""Programs of other tools."""

from __future__ import annotations

import os
from typing import Any, NamedTuple, Optional

from . import _native
from ._labels import Labels
from ._progress import observed
from ._schedule import Plan, Schedule
from ._topology import as_topology
from ._values import limit
from .typing import Budget, CollectiveName, ProgramFormat, Progress, Runtime


class Judgement(NamedTuple):
    """A program of another tool: whether it is right, its schedule, and a plan of the same collective.

    `violation` says what is wrong with the program, and `no_steps` why a right program has no schedule.
    """

    format: str
    program: str
    violation: Optional[str]
    no_steps: Optional[str]
    schedule: Optional[Schedule]
    plan: Optional[Plan]

    @property
    def is_right(self) -> bool:
        """True if all orders of the threads give the right data."""
        return self.violation is None

    @property
    def gap(self) -> Optional[int]:
        """Steps of the program, each times its width, above the lower bound."""
        if self.schedule is None or self.plan is None:
            return None
        return sum(self.schedule.widths) - self.plan.lower_bound


def judge(
    path: str | os.PathLike[str],
    network: Any = None,
    *,
    format: ProgramFormat | None = None,
    runtime: Runtime = "rccl",
    collective: CollectiveName | None = None,
    root: int = 0,
    chunks: int = 1,
    budget: Budget = None,
    seed: int = 0,
    progress: Progress = None,
) -> Judgement:
    """Execute a program for a runtime or simulator, and compare it with the lower bound and a plan.

    Without a `network`, the network is that of the pairs of ranks that talk. `format` is detected unless given. A file that does
    not name its collective needs `collective`, with its `root` rank and the number of `chunks`.

    >>> import lockstep_collectives as lockstep
    >>> plan = lockstep.plan("dgx-1", "all-gather", switching="store-and-forward")
    >>> plan.export("msccl-xml", "algo.xml")
    >>> lockstep.judge("algo.xml", "dgx-1").gap
    0
    """
    contents = _native.read_file(path)
    topology = None if network is None else as_topology(network)
    labels, native = (None, None) if topology is None else (topology._labels, topology._native)
    table = None if collective is None else (collective, root, chunks)
    text = limit(budget)

    def call(observer: Any) -> Any:
        return _native.judge(contents, native, format, runtime, table, text, seed, observer)

    return observed(progress, call, lambda row: _judgement(row, labels))


def _judgement(row: Any, labels: Labels) -> Judgement:
    name, title, violation, no_steps, schedule, plan = row
    own, best = None if schedule is None else Schedule(schedule, labels), None if plan is None else Plan(plan, labels)
    return Judgement(name, title, violation, no_steps, own, best)
