"""Networks: families, files, graphs of networkx, matrices, faults."""

import json
import warnings

import networkx
import numpy
import pytest
import scipy.sparse

import lockstep_collectives as lockstep
from lockstep_collectives import FaultError, LockstepWarning, Topology, TopologyError


def test_channels_are_arrays_of_the_network():
    torus = Topology("torus:3x3")
    channels = torus.channels
    assert channels["tail"].shape == channels["head"].shape == (36,)
    assert (channels["capacity"] == 1).all() and (channels["latency"] == 0).all() and channels["works"].all()
    rows = numpy.bincount(channels["tail"], minlength=9)
    assert (rows == 4).all()
    with pytest.raises(ValueError):
        channels["tail"][0] = 1


def test_a_graph_of_networkx_keeps_names_bandwidths_latencies_and_switches():
    graph = networkx.Graph(name="pair")
    graph.add_node("s", switch=True)
    graph.add_edge("a", "s", bandwidth="25GB/s", latency="1us")
    graph.add_edge("s", "b", bandwidth=50e9, latency=2e-6)
    topology = Topology.from_networkx(graph)
    assert (topology.name, topology.node_names, topology.terminals) == ("pair", ["s", "a", "b"], [1, 2])
    assert topology.unit == 25 * 10**9
    assert topology.channels["capacity"].tolist() == [1, 1, 2, 2]
    assert topology.channels["latency"].tolist() == pytest.approx([1e-6, 1e-6, 2e-6, 2e-6])
    back = topology.to_networkx()
    assert not back.is_directed() and back.nodes["s"] == {"switch": True}
    assert back.edges["a", "s"]["bandwidth"] == 25 * 10**9
    assert back.edges["s", "b"]["latency"] == pytest.approx(2e-6)
    assert Topology.from_networkx(back) == topology


@pytest.mark.parametrize("kind", [networkx.DiGraph, networkx.MultiGraph, networkx.MultiDiGraph])
def test_all_kinds_of_graphs_come_back(kind):
    graph = kind([(0, 1), (1, 2), (2, 0), (0, 1)])
    topology = Topology.from_networkx(graph)
    parallel = 4 if graph.is_multigraph() else 3
    assert topology.channel_count == parallel * (1 if graph.is_directed() else 2)
    assert type(topology.to_networkx()) is kind
    assert Topology.from_networkx(topology.to_networkx()) == topology


def test_numbers_are_names_first():
    graph = networkx.path_graph([1, 0, 2])
    faulty = Topology.from_networkx(graph).without(nodes=[1])
    assert faulty.node_names == ["0", "1", "2"] and faulty.failed_nodes == [1]


def server():
    """A switch, a router of another name, and three machines."""
    graph = networkx.Graph(name="server", unit="25GB/s")
    graph.add_node("s", type="switch")
    graph.add_node("t", kind="switch", colour="red")
    for number, terminal in enumerate(["a", "b", "c", "d"]):
        graph.add_node(terminal, role="terminal", host=f"m{number // 2}", pos=numpy.array([number, 0.5]))
        graph.add_edge(terminal, "s", capacity=numpy.int64(2))
        graph.add_edge(terminal, "t", capacity=2.0)
    graph.add_edge("s", "t", resource="bus", weight=float("nan"))
    graph.add_edge("s", "s")
    return graph


def write_node_link(graph, path):
    """Write a node-link file in the way of networkx."""
    with warnings.catch_warnings():
        # Some versions of networkx warn of the name of the list of edges.
        warnings.simplefilter("ignore")
        document = networkx.node_link_data(graph)
    with open(path, "w") as file:
        file.write(json.dumps(document, default=lambda value: value.tolist()).replace("NaN", '"nan"'))


def test_a_graph_of_networkx_is_read_like_its_file():
    graph = server()
    write_node_link(graph, "graph.json")
    with pytest.warns(LockstepWarning) as warned:
        topology = Topology.from_networkx(graph)
    with pytest.warns(LockstepWarning) as expected:
        program = Topology.load("graph.json", format="node-link")
    assert [str(warning.message) for warning in warned] == [str(warning.message) for warning in expected]
    assert {warning.filename for warning in warned} == {__file__}
    assert topology == program and topology.write() == program.write()
    assert (topology.terminal_count, topology.switch_count, topology.unit) == (4, 2, 25 * 10**9)
    assert '"host":"m1"' in topology.write() and '"shared"' in topology.write()
    plans = [lockstep.plan(network, "all-gather") for network in (topology, program)]
    assert plans[0].steps == plans[1].steps


def test_what_is_not_used_is_a_warning():
    graph = networkx.cycle_graph(3)
    networkx.set_edge_attributes(graph, 3, "weight")
    networkx.set_node_attributes(graph, {0: [1, (2, {3: None})], 1: {4: {5}}}, "colour")
    with pytest.warns(LockstepWarning, match="not used: edge weight") as warned:
        Topology.from_networkx(graph)
    assert str(warned[1].message) == "ignored attributes: node colour"


def test_the_names_of_attributes_can_be_chosen():
    graph = networkx.Graph()
    graph.add_edge("a", "s", bw=25e9, delay=1.1e-6)
    graph.nodes["s"]["router"] = 2
    topology = Topology.from_networkx(graph, bandwidth="bw", latency="delay", switch="router", name="pair")
    assert (topology.name, topology.unit, topology.terminals) == ("pair", 25 * 10**9, [0])
    assert topology.channels["latency"].tolist() == pytest.approx([1.1e-6, 1.1e-6])


@pytest.mark.parametrize("make", [numpy.array, scipy.sparse.csr_matrix, scipy.sparse.coo_array])
def test_matrices_are_networks(make):
    topology = Topology.from_matrix(make([[0, 2, 0], [1, 0, 1], [0, 0, 0]]), names=["a", "b", "c"])
    channels = topology.channels
    assert list(zip(channels["tail"].tolist(), channels["head"].tolist())) == [(0, 1), (0, 1), (1, 0), (1, 2)]
    assert topology.node_names == ["a", "b", "c"]


def test_a_matrix_can_have_bandwidths():
    matrix = numpy.array([[0, 2e9], [1e9, 0]])
    topology = Topology.from_matrix(matrix, bandwidths=True)
    assert (topology.unit, topology.channels["capacity"].tolist()) == (10**9, [2, 1])


def test_a_large_sparse_matrix_is_read_at_once():
    count = 100_000
    ring = scipy.sparse.eye_array(count, k=1, format="csr")
    assert Topology.from_matrix(ring).channel_count == count - 1


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[0, 1]], "1 rows and 2 columns"),
        ([[0, -1], [0, 0]], "0 or more"),
        ([[0, 0.5], [0, 0]], "numbers of channels"),
        ([[0, float("nan")], [0, 0]], "0 or more|numbers"),
        ([[0, 1e9], [0, 0]], "bandwidths=True"),
        ([1, 2], "dimensions"),
    ],
)
def test_a_wrong_matrix_is_named(matrix, message):
    with pytest.raises(TopologyError, match=message):
        Topology.from_matrix(numpy.array(matrix))


def test_an_edge_without_bandwidth_is_named():
    graph = networkx.path_graph(3)
    graph.edges[0, 1]["bandwidth"] = 1
    with pytest.raises(TopologyError, match="channel 1->2 has no bandwidth, but channel 0->1 has one"):
        Topology.from_networkx(graph)


@pytest.mark.parametrize("value", [-1, float("nan"), float("inf"), "fast"])
def test_a_wrong_bandwidth_is_named(value):
    graph = networkx.path_graph(2)
    graph.edges[0, 1]["bandwidth"] = value
    with pytest.raises(TopologyError, match="bandwidth|number"):
        Topology.from_networkx(graph)


def test_files_are_read_in_their_format(tmp_path):
    path = tmp_path / "net.edges"
    path.write_text(Topology("hypercube:3").write("edges"))
    assert Topology.load(path) == Topology(str(path)) == Topology.load(path, format="edges")
    cube = networkx.hypercube_graph(3)
    assert networkx.is_isomorphic(Topology.load(path).to_networkx(), cube)
    with pytest.raises(TopologyError, match="no-such-file"):
        Topology.load("no-such-file")
    with pytest.raises(TopologyError, match="there is no format 'x'; choose json, "):
        Topology.load(path, format="x")
    with pytest.raises(TopologyError, match="there is no format 'dto'; did you mean 'dot'"):
        Topology("ring:4").write("dto")


def test_faults_keep_numbers():
    ring = Topology("ring:4")
    faulty = ring.without(links=["0-1"], channels=[(1, 2)])
    assert (faulty.node_count, faulty.channel_count) == (4, 5)
    assert len(faulty.channels["tail"]) == 8
    assert (~faulty.channels["works"]).sum() == 3
    assert faulty.to_networkx().is_directed()
    with pytest.raises(FaultError, match="0|2"):
        ring.without(links=[(0, 2)])


def test_pictures_and_texts():
    ring = Topology("ring:4")
    assert ring.to_svg().startswith("<svg") and ring._repr_svg_() == ring.to_svg()
    assert repr(ring) == "<Topology ring:4: 4 nodes, 8 channels>"
    assert len({ring, Topology("ring:4"), Topology("ring:5")}) == 2


def test_a_network_card_fails_with_its_links():
    servers = lockstep.Topology("dgx-a100:2")
    assert servers.without(nics="g0_3") == servers.without(links=["g0_3-R3"])
    assert servers.without(nics=["g0_3", "g1_0"]) == servers.without(links=["g0_3-R3", "g1_0-R0"])
    with pytest.raises(lockstep.FaultError, match="has no network card"):
        lockstep.Topology("ring:4").without(nics="0")
