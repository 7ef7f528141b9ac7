"""The effect of faults on a plan."""

from __future__ import annotations

import os
from typing import Any, NamedTuple, Optional

from . import _native
from ._labels import Labels, node_texts
from ._progress import observed
from ._schedule import Plan
from ._topology import Faults, fault_pairs
from ._values import limit
from .typing import Budget, FaultKind, Progress


class FaultEffect(NamedTuple):
    """The effect of a fault set: the plan after it, or the reason why the collective is impossible."""

    faults: str
    plan: Optional[Plan]
    loss: Optional[str]


def faults(
    plan: Plan,
    kind: FaultKind = "links",
    *,
    at_once: int = 1,
    sample: int | None = None,
    budget: Budget = "100000",
    seed: int = 1,
    progress: Progress = None,
) -> list[FaultEffect]:
    """Plan again for every set of `at_once` faults, or for a `sample` of them.

    `kind` is ``links``, ``channels`` or ``nodes``. `budget` is a number of evaluations for each set, as a text, or a time for all.
    :class:`Interrupted` keeps the effects until then.

    >>> import lockstep_collectives as lockstep
    >>> effects = lockstep.faults(lockstep.plan("mesh:3x3", "all-gather"))
    >>> len(effects), max(effect.plan.steps for effect in effects)
    (12, 8)
    """
    text = limit(budget)

    def call(observer: _native._Observer) -> list[tuple[str, Optional[_native.Schedule], Optional[str]]]:
        return _native.faults(plan._native, kind, at_once, sample, text, seed, observer)

    return observed(progress, call, lambda rows: [_effect(row, plan._labels) for row in rows])


def _effect(row: tuple[str, Optional[_native.Schedule], Optional[str]], labels: Labels) -> FaultEffect:
    name, after, loss = row
    return FaultEffect(name, None if after is None else Plan(after, labels), loss)


class FaultFigures(NamedTuple):
    """The figures of a fault set: those of the plan after it, or the reason why the collective is impossible."""

    faults: str
    steps: Optional[int]
    lower_bound: Optional[int]
    verdict: Optional[str]
    loss: Optional[str]


class RecoveryBook:
    """The plans after many fault sets, from a file that ``lockstep faults --book`` wrote."""

    __slots__ = ("_native", "_contents")

    def __init__(self, contents: bytes) -> None:
        """Take the contents of a file."""
        self._native = _native.Book.read(contents)
        self._contents = contents

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> RecoveryBook:
        """Read a book."""
        return cls(_native.read_file(path))

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

    def look_up(self, *, links: Faults = (), channels: Faults = (), nodes: Any = (), nics: Any = ()) -> FaultEffect:
        """Return the plan after faults, named as in :meth:`Topology.without`. Its claims are checked.

        A fault set that is not in the book is a `FaultError`.
        """
        faults = (fault_pairs(links), fault_pairs(channels), node_texts(None, nodes), node_texts(None, nics))
        row = self._native.look_up(faults)
        return _effect(row, None)

    def __len__(self) -> int:
        return len(self._native)

    def __eq__(self, other: object) -> bool:
        """Compare the contents of the files."""
        return isinstance(other, RecoveryBook) and self._contents == other._contents

    def __hash__(self) -> int:
        return hash(self._contents)

    def __copy__(self) -> RecoveryBook:
        return self

    def __deepcopy__(self, _: dict[int, Any]) -> RecoveryBook:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return RecoveryBook, (self._contents,)

    def __repr__(self) -> str:
        return f"<RecoveryBook for {self.sets}: {len(self)} fault sets>"
