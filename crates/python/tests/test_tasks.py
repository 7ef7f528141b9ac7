"""Fronts, faults, design, simulation and programs of other tools."""

from fractions import Fraction

import networkx
import pytest

import lockstep_collectives as lockstep


@pytest.fixture(scope="module")
def server_front():
    return lockstep.front("dgx-1", "all-gather", sizes="1KiB..256MiB", switching="store-and-forward", budget="20s")


def test_a_front_has_the_best_schedule_of_each_size(server_front):
    assert len(server_front) >= 2
    ends = [(plan.least_size, plan.greatest_size) for plan in server_front]
    assert ends[0][0] == 1024 and ends[-1][1] == 2**28
    assert all(after[0] == before[1] + 1 for before, after in zip(ends, ends[1:]))
    for place, plan in enumerate(server_front):
        time = server_front.time(plan.least_size)
        assert time.plan == place and time.at_least <= time.synchronous * (1 + 1e-9)
        assert plan.schedule.verify()["steps"] == plan.schedule.steps
        direct = plan.schedule.time(plan.least_size)
        assert direct.synchronous == pytest.approx(time.synchronous)


def test_a_front_needs_bandwidths():
    with pytest.raises(lockstep.ProblemError, match="no bandwidths"):
        lockstep.front("ring:4", "all-gather")
    with pytest.raises(lockstep.ProblemError, match="sizes"):
        lockstep.front("dgx-1", "all-gather", sizes=(2, 1))
    front = lockstep.front("ring:4", "all-gather", unit="25GB/s", latency=2e-6, budget="2s")
    assert front[0].schedule.topology.channels["latency"][0] == pytest.approx(2e-6)


def test_every_fault_has_a_plan_or_a_reason():
    plan = lockstep.plan("mesh:3x3", "all-gather")
    events = []
    effects = lockstep.faults(plan, "links", progress=events.append)
    assert [effect.loss for effect in effects] == [None] * 12
    assert min(effect.plan.steps for effect in effects) >= plan.steps
    assert events[-1]["done"] == events[-1]["total"] == 12
    lost = lockstep.faults(lockstep.plan("mesh:3", "all-gather"), "links")
    assert all(effect.plan is None and effect.loss for effect in lost)
    assert len(lockstep.faults(plan, "nodes", at_once=2, sample=3)) == 3
    with pytest.raises(lockstep.FaultError, match="kind: found 'x'"):
        lockstep.faults(plan, "x")


def test_a_recovery_book_has_plans_after_faults(repository):
    book = lockstep.RecoveryBook.load(repository / "crates/lockstep/tests/data/book-0.1.0.lsb")
    assert len(book) == len(book.rows) > 0 and book.sets in repr(book)
    for row in book.rows:
        assert (row.steps is None) == (row.loss is not None)
        if row.steps is not None:
            assert row.steps >= row.lower_bound
    first = book.rows[0]
    link = first.faults.split()[-1]
    effect = book.look_up(links=[link])
    assert effect.faults == first.faults and effect.plan.steps == first.steps
    assert effect.plan.steps >= book.before.steps
    with pytest.raises(lockstep.FaultError, match="no plan for"):
        book.look_up(links=[row.faults.split()[-1] for row in book.rows[:2]])
    with pytest.raises(lockstep.FaultError):
        book.look_up(nodes=["no node"])
    with pytest.raises(lockstep.FaultError, match="has no network card"):
        book.look_up(nics="0")
    (damaged := repository.cwd() / "damaged.lsb").write_bytes(b"no book")
    with pytest.raises(lockstep.PlanError):
        lockstep.RecoveryBook.load(damaged)


def test_a_designed_network_has_its_figures():
    found = lockstep.design(20, 4, rounds=6)
    graph = found.topology.to_networkx()
    assert {degree for _, degree in graph.degree} == {4}
    assert networkx.average_shortest_path_length(graph) == pytest.approx(found.mean_distance)
    assert networkx.diameter(graph) == found.diameter and found.least_mean_distance <= found.mean_distance
    with pytest.raises(lockstep.DesignError):
        lockstep.design(5, 3)


def test_networks_for_all_gathers_are_ordered():
    designs = lockstep.design_all_gather(16, 4)
    assert designs and all(design.topology.node_count == 16 for design in designs)
    assert all(isinstance(design.steps_per_chunk, Fraction) for design in designs)
    stages = [design.stages for design in designs]
    assert stages == sorted(stages)


def test_a_schedule_takes_at_most_its_steps():
    plan = lockstep.plan("mesh:4x4", "all-to-all")
    simulation = lockstep.simulate(plan, size=1000)
    assert simulation.flow_count == 240 and 0 < simulation.makespan <= plan.steps + 1e-9
    synchronous = lockstep.simulate(plan, steps="synchronous", size=1000, startup=0.25)
    assert synchronous.makespan == pytest.approx(1.25 * plan.steps)
    chained = lockstep.simulate("torus:4x4", "chained", size=1000)
    assert chained.makespan > 0 and chained.flow_times == sorted(chained.flow_times[:1]) + chained.flow_times[1:]
    with pytest.raises(lockstep.SimulationError):
        lockstep.simulate("ring:4", "no workload")
    with pytest.raises(lockstep.SimulationError):
        lockstep.simulate(plan, steps="no mode")


def test_a_program_is_compared_with_a_plan(tmp_path):
    plan = lockstep.plan("dgx-1", "all-gather", switching="store-and-forward")
    plan.export("msccl-xml", tmp_path / "right.xml")
    right = lockstep.judge(tmp_path / "right.xml", "dgx-1")
    assert right.is_right and right.gap == 0 and right.schedule.steps == right.plan.steps == 2
    text = (tmp_path / "right.xml").read_text()
    assert 'depid="8" deps="0"' in text
    (tmp_path / "wrong.xml").write_text(text.replace('depid="8" deps="0"', 'depid="-1" deps="-1"'))
    wrong = lockstep.judge(tmp_path / "wrong.xml", "dgx-1")
    assert not wrong.is_right and wrong.violation and wrong.schedule is None and wrong.gap is None
    (tmp_path / "none").write_text("no program")
    with pytest.raises(lockstep.LockstepError):
        lockstep.judge(tmp_path / "none")
