"""Graphs of networkx, read and made."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Literal

from ._quantities import bandwidth_bytes, latency_picoseconds

if TYPE_CHECKING:
    import networkx

    from ._topology import Topology


def node_link(graph: networkx.Graph[Any], name: str, bandwidth: str, latency: str, switch: str) -> str:
    """Return a graph as the text of a node-link file. `bandwidth`, `latency` and `switch` are names of attributes."""
    attributes = {**graph.graph, "name": name}
    document = {
        "directed": graph.is_directed(),
        "multigraph": True,
        "graph": {str(key): _value(value) for key, value in attributes.items()},
        "nodes": [_node(label, data, switch) for label, data in graph.nodes(data=True)],
        "edges": [_edge(*edge, bandwidth, latency) for edge in graph.edges(data=True)],
    }
    return json.dumps(document, default=_plain)


def to_graph(topology: Topology, bandwidth: str, latency: str, switch: str) -> networkx.Graph[Any]:
    """Return the working part of a network as a graph, see :meth:`Topology.to_networkx`."""
    import networkx

    labels, failed, native = topology.nodes, set(topology.failed_nodes), topology._native
    columns = native.channels()
    rows = zip(*(memoryview(columns[name][1]).cast(code) for name, code in _CHANNEL_CODES))
    edges = [(tail, head, capacity, ps) for tail, head, capacity, ps, works in rows if works]
    undirected = sorted(edges) == sorted((head, tail, capacity, ps) for tail, head, capacity, ps in edges)
    if undirected:
        edges = [edge for edge in edges if edge[0] < edge[1]]
    parallel = len({edge[:2] for edge in edges}) < len(edges)
    kinds = {(True, False): "Graph", (True, True): "MultiGraph", (False, False): "DiGraph", (False, True): "MultiDiGraph"}
    graph: networkx.Graph[Any] = getattr(networkx, kinds[undirected, parallel])(name=topology.name)
    terminals = set(topology.terminals)
    for number, label in enumerate(labels):
        if number not in failed:
            graph.add_node(label, **({} if number in terminals else {switch: True}))
    for tail, head, capacity, picoseconds in edges:
        rate = {"capacity": capacity} if topology.unit is None else {bandwidth: capacity * topology.unit}
        if native.has_latencies():
            rate[latency] = picoseconds * 1e-12
        graph.add_edge(labels[tail], labels[head], **rate)
    return graph


_CHANNEL_CODES: list[tuple[str, Literal["I", "Q", "?"]]] = [
    ("tail", "I"),
    ("head", "I"),
    ("capacity", "I"),
    ("latency_ps", "Q"),
    ("works", "?"),
]


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
        edge["bandwidth"] = f"{bandwidth_bytes(data[bandwidth])}B/s"
    if data.get(latency) is not None:
        edge["latency"] = f"{latency_picoseconds(data[latency])}ps"
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
