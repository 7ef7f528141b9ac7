"""Networks."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Union

from . import _native
from ._arrays import to_arrays, u32_bytes, u64_bytes
from ._frames import channel_frame
from ._labels import Labels, is_label, labels_of, node_texts
from ._measured import Fit, fitted
from ._networkx import node_link, to_graph
from ._quantities import bandwidth_bytes, latency_picoseconds
from ._warnings import warn
from .typing import Measurements, NetworkFormat, TransferKind, WrittenFormat

if TYPE_CHECKING:
    import networkx
    import numpy
    import pandas

Faults = Iterable[Union[str, "tuple[Any, Any]"]]


class Topology:
    """A network: terminals, switches and directed channels.

    ``Topology(spec)`` generates a network of a family, or reads a file; `unit` is the bandwidth of one unit of capacity. A network
    does not change. Its length is the number of its nodes, and it iterates over them.

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

    __slots__ = ("_native", "_labels")

    def __init__(self, spec: str, *, unit: str | None = None) -> None:
        self._native = told(_native.Network.parse(spec, unit))
        self._labels: Labels = None

    @classmethod
    def _of(cls, native: _native.Network, labels: Labels = None) -> Topology:
        topology = cls.__new__(cls)
        topology._native = native
        topology._labels = labels
        return topology

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, format: NetworkFormat | None = None, unit: str | None = None
    ) -> Topology:
        """Read a file in any supported format; its extension and its text tell the format.

        >>> with open("ring.edges", "w") as file:
        ...     _ = file.write("a b\\nb c\\nc a\\n")
        >>> Topology.load("ring.edges").node_names
        ['a', 'b', 'c']
        """
        return cls._of(told(_native.Network.load(os.fspath(path), format, unit)))

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
        the numbers of the nodes, and otherwise nodes keep their order. :attr:`nodes`, frames and :meth:`to_networkx` have the
        labels themselves. What is not used is a :class:`LockstepWarning`.

        >>> import networkx
        >>> graph = networkx.cycle_graph(4)
        >>> networkx.set_edge_attributes(graph, "25GB/s", "bandwidth")
        >>> Topology.from_networkx(graph).unit
        25000000000
        >>> grid = Topology.from_networkx(networkx.grid_2d_graph(2, 2))
        >>> grid.nodes, grid.without(links=[((0, 0), (0, 1))]).channel_count
        ([(0, 0), (0, 1), (1, 0), (1, 1)], 6)
        """
        own_name = name or str(graph.name or "graph")
        native = told(_native.Network.from_node_link(node_link(graph, own_name, bandwidth, latency, switch), own_name))
        return cls._of(native, labels_of(graph.nodes, native.node_names))

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
        labels = list(range(shape[0])) if names is None else list(names)
        if len(labels) != shape[0]:
            raise _native.TopologyError(f"{len(labels)} names for {shape[0]} nodes; give one per node")
        own_names = [str(label) for label in labels]
        rates = u64_bytes(whole) if bandwidths else b""
        ends = u32_bytes(tails), u32_bytes(heads)
        native = _native.Network.build(name, own_names, [True] * shape[0], *ends, rates, b"")
        return cls._of(native, None if names is None else labels_of(labels, own_names))

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
    def nodes(self) -> list[Any]:
        """All nodes in the order of their numbers: the labels of a graph of networkx, otherwise the names.

        >>> Topology("mesh:2x2").nodes
        ['00', '01', '10', '11']
        """
        return self.node_names if self._labels is None else list(self._labels)

    @property
    def edges(self) -> list[tuple[Any, Any]]:
        """Tail and head of each channel that works, in the order of their numbers. A full-duplex link is two channels.

        >>> Topology("mesh:3").edges
        [('0', '1'), ('1', '2'), ('1', '0'), ('2', '1')]
        """
        nodes, columns = self.nodes, self._native.channels()
        tails, heads = (memoryview(columns[name][1]).cast("I") for name in ("tail", "head"))
        works = memoryview(columns["works"][1]).cast("?")
        return [(nodes[tail], nodes[head]) for tail, head, works in zip(tails, heads, works) if works]

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

    def without(self, *, links: Faults = (), channels: Faults = (), nodes: Any = (), nics: Any = ()) -> Topology:
        """Return the network after faults. Nodes and channels keep their numbers.

        A link is a pair of nodes or a text such as ``0-1``; a channel is a pair or a text such as ``0->1``. `nodes` is one node or
        several ones, by label, name or number. `nics` are nodes whose network cards fail: their links to other hosts.

        >>> Topology("dgx-a100:2").without(nics="g0_3").name
        'dgx-a100:2 without link g0_3-R3'
        >>> Topology("ring:4").without(links=[(0, 1)], nodes=["3"]).channel_count
        2
        """
        parts = node_texts(self._labels, nodes), node_texts(self._labels, nics)
        native = self._native.without((fault_pairs(links), fault_pairs(channels), *parts))
        return Topology._of(native, self._labels)

    def with_times(self, unit: str | float, latency: str | float = 0) -> Topology:
        """Return the network with a bandwidth of one unit of capacity, and a latency of all channels.

        >>> Topology("ring:4").with_times("25GB/s", "1us").unit
        25000000000
        """
        native = self._native.with_times(bandwidth_bytes(unit), latency_picoseconds(latency))
        return Topology._of(native, self._labels)

    def fit(
        self,
        measurements: Measurements,
        *,
        kind: TransferKind | None = None,
        ranks: Any = None,
        rate_unit: str | None = None,
    ) -> Fit:
        """Return the network with the bandwidths and latencies that measurements show, and the links that are slow.

        `measurements` are files with outputs of benchmarks such as nvbandwidth or nccl-tests, their texts, or frames of pandas with
        the columns ``from``, ``to``, and ``bytes_per_second``, ``GB/s`` or ``time_us``: one of them, or several. A text has a line
        break; any other string is a path. `kind` is what moves the data: ``kernel``, ``message`` or ``copy``. `ranks` are the
        terminals of the measured devices in their order, without it all terminals. `rate_unit` replaces the unit of the rates in
        the files, such as ``1MiB/s``. What a reader left out or assumed is a :class:`LockstepWarning`, and a measurement that does
        not fit the network is a :class:`MeasurementError`.

        >>> rates = "from,to,GB/s\\n0,1,24.9\\n1,0,25.1\\n1,2,25\\n2,1,15\\n0,2,25\\n2,0,25\\n"
        >>> fit = Topology("ring:3").fit(rates)
        >>> fit.classes[0].bandwidth, [link.name for link in fit.slow_links]
        (25000000000, ['2->1'])
        >>> fit.topology.unit is not None
        True
        """
        texts = node_texts(self._labels, ranks)
        native, classes, slow_links = fitted(self._native, measurements, kind, texts, rate_unit)
        return Fit(Topology._of(native, self._labels), classes, slow_links)

    def half_duplex(self) -> Topology:
        """Return the network in which the two channels of a link share one wire."""
        return Topology._of(self._native.half_duplex(), self._labels)

    def to_networkx(
        self, *, bandwidth: str = "bandwidth", latency: str = "latency", switch: str = "switch"
    ) -> networkx.Graph[Any]:
        """Return the working network as a graph of networkx, with bandwidths in bytes per second and latencies in seconds.

        The graph is undirected if each channel has an opposite one with the same bandwidth and latency, and a multigraph if
        channels are parallel. Without bandwidths, edges have their ``capacity``. Nodes are those of :attr:`nodes`.

        >>> graph = Topology("ring:4").to_networkx()
        >>> graph.is_directed(), sorted(graph.edges)
        (False, [('0', '1'), ('0', '3'), ('1', '2'), ('2', '3')])
        """
        return to_graph(self, bandwidth, latency, switch)

    def to_pandas(self) -> pandas.DataFrame:
        """Return the channels as a frame, indexed by their numbers: tail, head, capacity, bandwidth, latency and works.

        Bandwidths are in bytes per second, and missing if the network has none; latencies are in seconds.

        >>> Topology("ring:3").to_pandas().loc[0, ["tail", "head"]].tolist()
        ['0', '1']
        """
        return channel_frame(self)

    def write(self, format: WrittenFormat = "json") -> str:
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

    def __len__(self) -> int:
        return self.node_count

    def __iter__(self) -> Iterator[Any]:
        return iter(self.nodes)

    def __contains__(self, node: object) -> bool:
        """Return true for a label or a name of a node."""
        return is_label(self._labels, node) or node in self.node_names

    def __eq__(self, other: object) -> bool:
        """Compare nodes, channels in their order, capacities, bandwidths, latencies and failures, but not names."""
        return isinstance(other, Topology) and self._native.equals(other._native)

    def __hash__(self) -> int:
        return hash(tuple(self._native.digest))

    def __copy__(self) -> Topology:
        return self

    def __deepcopy__(self, _: dict[int, Any]) -> Topology:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.write("json"), self._labels)


def _restored(text: str, labels: Labels) -> Topology:
    """Return a network that was pickled."""
    return Topology._of(_native.Network.from_json(text), labels)


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


def fault_pairs(faults: Faults) -> list[tuple[str, str | None]]:
    """Return links or channels as pairs of texts, or as one text without a second one."""
    if isinstance(faults, str):
        faults = [faults]
    return [(fault, None) if isinstance(fault, str) else (str(fault[0]), str(fault[1])) for fault in faults]


def told(read: tuple[_native.Network, list[str]]) -> _native.Network:
    """Return a network that was read, and warn of the notes of its reader."""
    network, notes = read
    warn(notes, 2)
    return network
