"""Objects of the package as other objects of Python: equality, hashes, copies, pickles and processes."""

import copy
import multiprocessing
import pickle
import re
from concurrent.futures import ProcessPoolExecutor

import networkx
import pytest

import lockstep_collectives as lockstep
from lockstep_collectives import Topology


def faulty_server():
    """A network with all that a file can store: bandwidths, latencies, hosts, shared channels and failures."""
    server = Topology("dgx-a100:2").with_times("25GB/s", "1us").half_duplex()
    link = server.edges[0]
    return server.without(links=[link], nodes=[server.nodes[-1]])


def grid_plan():
    return lockstep.plan(networkx.grid_2d_graph(2, 3), "all-gather", seed=3)


MAKERS = {
    "ring": lambda: Topology("ring:5"),
    "server": faulty_server,
    "grid": lambda: Topology.from_networkx(networkx.grid_2d_graph(2, 3)),
    "matrix": lambda: Topology.from_matrix(networkx.to_numpy_array(networkx.cycle_graph(3)), names=[(1,), 2.5, "c"]),
    "plan": grid_plan,
    "rooted": lambda: lockstep.plan("mesh:3x3", "reduce", root=4, chunks=2, switching="store-and-forward"),
    "listed": lambda: lockstep.plan("ring:5", [(0, [1, 4]), (2, [3])]),
    "schedule": lambda: lockstep.verify("mesh:2x3", "all-gather", lockstep.plan("mesh:2x3", "all-gather").transfers),
    "front": lambda: lockstep.front("dgx-1", "all-gather", sizes="1KiB..1MiB", switching="store-and-forward", budget=20),
    "asynchronous": lambda: lockstep.front(
        networkx.grid_2d_graph(2, 2), "all-reduce", sizes="1KiB..1MiB", unit="1GB/s", asynchronous=True, max_chunks=2, budget=20
    ),
}


def state(value):
    """Return all that users can see of an object."""
    if isinstance(value, Topology):
        return value.write(), value.nodes, value.name, value.unit
    if isinstance(value, lockstep.Front):
        times = value.time(lockstep.sizes(value.sizes))
        return value.sizes, value.clock, value.is_cut_short, times, [(state(plan.schedule), plan.engine) for plan in value]
    return type(value), value._native.json(), value.topology.nodes


@pytest.mark.parametrize("name", MAKERS)
def test_an_object_comes_back_from_its_pickle(name):
    value = MAKERS[name]()
    for protocol in (2, pickle.HIGHEST_PROTOCOL):
        again = pickle.loads(pickle.dumps(value, protocol))
        assert again == value and hash(again) == hash(value) and again is not value
        assert type(again) is type(value) and state(again) == state(value)
    assert copy.deepcopy(value) == value == copy.copy(value)
    assert copy.deepcopy([value, value])[0] == value


def test_results_with_objects_come_back():
    plan = lockstep.plan("mesh:3", "all-gather")
    effects = lockstep.faults(plan, "links")
    design = lockstep.design(10, 3, rounds=2)
    for value in (effects, design, lockstep.bounds("ring:4", "all-gather"), lockstep.simulate(plan)):
        assert pickle.loads(pickle.dumps(value)) == value


def test_a_book_comes_back(repository):
    book = lockstep.RecoveryBook.load(repository / "crates/lockstep/tests/data/book-0.1.0.lsb")
    again = pickle.loads(pickle.dumps(book))
    assert again == book and hash(again) == hash(book) and again.rows == book.rows


def test_a_pickle_that_claims_too_much_is_refused():
    plan = lockstep.plan("mesh:3x3", "all-gather")
    restore, (kind, contents, labels) = plan.__reduce__()
    with pytest.raises(lockstep.LockstepError):
        restore(kind, contents[:-1], labels)
    with pytest.raises(lockstep.PlanError):
        restore(kind, lockstep.verify("mesh:3x3", "all-gather", plan.transfers)._native.binary(), labels)
    front = MAKERS["front"]()
    restore, (stored, labels) = front.__reduce__()
    problem, plans, widths, chunks, sizes, flags = stored
    assert len(plans) > 1
    with pytest.raises(lockstep.ProblemError, match="do not ascend"):
        restore((problem, plans[::-1], widths, chunks, sizes, flags), labels)
    with pytest.raises(lockstep.LockstepError):
        restore((problem, plans, widths, chunks + 1, sizes, flags), labels)
    other = lockstep.verify("mesh:3x3", "all-gather", plan.transfers)
    with pytest.raises(lockstep.ProblemError, match="different networks"):
        restore((problem, [(other._native.binary(), 1024, "x")], widths, chunks, sizes, flags), labels)


def planned(seed):
    """Plan in a process of a pool."""
    return lockstep.plan("kautz:2,2", "all-gather", seed=seed, budget="20000")


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_processes_of_a_pool_return_plans(method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip("the system has no such start method")
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        found = list(pool.map(planned, [1, 2]))
    assert found == [planned(1), planned(2)] and [plan.seed for plan in found] == [1, 2]


def test_plans_are_equal_if_all_of_them_is():
    one, same = (lockstep.plan("mesh:3x3", "all-gather") for _ in range(2))
    assert one == same and hash(one) == hash(same) and len({one, same}) == 1
    schedule = lockstep.verify("mesh:3x3", "all-gather", one.transfers)
    assert schedule != one and one != schedule and one != "plan" and one != lockstep.plan("mesh:3x3", "all-to-all")
    assert one != lockstep.plan("mesh:3x3", "all-gather", seed=2), "the seed is a claim of the plan"
    assert schedule == lockstep.verify("mesh:3x3", "all-gather", one.transfers)


def test_latencies_and_bandwidths_count():
    ring = Topology("ring:4")
    timed = [ring.with_times("1GB/s", latency) for latency in ("1us", "2us")]
    assert len({ring, *timed}) == 3 and timed[0] == ring.with_times("1GB/s", "1us")
    assert timed[0] != ring.with_times("2GB/s", "1us")


def test_a_network_is_a_collection_of_its_nodes():
    mesh = Topology("mesh:2x3")
    assert len(mesh) == mesh.node_count == 6 and list(mesh) == mesh.nodes == mesh.node_names
    assert "00" in mesh and "9" not in mesh and [] not in mesh
    assert len(mesh.edges) == mesh.channel_count and mesh.edges[:2] == [("00", "10"), ("00", "01")]
    faulty = mesh.without(links=["00-01"])
    assert ("00", "01") not in faulty.edges and len(faulty.edges) == faulty.channel_count


def test_nodes_of_a_graph_come_back_as_they_were():
    graph = networkx.grid_2d_graph(3, 3)
    grid = Topology.from_networkx(graph)
    assert grid.nodes == list(graph.nodes) and grid.node_names[1] == "(0, 1)" and (2, 2) in grid and "(2, 2)" in grid
    assert set(map(frozenset, grid.edges)) == set(map(frozenset, graph.edges))
    assert networkx.utils.graphs_equal(grid.to_networkx(), with_capacities(graph))
    one, two = graph.edges((1, 1)), list(graph.edges)
    faulty = grid.without(links=[two[0]], nodes=(1, 1))
    assert faulty.failed_nodes == [4] and faulty.channel_count == 2 * (len(two) - len(one) - 1)
    assert grid.without(nodes=[(0, 0), (1, 1)]).failed_nodes == [0, 4]
    assert set(faulty.to_networkx()) == set(graph) - {(1, 1)}
    assert faulty.with_times("1GB/s").half_duplex().nodes == grid.nodes


def with_capacities(graph):
    """Return a graph with the attributes that a network has."""
    graph = graph.copy()
    graph.graph["name"] = "graph"
    networkx.set_edge_attributes(graph, 1, "capacity")
    return graph


def test_nodes_of_a_graph_are_arguments():
    graph = networkx.grid_2d_graph(3, 3)
    rooted = lockstep.plan(graph, "broadcast", root=(1, 1))
    assert [rooted.topology.nodes[source] for source in set(rooted.sources.tolist())] == [(1, 1)]
    groups = [[(0, 0), (0, 1)], ((2, 1), (2, 2))]
    assert lockstep.plan(graph, "all-gather", groups=groups).message_count == 4
    listed = lockstep.plan(graph, [((0, 0), (0, 1)), ((1, 0), [(2, 0), (2, 1)])])
    assert listed.to_pandas()["source"].iloc[0] in graph and listed.message_count == 2
    faulty = rooted.topology.without(links=[((0, 0), (0, 1))])
    assert lockstep.replan(rooted, faulty).topology.nodes == list(graph)
    effects = lockstep.faults(rooted, "nodes", sample=2)
    assert all(effect.plan is None or effect.plan.topology.nodes == list(graph) for effect in effects)


def test_nodes_keep_their_labels_in_the_order_of_their_numbers():
    graph = networkx.path_graph([2, 0, 1])
    graph.add_edge(1, 2)
    topology = Topology.from_networkx(graph)
    assert topology.nodes == [0, 1, 2] and topology.node_names == ["0", "1", "2"]
    assert {frozenset(edge) for edge in topology.to_networkx().edges} == {frozenset(edge) for edge in graph.edges}


def test_the_version_is_that_of_the_workspace(repository):
    manifest = (repository / "Cargo.toml").read_text(encoding="utf-8")
    assert lockstep.__version__ == re.search(r'^version = "(.+)"$', manifest, re.MULTILINE)[1]
