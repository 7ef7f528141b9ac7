"""Planning, lower bounds and verification."""

from __future__ import annotations

from typing import Any, Iterable, Literal, Mapping, NamedTuple

from . import _native
from ._arrays import u32_bytes
from ._labels import node_texts
from ._progress import observed
from ._schedule import Plan, Schedule
from ._topology import Topology, as_topology
from ._values import limit, shown
from .typing import Budget, Collective, Duplex, Engine, PathRouting, Progress, Scatter, Switching


class Bound(NamedTuple):
    """A lower bound on the number of steps, with the rule that proves it and its certificate in words."""

    steps: int
    rule: str
    explanation: str


def problem(
    network: Topology,
    collective: Collective,
    root: Any,
    groups: Iterable[Any],
    chunks: int,
    model: tuple[str, int | str, str, str | None, str],
) -> _native.Problem:
    """Return a problem: the network, the messages and the model."""
    switching, ports, routing, scatter, duplex = model
    labels = network._labels
    if duplex == "half":
        network = network.half_duplex()
    elif duplex != "full":
        raise _native.ProblemError(f"duplex: found '{shown(duplex)}', expected 'full' or 'half'")
    if isinstance(collective, str):
        name, messages = collective, []
    else:
        name, messages = None, [(str(source), node_texts(labels, receivers)) for source, receivers in collective]
    grouped = [node_texts(labels, group) for group in groups]
    words = [switching, str(ports), routing, scatter or ""]
    return _native.Problem(network._native, name, messages, node_texts(labels, root), grouped, chunks, words)


def plan(
    topology: Any,
    collective: Collective,
    *,
    root: Any = None,
    groups: Iterable[Iterable[Any]] = (),
    chunks: int = 1,
    switching: Switching = "wormhole",
    ports: int | Literal["all"] = "all",
    routing: PathRouting = "minimal",
    scatter: Scatter | None = None,
    duplex: Duplex = "full",
    engine: Engine | None = None,
    steps: int | None = None,
    budget: Budget = None,
    seed: int = 1,
    progress: Progress = None,
) -> Plan:
    """Find a schedule with as few steps as possible, verify it, and prove a lower bound.

    `topology` is a :class:`Topology`, a spec, a file name or a graph of networkx. `collective` is ``broadcast``, ``scatter``,
    ``all-gather``, ``all-to-all``, ``gather``, ``reduce``, ``reduce-scatter``, ``all-reduce``, or a list of messages, each a
    source with its receivers. Nodes are labels of networkx, names or numbers. The default `root` is the first terminal.

    `switching` is ``wormhole`` or ``store-and-forward``, `ports` a number or ``all``, `routing` ``minimal`` or ``any``,
    `scatter` ``direct`` or ``relay``, `duplex` ``full`` or ``half``. `chunks` splits each message. The search ends at `steps`
    steps, or at the `budget`: a number of seconds, a ``timedelta``, or a text: a time such as ``30s``, ``unlimited``, or
    evaluations such as ``4000000``. With evaluations, which are the default, the same `seed` gives the same plan.

    With ``progress=True``, a line on standard error shows the progress; a callable receives each event as a dictionary.
    ``KeyboardInterrupt`` ends the call: :class:`Interrupted` keeps the best plan until then.

    >>> plan("mesh:4x4", "all-to-all")
    <Plan of all-to-all on mesh:4x4: 16 steps, optimal>
    >>> plan("ring:4", [(0, [1, 2]), (3, [1])]).steps
    2
    >>> plan("mesh:4x4", "all-to-some")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    lockstep_collectives.ProblemError: unknown collective 'all-to-some'; choose broadcast, scatter, ...
    """
    network = as_topology(topology)
    task = problem(network, collective, root, groups, chunks, (switching, ports, routing, scatter, duplex))
    text = limit(budget)

    def call(observer: _native._Observer) -> _native.Schedule:
        return _native.plan(task, engine, steps, text, seed, observer)

    return observed(progress, call, lambda native: Plan(native, network._labels))


def replan(
    before: Plan,
    faulty: Topology,
    *,
    budget: Budget = None,
    seed: int = 1,
    progress: Progress = None,
) -> Plan:
    """Plan again after faults: repair the plan, unless a new one is shorter. `faulty` is the network after the faults.

    >>> before = plan("mesh:4x4", "all-gather")
    >>> replan(before, before.topology.without(links=["00-01"])).steps
    15
    """
    text = limit(budget)
    task, network = before._native, faulty._native

    def call(observer: _native._Observer) -> tuple[_native.Schedule, bool]:
        return _native.replan(task, network, text, seed, observer)

    return observed(progress, call, lambda replan: Plan(replan[0], faulty._labels or before._labels))


def bounds(
    topology: Any,
    collective: Collective,
    *,
    root: Any = None,
    groups: Iterable[Iterable[Any]] = (),
    chunks: int = 1,
    switching: Switching = "wormhole",
    ports: int | Literal["all"] = "all",
    routing: PathRouting = "minimal",
    scatter: Scatter | None = None,
    duplex: Duplex = "full",
    budget: Budget = "unlimited",
) -> list[Bound]:
    """Return the lower bounds of all rules that apply, best first. The arguments are those of :func:`plan`.

    >>> bounds("mesh:4x4", "all-to-all")[0].steps
    16
    """
    network = as_topology(topology)
    task = problem(network, collective, root, groups, chunks, (switching, ports, routing, scatter, duplex))
    text = limit(budget)
    return [Bound(*row) for row in _native.bounds(task, text)]


def verify(
    topology: Any,
    collective: Collective,
    transfers: Mapping[str, Any],
    *,
    root: Any = None,
    groups: Iterable[Iterable[Any]] = (),
    chunks: int = 1,
    switching: Switching = "wormhole",
    ports: int | Literal["all"] = "all",
    routing: PathRouting = "minimal",
    scatter: Scatter | None = None,
    duplex: Duplex = "full",
) -> Schedule:
    """Verify a schedule of yours. Raise :class:`InvalidSchedule` with the first violation.

    `transfers` has the arrays ``step``, ``message``, ``offsets`` and ``channels`` of :attr:`Schedule.transfers`, in the order of
    the steps. Messages are numbered from 0; those of an all-gather are numbered by their source.

    >>> pair = {"step": [0, 0], "message": [0, 1], "offsets": [0, 1, 2], "channels": [0, 1]}
    >>> verify("mesh:2", "all-gather", pair).steps
    1
    >>> verify("mesh:2", "all-gather", {**pair, "message": [0, 0]})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    lockstep_collectives.InvalidSchedule: step 1, transfer 2, message 0 ('0' to '1'): the sender '1' does not hold ...
    """
    network = as_topology(topology)
    task = problem(network, collective, root, groups, chunks, (switching, ports, routing, scatter, duplex))
    columns = [u32_bytes(transfers[name]) for name in ("step", "message", "offsets", "channels")]
    return Schedule(_native.from_arrays(task, *columns), network._labels)
