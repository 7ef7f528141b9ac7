"""The effect of faults on a plan."""

from __future__ import annotations

from typing import NamedTuple, Optional

from . import _native
from ._progress import Progress, observed
from ._schedule import Plan


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

    def call(observer: object) -> list[tuple[str, Optional[_native.Schedule], Optional[str]]]:
        return _native.faults(plan._native, kind, at_once, sample, limit, seed, observer)

    rows = observed(progress, call)
    return [FaultEffect(name, after and Plan(after), loss) for name, after, loss in rows]
