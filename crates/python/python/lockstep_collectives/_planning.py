"""Planning, lower bounds and verification."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, NamedTuple, Union

from . import _native
from ._arrays import texts, u32_bytes
from ._progress import Progress, observed
from ._schedule import Plan, Schedule
from ._topology import Topology, as_topology

Collective = Union[str, Iterable["tuple[Any, Iterable[Any]]"]]


class Bound(NamedTuple):
    """A lower bound on the number of steps, with the rule that proves it and its certificate in words."""

    steps: int
    rule: str
    explanation: str


def problem(
    topology: Any,
    collective: Collective,
    root: Any,
    groups: Iterable[Iterable[Any]],
    chunks: int,
    model: tuple[str, int | str, str, str | None, str],
) -> _native.Problem:
    """Return a problem: the network, the messages and the model."""
    switching, ports, routing, scatter, duplex = model
    network = as_topology(topology)
    if duplex == "half":
        network = network.half_duplex()
    elif duplex != "full":
        raise _native.ProblemError(f"duplex: found '{duplex}', expected 'full' or 'half'")
    if isinstance(collective, str):
        name, messages = collective, []
    else:
        name, messages = None, [(str(source), texts(receivers)) for source, receivers in collective]
    grouped = [texts(group) for group in groups]
    words = [switching, str(ports), routing, scatter or ""]
    return _native.Problem(network._native, name, messages, texts(root), grouped, chunks, words)


def plan(
    topology: Any,
    collective: Collective,
    *,
    root: Any = None,
    groups: Iterable[Iterable[Any]] = (),
    chunks: int = 1,
    switching: str = "wormhole",
    ports: int | str = "all",
    routing: str = "minimal",
    scatter: str | None = None,
    duplex: str = "full",
    engine: str | None = None,
    steps: int | None = None,
    budget: int | str | None = None,
    seed: int = 1,
    progress: Progress = None,
) -> Plan:
    """Find a schedule with as few steps as possible, verify it, and prove a lower bound.

    `topology` is a :class:`Topology`, a spec, a file name or a graph of networkx. `collective` is ``broadcast``, ``scatter``,
    ``all-gather``, ``all-to-all``, ``gather``, ``reduce``, ``reduce-scatter``, ``all-reduce``, or a list of messages, each a
    source with its receivers. Nodes are names or numbers. The default `root` is the first terminal.

    `switching` is ``wormhole`` or ``store-and-forward``, `ports` a number or ``all``, `routing` ``minimal`` or ``any``,
    `scatter` ``direct`` or ``relay``, `duplex` ``full`` or ``half``. `chunks` splits each message. The search ends at `steps`
    steps, or at the `budget`: a number of evaluations, a time such as ``30s``, or ``unlimited``.

    With ``progress=True``, a line on standard error shows the progress; a callable receives each event as a dictionary.
    ``KeyboardInterrupt`` ends the call within a second.

    >>> plan("mesh:4x4", "all-to-all")
    <Plan of all-to-all on mesh:4x4: 16 steps, optimal>
    >>> plan("ring:4", [(0, [1, 2]), (3, [1])]).steps
    2
    >>> plan("mesh:4x4", "all-to-some")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    lockstep_collectives.ProblemError: unknown collective 'all-to-some'; expected one of broadcast, scatter, ...
    """
    task = problem(topology, collective, root, groups, chunks, (switching, ports, routing, scatter, duplex))
    limit = None if budget is None else str(budget)
    return Plan(observed(progress, lambda observer: _native.plan(task, engine, steps, limit, seed, observer)))


def replan(
    before: Plan,
    faulty: Topology,
    *,
    budget: int | str | None = None,
    seed: int = 1,
    progress: Progress = None,
) -> Plan:
    """Plan again after faults: repair the plan, unless a new one is shorter. `faulty` is the network after the faults.

    >>> before = plan("mesh:4x4", "all-gather")
    >>> replan(before, before.topology.without(links=["00-01"])).steps
    15
    """
    limit = None if budget is None else str(budget)
    task, network = before._native, faulty._native
    return Plan(observed(progress, lambda observer: _native.replan(task, network, limit, seed, observer)[0]))


def bounds(
    topology: Any,
    collective: Collective,
    *,
    root: Any = None,
    groups: Iterable[Iterable[Any]] = (),
    chunks: int = 1,
    switching: str = "wormhole",
    ports: int | str = "all",
    routing: str = "minimal",
    scatter: str | None = None,
    duplex: str = "full",
    budget: int | str | None = "unlimited",
) -> list[Bound]:
    """Return the lower bounds of all rules that apply, best first. The arguments are those of :func:`plan`.

    >>> bounds("mesh:4x4", "all-to-all")[0].steps
    16
    """
    task = problem(topology, collective, root, groups, chunks, (switching, ports, routing, scatter, duplex))
    limit = None if budget is None else str(budget)
    return [Bound(*row) for row in _native.bounds(task, limit)]


def verify(
    topology: Any,
    collective: Collective,
    transfers: Mapping[str, Any],
    *,
    root: Any = None,
    groups: Iterable[Iterable[Any]] = (),
    chunks: int = 1,
    switching: str = "wormhole",
    ports: int | str = "all",
    routing: str = "minimal",
    scatter: str | None = None,
    duplex: str = "full",
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
    task = problem(topology, collective, root, groups, chunks, (switching, ports, routing, scatter, duplex))
    columns = [u32_bytes(transfers[name]) for name in ("step", "message", "offsets", "channels")]
    return Schedule(_native.from_arrays(task, *columns))
