"""Networks."""

from __future__ import annotations

import json
import math
import os
import warnings
from typing import TYPE_CHECKING, Any, Iterable, Literal, Union

from . import _native
from ._arrays import texts, to_arrays, u32_bytes, u64_bytes

if TYPE_CHECKING:
    import networkx
    import numpy

Faults = Iterable[Union[str, "tuple[Any, Any]"]]


class LockstepWarning(UserWarning):
    """What the reader of a network has ignored, left out or assumed."""


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
        self._native = _told(_native.Network.parse(spec, unit))

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
        return cls._of(_told(_native.Network.load(os.fspath(path), format, unit)))

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

        The graph is read like a node-link file of networkx: the attributes ``capacity``, ``bandwidth``, ``latency`` and
        ``resource`` of edges count, and ``switch``, ``terminal``, ``type``, ``kind``, ``role``, ``routes``, ``failed``, ``host``
        and ``pos`` of nodes. A bandwidth is in bytes per second or a text such as ``25GB/s``, and a latency in seconds or a text
        such as ``1us``. `bandwidth`, `latency` and `switch` are the names of these attributes in the graph. A node whose
        `switch` is true only forwards. The names of nodes are the texts of their labels; if these are ``0`` to ``N-1``, they are
        the numbers of the nodes, and otherwise nodes keep their order. What is not used is a :class:`LockstepWarning`.

        >>> import networkx
        >>> graph = networkx.cycle_graph(4)
        >>> networkx.set_edge_attributes(graph, "25GB/s", "bandwidth")
        >>> Topology.from_networkx(graph).unit
        25000000000
        """
        own_name = name or str(graph.name or "graph")
        attributes = {**graph.graph, "name": own_name}
        document = {
            "directed": graph.is_directed(),
            "multigraph": True,
            "graph": {str(key): _value(value) for key, value in attributes.items()},
            "nodes": [_node(label, data, switch) for label, data in graph.nodes(data=True)],
            "edges": [_edge(*edge, bandwidth, latency) for edge in graph.edges(data=True)],
        }
        text = json.dumps(document, default=_plain)
        return cls._of(_told(_native.Network.from_node_link(text, own_name)))

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


def _told(read: tuple[_native.Network, list[str]]) -> _native.Network:
    """Return a network that was read, and warn of the notes of its reader."""
    network, notes = read
    for note in notes:
        warnings.warn(note, LockstepWarning, stacklevel=3)
    return network


def _node(label: Any, data: dict[Any, Any], switch: str) -> dict[str, Any]:
    """Return a node of a graph of networkx as an object of a node-link file."""
    node = {str(key): _value(value) for key, value in data.items() if key not in (switch, "switch")}
    if data.get(switch) is not None:
        node["switch"] = _value(data[switch]) if isinstance(data[switch], str) else bool(data[switch])
    return {**node, "id": str(label)}


def _edge(one: Any, other: Any, data: dict[Any, Any], bandwidth: str, latency: str) -> dict[str, Any]:
    """Return an edge of a graph of networkx as an object of a node-link file."""
    renamed = (bandwidth, "bandwidth", latency, "latency")
    edge = {str(key): _value(value) for key, value in data.items() if key not in renamed}
    if data.get(bandwidth) is not None:
        edge["bandwidth"] = f"{_bandwidth(data[bandwidth])}B/s"
    if data.get(latency) is not None:
        edge["latency"] = f"{_latency(data[latency])}ps"
    return {**edge, "source": str(one), "target": str(other)}


def _value(value: Any) -> Any:
    """Return the value of an attribute, if JSON has it, and its text otherwise."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {str(key): _value(inner) for key, inner in value.items()}
    return [_value(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def _plain(value: Any) -> Any:
    """Return an object that JSON does not have as one that it has: numbers and arrays of numpy as those of Python."""
    return _value(value.tolist()) if hasattr(value, "tolist") else str(value)
