"""The effect of faults on a plan."""

from __future__ import annotations

import os
from typing import Any, Iterable, NamedTuple, Optional

from . import _native
from ._progress import Progress, observed
from ._schedule import Plan
from ._topology import Faults, _pairs


class FaultEffect(NamedTuple):
    """The effect of a fault set: the plan after it, or the reason why the collective is impossible."""

    faults: str
    plan: Optional[Plan]
    loss: Optional[str]


def faults(
    plan: Plan,
    kind: str = "links",
    *,
    at_once: int = 1,
    sample: int | None = None,
    budget: int | None = 100_000,
    seed: int = 1,
    progress: Progress = None,
) -> list[FaultEffect]:
    """Plan again for every set of `at_once` faults, or for a `sample` of them.

    `kind` is ``links``, ``channels`` or ``nodes``. `budget` is the number of evaluations for each set.

    >>> import lockstep_collectives as lockstep
    >>> effects = lockstep.faults(lockstep.plan("mesh:3x3", "all-gather"))
    >>> len(effects), max(effect.plan.steps for effect in effects)
    (12, 8)
    """
    limit = None if budget is None else str(budget)

    def call(observer: _native._Observer) -> list[tuple[str, Optional[_native.Schedule], Optional[str]]]:
        return _native.faults(plan._native, kind, at_once, sample, limit, seed, observer)

    rows = observed(progress, call)
    return [FaultEffect(name, None if after is None else Plan(after), loss) for name, after, loss in rows]


class FaultFigures(NamedTuple):
    """The figures of a fault set: those of the plan after it, or the reason why the collective is impossible."""

    faults: str
    steps: Optional[int]
    lower_bound: Optional[int]
    verdict: Optional[str]
    loss: Optional[str]


class RecoveryBook:
    """The plans after many fault sets, from a file that ``lockstep faults --book`` wrote."""

    def __init__(self, native: _native.Book) -> None:
        self._native = native

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> RecoveryBook:
        """Read a book."""
        return cls(_native.Book.read(_native.read_file(path)))

    @property
    def before(self) -> Plan:
        """The plan without faults."""
        return Plan(self._native.before)

    @property
    def sets(self) -> str:
        """The fault sets in words."""
        return self._native.sets

    @property
    def rows(self) -> list[FaultFigures]:
        """The figures of all fault sets. The claims of all plans are checked."""
        figures: list[FaultFigures] = []
        for name, plan, loss in self._native.rows():
            steps, bound, verdict = (None, None, None) if plan is None else plan
            figures.append(FaultFigures(name, steps, bound, verdict, loss))
        return figures

    def look_up(self, *, links: Faults = (), channels: Faults = (), nodes: Iterable[Any] = ()) -> FaultEffect:
        """Return the plan after faults, named as in :meth:`Topology.without`. Its claims are checked.

        A fault set that is not in the book is a `FaultError`.
        """
        name, after, loss = self._native.look_up(_pairs(links), _pairs(channels), [str(node) for node in nodes])
        return FaultEffect(name, None if after is None else Plan(after), loss)

    def __len__(self) -> int:
        return len(self._native)

    def __repr__(self) -> str:
        return f"<RecoveryBook for {self.sets}: {len(self)} fault sets>"
