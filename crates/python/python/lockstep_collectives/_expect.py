"""What a collective should reach on a machine, beside what it reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, NamedTuple, Optional

from . import _native
from ._front import Front, front
from ._frames import expectation_frame
from ._measured import files_of
from ._topology import as_topology
from ._values import size_bytes, sizes as sizes_of
from ._warnings import warn
from .typing import Budget, CollectiveName, Library, Measurements, Progress, Size

if TYPE_CHECKING:
    import pandas


class ExpectedTime(NamedTuple):
    """The times of one size in seconds: no schedule takes less than `at_least`, `plan` is the best schedule found.

    `algorithm` is the fastest algorithm of the library, and `algorithm_time` its time. Both are None without a library. `observed` is the
    measured time, `of_bound`, `of_plan` and `of_algorithm` are the parts of the three bandwidths that it reaches, and `verdict` says how good
    it is. They are None for a size that was not measured. Bus bandwidths are in bytes per second, as nccl-tests counts them.
    """

    bytes: int
    at_least: float
    plan: float
    algorithm: Optional[str]
    algorithm_time: Optional[float]
    observed: Optional[float]
    of_bound: Optional[float]
    of_plan: Optional[float]
    of_algorithm: Optional[float]
    verdict: Optional[str]
    bound_bus_bandwidth: int
    plan_bus_bandwidth: int
    algorithm_bus_bandwidth: Optional[int]
    observed_bus_bandwidth: Optional[int]


class Expectation(NamedTuple):
    """The times of all sizes, the front of the plans, and the verdict of the measured sizes in one line."""

    times: list[ExpectedTime]
    front: Front
    verdict: Optional[str]

    def to_pandas(self) -> pandas.DataFrame:
        """Return the times as a frame with a row per size."""
        return expectation_frame(self.times)


def expect(
    topology: Any,
    collective: CollectiveName,
    *,
    against: Measurements | None = None,
    library: Library | None = None,
    algorithm: str | None = None,
    sizes: Iterable[Size] | None = None,
    run: int | None = None,
    rate_unit: str | None = None,
    unit: float | str | None = None,
    latency: float | str | None = None,
    root: Any = None,
    budget: Budget = "10s",
    seed: int = 1,
    progress: Progress = None,
) -> Expectation:
    """Compare measured times of a collective on all terminals with a lower bound, the best plan and the algorithms of a library.

    `against` are outputs of benchmarks as in :meth:`Topology.fit`; `run` is the number of the run if they have several of the
    collective. `library` is a name such as ``nccl`` or ``open-mpi``, `algorithm` the name of one of its algorithms: without it, the
    fastest one counts for every size. `sizes` are those of nccl-tests: without it, the measured ones, otherwise from 1 KiB to 1 GiB. The
    other arguments are those of :func:`front`. The command ``lockstep expect`` also reads the rings and trees of files.

    >>> table = "collective,ranks,bytes,time_us\\nall-gather,8,67108864,1500\\n"
    >>> found = expect("dgx-1", "all-gather", against=table, unit="20GB/s", budget="2000")
    >>> time = found.times[0]
    >>> time.bytes, time.at_least <= time.plan, time.verdict == found.verdict or found.verdict is not None
    (67108864, True, True)
    >>> [time] = expect("dgx-1", "all-reduce", library="nccl", sizes=["1GiB"], unit="20GB/s", budget="20000").times
    >>> time.algorithm, time.at_least <= time.algorithm_time
    ('ring', True)
    """
    if algorithm is not None and library is None:
        raise _native.ProblemError("algorithm: expected a library too, such as library='nccl'")
    network = as_topology(topology)
    observed: dict[int, int] = {}
    if against is not None:
        times, notes = _native.observed(files_of(against), collective, network.terminal_count, run, rate_unit)
        warn(notes, 1)
        observed = dict(times)
    if sizes is None:
        chosen = sorted(observed) or sizes_of("1KiB..1GiB")
    else:
        chosen = sorted({size_bytes(size, "sizes") for size in sizes})
    if not chosen:
        raise _native.ProblemError("sizes: found none, expected at least one size")
    found = front(
        network,
        collective,
        sizes=(max(1, chosen[0]), max(1, chosen[-1])),
        unit=unit,
        latency=latency,
        root=root,
        budget=budget,
        seed=seed,
        progress=progress,
    )
    rows, verdict = found._native.compare(chosen, observed, library, algorithm)
    return Expectation([_time(found._native, row) for row in rows], found, verdict)


def _time(native: _native.Front, row: _native._ComparedTimes) -> ExpectedTime:
    size, bound, plan, of_library, measured = row
    algorithm, algorithm_time = (None, None) if of_library is None else of_library
    seconds, part, verdict = (None, None, None) if measured is None else measured
    return ExpectedTime(
        bytes=size,
        at_least=bound * 1e-12,
        plan=plan * 1e-12,
        algorithm=algorithm,
        algorithm_time=None if algorithm_time is None else algorithm_time * 1e-12,
        observed=None if seconds is None else seconds * 1e-12,
        of_bound=part,
        of_plan=None if seconds is None else plan / max(1, seconds),
        of_algorithm=None if seconds is None or algorithm_time is None else algorithm_time / max(1, seconds),
        verdict=verdict,
        bound_bus_bandwidth=native.bus_bandwidth(size, bound),
        plan_bus_bandwidth=native.bus_bandwidth(size, plan),
        algorithm_bus_bandwidth=None if algorithm_time is None else native.bus_bandwidth(size, algorithm_time),
        observed_bus_bandwidth=None if seconds is None else native.bus_bandwidth(size, seconds),
    )
