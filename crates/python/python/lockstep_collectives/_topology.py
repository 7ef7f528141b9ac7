"""Networks."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Iterable, Literal, Union

from . import _native
from ._arrays import texts, to_arrays, u32_bytes, u64_bytes

if TYPE_CHECKING:
    import networkx
    import numpy

Faults = Iterable[Union[str, "tuple[Any, Any]"]]


class Topology:
    """A network: terminals, switches and directed channels.

    ``Topology(spec)`` generates a network of a family, or reads a file; `unit` is the bandwidth of one unit of capacity.

    >>> torus = Topology("torus:4x4")
    >>> torus.node_count, torus.channel_count
    (16, 64)
    >>> Topology("dgx-1").terminal_count
    8
    >>> Topology("torus:0x4")
    Traceback (most recent call last):
        ...
    lockstep_collectives.TopologyError: the length of a side is 0, but torus needs 1 or more; try torus:1x4
    """

    __slots__ = ("_native",)

    def __init__(self, spec: str, *, unit: str | None = None) -> None:
        self._native = _native.Network.parse(spec, unit)

    @classmethod
    def _of(cls, native: _native.Network) -> Topology:
        topology = cls.__new__(cls)
        topology._native = native
        return topology

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, format: str | None = None, unit: str | None = None) -> Topology:
        """Read a file in any supported format; its extension and its text tell the format.

        >>> with open("ring.edges", "w") as file:
        ...     _ = file.write("a b\\nb c\\nc a\\n")
        >>> Topology.load("ring.edges").node_names
        ['a', 'b', 'c']
        """
        return cls._of(_native.Network.load(os.fspath(path), format, unit))

    @classmethod
    def from_networkx(
        cls,
        graph: networkx.Graph[Any],
        *,
        bandwidth: str = "bandwidth",
        latency: str = "latency",
        switch: str = "switch",
        name: str | None = None,
    ) -> Topology:
        """Return the network of a graph of networkx: edges are links, and directed edges are channels.

        `bandwidth` and `latency` name attributes of edges: a bandwidth in bytes per second or as a text such as ``25GB/s``,
        and a latency in seconds or as a text such as ``1us``. `switch` names an attribute of nodes; a node with a true value
        only forwards. Nodes keep their order, and their names are the texts of their labels.

        >>> import networkx
        >>> graph = networkx.cycle_graph(4)
        >>> networkx.set_edge_attributes(graph, "25GB/s", "bandwidth")
        >>> Topology.from_networkx(graph).unit
        25000000000
        """
        numbers = {node: number for number, node in enumerate(graph.nodes)}
        edges = list(graph.edges(data=True))
        both = not graph.is_directed()
        ends = [(numbers[one], numbers[other]) for one, other, _ in edges]
        if both:
            ends = [pair for one, other in ends for pair in ((one, other), (other, one))]
        bandwidths = _edge_values(edges, bandwidth, _bandwidth, both)
        latencies = _edge_values(edges, latency, _latency, both)
        native = _native.Network.build(
            name or str(graph.name or "graph"),
            [str(node) for node in graph.nodes],
            [not attributes.get(switch) for _, attributes in graph.nodes(data=True)],
            u32_bytes([tail for tail, _ in ends]),
            u32_bytes([head for _, head in ends]),
            u64_bytes(bandwidths),
            u64_bytes(latencies),
        )
        return cls._of(native)

    @classmethod
    def from_matrix(
        cls,
        matrix: Any,
        *,
        names: Iterable[Any] | None = None,
        bandwidths: bool = False,
        name: str = "matrix",
    ) -> Topology:
        """Return the network of a square matrix of numpy or scipy: entry ``[u, v]`` above 0 is a channel from u to v.

        With `bandwidths`, the entries are bandwidths in bytes per second. Otherwise, they are numbers of parallel channels.

        >>> import numpy
        >>> Topology.from_matrix(numpy.ones((4, 4)) - numpy.eye(4)).channel_count
        12
        """
        import numpy

        sparse = matrix.tocoo() if hasattr(matrix, "tocoo") else None
        if sparse is None:
            dense = numpy.asarray(matrix)
            if dense.ndim != 2:
                raise _native.TopologyError(f"the matrix has {dense.ndim} dimensions, expected 2")
            tails, heads = numpy.nonzero(dense)
            values, shape = dense[tails, heads], dense.shape
        else:
            order = numpy.lexsort((sparse.col, sparse.row))
            tails, heads, values = sparse.row[order], sparse.col[order], sparse.data[order]
            kept = values != 0
            tails, heads, values, shape = tails[kept], heads[kept], values[kept], sparse.shape
        if shape[0] != shape[1]:
            raise _native.TopologyError(f"the matrix has {shape[0]} rows and {shape[1]} columns, expected a square")
        if values.dtype == bool:
            values = values.astype(numpy.uint64)
        whole = numpy.rint(values)
        if (values < 0).any() or (not bandwidths and (whole != values).any()) or (values >= 2.0**53).any():
            kind = "bandwidths in bytes per second" if bandwidths else "numbers of channels"
            raise _native.TopologyError(f"the entries of the matrix must be {kind}, 0 or more")
        whole = whole.astype(numpy.int64)
        if not bandwidths:
            if int(whole.sum()) > 2**26:
                raise _native.TopologyError("the matrix has more than 2^26 channels; with bandwidths, give bandwidths=True")
            tails, heads = numpy.repeat(tails, whole), numpy.repeat(heads, whole)
        names = [str(number) for number in range(shape[0])] if names is None else texts(names)
        if len(names) != shape[0]:
            raise _native.TopologyError(f"{len(names)} names for {shape[0]} nodes; give one per node")
        rates = u64_bytes(whole) if bandwidths else b""
        native = _native.Network.build(name, names, [True] * shape[0], u32_bytes(tails), u32_bytes(heads), rates, b"")
        return cls._of(native)

    @property
    def name(self) -> str:
        """Name of the network."""
        return self._native.name

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return self._native.counts[0]

    @property
    def channel_count(self) -> int:
        """Number of channels that work; a full-duplex link is two channels."""
        return self._native.counts[1]

    @property
    def terminal_count(self) -> int:
        """Number of terminals: nodes that send, receive and hold messages."""
        return self._native.counts[2]

    @property
    def switch_count(self) -> int:
        """Number of switches: nodes that only forward."""
        return self._native.counts[3]

    @property
    def node_names(self) -> list[str]:
        """Names of all nodes, in the order of their numbers."""
        return self._native.node_names

    @property
    def terminals(self) -> list[int]:
        """Numbers of the terminals, ascending."""
        return self._native.terminals

    @property
    def failed_nodes(self) -> list[int]:
        """Numbers of the failed nodes, ascending."""
        return self._native.failed_nodes

    @property
    def unit(self) -> int | None:
        """Bandwidth of one unit of capacity in bytes per second, if the network has bandwidths."""
        return self._native.unit

    @property
    def channels(self) -> dict[str, numpy.ndarray]:
        """Channels as read-only arrays, indexed by the number of the channel.

        ``tail`` and ``head`` are numbers of nodes, ``capacity`` is the number of transfers per step, ``latency`` is in
        seconds, and ``works`` is false for failed channels.

        >>> Topology("ring:3").channels["tail"].tolist()
        [0, 0, 1, 1, 2, 2]
        """
        arrays = to_arrays(self._native.channels())
        arrays["latency"] = arrays.pop("latency_ps") * 1e-12
        arrays["latency"].flags.writeable = False
        return arrays

    def without(self, *, links: Faults = (), channels: Faults = (), nodes: Iterable[Any] = ()) -> Topology:
        """Return the network after faults. Nodes and channels keep their numbers.

        A link is a pair of nodes or a text such as ``0-1``; a channel is a pair or a text such as ``0->1``.

        >>> Topology("ring:4").without(links=[(0, 1)], nodes=["3"]).channel_count
        2
        """
        named = [str(node) for node in nodes]
        return Topology._of(self._native.without(_pairs(links), _pairs(channels), named))

    def with_times(self, unit: str | int, latency: str | float = 0) -> Topology:
        """Return the network with a bandwidth of one unit of capacity, and a latency of all channels.

        >>> Topology("ring:4").with_times("25GB/s", "1us").unit
        25000000000
        """
        return Topology._of(self._native.with_times(_bandwidth(unit), _latency(latency)))

    def half_duplex(self) -> Topology:
        """Return the network in which the two channels of a link share one wire."""
        return Topology._of(self._native.half_duplex())

    def to_networkx(self, *, bandwidth: str = "bandwidth", latency: str = "latency", switch: str = "switch") -> Any:
        """Return the working network as a graph of networkx, with bandwidths in bytes per second and latencies in seconds.

        The graph is undirected if each channel has an opposite one with the same bandwidth and latency, and a multigraph if
        channels are parallel. Without bandwidths, edges have their ``capacity``.

        >>> graph = Topology("ring:4").to_networkx()
        >>> graph.is_directed(), sorted(graph.edges)
        (False, [('0', '1'), ('0', '3'), ('1', '2'), ('2', '3')])
        """
        import networkx

        names, failed, native = self.node_names, set(self.failed_nodes), self._native.channels()
        rows = zip(*(memoryview(native[column][1]).cast(code) for column, code in _CHANNEL_CODES))
        edges = [(tail, head, capacity, ps) for tail, head, capacity, ps, works in rows if works]
        undirected = sorted(edges) == sorted((head, tail, capacity, ps) for tail, head, capacity, ps in edges)
        if undirected:
            edges = [edge for edge in edges if edge[0] < edge[1]]
        parallel = len({edge[:2] for edge in edges}) < len(edges)
        kinds = {(True, False): "Graph", (True, True): "MultiGraph", (False, False): "DiGraph", (False, True): "MultiDiGraph"}
        graph = getattr(networkx, kinds[undirected, parallel])(name=self.name)
        terminals = set(self.terminals)
        for number, node in enumerate(names):
            if number not in failed:
                graph.add_node(node, **({} if number in terminals else {switch: True}))
        for tail, head, capacity, picoseconds in edges:
            rate = {"capacity": capacity} if self.unit is None else {bandwidth: capacity * self.unit}
            if self._native.has_latencies():
                rate[latency] = picoseconds * 1e-12
            graph.add_edge(names[tail], names[head], **rate)
        return graph

    def write(self, format: str = "json") -> str:
        """Return the network as the text of a file: ``json``, ``edges``, ``dot``, ``graphml`` or ``node-link``.

        >>> print(Topology("mesh:2").write("edges").splitlines()[-1])
        0 1
        """
        return self._native.write(format)

    def to_svg(self) -> str:
        """Return a drawing of the network."""
        return self._native.svg()

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def __repr__(self) -> str:
        nodes, channels, _, switches = self._native.counts
        words = f"{nodes} nodes, {switches} of them switches" if switches else f"{nodes} nodes"
        return f"<Topology {self.name}: {words}, {channels} channels>"

    def __eq__(self, other: object) -> bool:
        """Compare nodes, channels in their order, capacities and failures, but not names."""
        return isinstance(other, Topology) and self._native.digest == other._native.digest

    def __hash__(self) -> int:
        return hash(tuple(self._native.digest))


_CHANNEL_CODES: list[tuple[str, Literal["I", "Q", "?"]]] = [("tail", "I"), ("head", "I"), ("capacity", "I"), ("latency_ps", "Q"), ("works", "?")]


def as_topology(network: Any) -> Topology:
    """Return a network from a :class:`Topology`, a spec or the name of a file, or a graph of networkx."""
    if isinstance(network, Topology):
        return network
    if isinstance(network, (str, os.PathLike)):
        return Topology(os.fspath(network))
    if hasattr(network, "edges") and hasattr(network, "is_directed"):
        return Topology.from_networkx(network)
    kind = type(network).__name__
    raise TypeError(f"expected a Topology, a spec such as 'mesh:4x4' or a graph of networkx, found {kind}")


def _pairs(faults: Faults) -> list[tuple[str, str | None]]:
    """Return links or channels as pairs of texts, or as one text without a second one."""
    if isinstance(faults, str):
        faults = [faults]
    return [(fault, None) if isinstance(fault, str) else (str(fault[0]), str(fault[1])) for fault in faults]


def _bandwidth(value: Any) -> int:
    return _native.bandwidth(value) if isinstance(value, str) else _whole(value, "bandwidth", 1)


def _latency(value: Any) -> int:
    return _native.time(value) if isinstance(value, str) else _whole(value, "latency", 10**12)


def _whole(value: Any, what: str, factor: int) -> int:
    number = float(value) * factor
    if not 0 <= number < 2.0**63:
        raise _native.TopologyError(f"{what}: found {value}, expected a number from 0")
    return round(number)


def _edge_values(edges: list[Any], attribute: str, parse: Any, both: bool) -> list[int]:
    """Return the values of an attribute of all edges, twice for links; an empty list if no edge has it."""
    found = [data.get(attribute) for _, _, data in edges]
    if all(value is None for value in found):
        return []
    for (one, other, _), value in zip(edges, found):
        if value is None:
            raise _native.TopologyError(f"edge {one}-{other} has no '{attribute}'; give it to all edges, or to none")
    return [number for value in found for number in [parse(value)] * (2 if both else 1)]
