"""Plans: figures, arrays, files, exports, pages and options."""

import json
import os
import subprocess
import sys

import numpy
import pytest

import lockstep_collectives as lockstep


@pytest.fixture(scope="module")
def plan():
    return lockstep.plan("mesh:4x4", "all-to-all")


def test_a_plan_has_its_bound_and_its_reason(plan):
    assert (plan.steps, plan.lower_bound, plan.verdict, plan.is_optimal) == (16, 16, "optimal", True)
    assert plan.rule in plan.to_html() and "16 steps" in plan.explanation
    assert (plan.collective, plan.chunks, plan.message_count, plan.seed) == ("all-to-all", 1, 240, 1)
    assert plan.cut_short is None and set(plan.widths) == {1}
    assert plan.topology == lockstep.Topology("mesh:4x4")


def test_arrays_are_the_transfers_of_the_file(plan):
    transfers, topology = plan.transfers, plan.topology
    tail, head = topology.channels["tail"], topology.channels["head"]
    offsets, channels = transfers["offsets"], transfers["channels"]
    assert len(transfers["step"]) == 240 and offsets[0] == 0 and offsets[-1] == len(channels)
    first, last = channels[offsets[:-1]], channels[offsets[1:] - 1]
    assert (tail[first] == transfers["source"]).all() and (head[last] == transfers["target"]).all()
    assert (transfers["source"] == plan.sources[transfers["message"]]).all()
    inner = numpy.ones(len(channels), bool)
    inner[offsets[:-1]] = False
    assert (tail[channels][inner] == head[numpy.roll(channels, 1)][inner]).all(), "paths are connected"
    used = transfers["step"].repeat(numpy.diff(offsets)) * len(tail) + channels
    assert len(numpy.unique(used)) == len(used), "no channel is used twice in a step"
    assert not transfers["step"].flags.writeable


@pytest.mark.parametrize("name", ["plan.json", "plan.lsb"])
def test_files_come_back(plan, name, tmp_path):
    plan.save(tmp_path / name)
    again = lockstep.Plan.load(tmp_path / name)
    assert (again.steps, again.lower_bound, again.explanation) == (plan.steps, plan.lower_bound, plan.explanation)
    assert all((again.transfers[key] == plan.transfers[key]).all() for key in plan.transfers)


def test_the_extension_says_the_format(plan, tmp_path):
    plan.save(tmp_path / "plan.html")
    plan.save(tmp_path / "plan.svg")
    assert (tmp_path / "plan.html").read_text() == plan.to_html()
    assert (tmp_path / "plan.svg").read_text() == plan.to_svg()


def test_a_schedule_without_a_bound_is_read_and_verified(plan, tmp_path):
    schedule = lockstep.verify("mesh:4x4", "all-to-all", plan.transfers)
    for name in ("own.json", "own.lsb"):
        schedule.save(tmp_path / name)
        assert lockstep.Schedule.load(tmp_path / name) == schedule
        with pytest.raises(lockstep.PlanError):
            lockstep.Plan.load(tmp_path / name)
    plan.save(tmp_path / "plan.json")
    assert lockstep.Schedule.load(tmp_path / "plan.json") == schedule
    text = (tmp_path / "own.json").read_text()
    first = text.index('"message"') if '"message"' in text else text.rindex("[[")
    (tmp_path / "own.json").write_text(text[:first])
    with pytest.raises(lockstep.PlanError):
        lockstep.Schedule.load(tmp_path / "own.json")


def test_a_false_claim_is_refused(plan, tmp_path):
    plan.save(tmp_path / "plan.json")
    text = (tmp_path / "plan.json").read_text()
    assert '"steps":16' in text.replace(" ", "")
    (tmp_path / "plan.json").write_text(text.replace(": 16,", ": 15,", 1).replace(":16,", ":15,", 1))
    with pytest.raises((lockstep.InvalidSchedule, lockstep.PlanError)):
        lockstep.Plan.load(tmp_path / "plan.json")


def test_files_of_other_kinds_are_refused(tmp_path):
    for contents in (b"", b"{}", b"lockplan", b"\x00" * 100):
        (tmp_path / "file").write_bytes(contents)
        with pytest.raises(lockstep.PlanError):
            lockstep.Plan.load(tmp_path / "file")
    with pytest.raises(FileNotFoundError):
        lockstep.Plan.load(tmp_path / "missing")


def test_the_same_seed_gives_the_same_file():
    first, second = (lockstep.plan("kautz:2,3", "all-gather", budget="20000", seed=7) for _ in range(2))
    assert first._native.json() == second._native.json()


def test_a_plan_shows_itself(plan):
    page = plan.to_html()
    assert page.lstrip().lower().startswith("<!doctype html")
    shown = plan._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and "sandbox" in shown
    assert "<script" not in shown, "the page is escaped in the attribute"
    assert plan.to_svg().startswith("<svg")
    assert repr(plan) == "<Plan of all-to-all on mesh:4x4: 16 steps, optimal>"


def test_options_reach_the_library():
    one = lockstep.plan("hypercube:3", "broadcast", root="3", ports=1)
    assert one.steps == 3 and "1-port" in one.model and (one.sources == 3).all()
    half = lockstep.plan("ring:4", "all-gather", duplex="half")
    assert half.steps > lockstep.plan("ring:4", "all-gather").steps
    chunked = lockstep.plan("ring:4", "broadcast", chunks=3, switching="store-and-forward", routing="any")
    assert chunked.chunks == 3 and "store-and-forward" in chunked.model and "any routing" in chunked.model
    grouped = lockstep.plan("mesh:2x4", "all-gather", groups=[[0, 1, 4, 5], [2, 3, 6, 7]])
    assert grouped.message_count == 8
    listed = lockstep.plan("ring:5", [(0, [1, 4]), ("2", ["3"])])
    assert listed.collective == "custom" and listed.steps == 1


def test_times_follow_the_size(plan):
    small, large = (plan.time(size, unit="25GB/s") for size in ("1KiB", 2**30))
    assert small.bytes == 1024 and large.synchronous / small.synchronous > 1e5
    assert large.asynchronous <= large.synchronous
    with pytest.raises(lockstep.ProblemError, match="no bandwidths"):
        plan.time(1)


@pytest.mark.skipif(sys.platform == "win32", reason="the limit of the size of files is that of Unix")
@pytest.mark.parametrize("write", ["plan.save('out.json')", "plan.export('mpi-c', 'out.json')"])
def test_a_file_that_cannot_be_written_keeps_its_old_contents(write, tmp_path):
    (tmp_path / "out.json").write_text("old")
    code = (
        "import resource, lockstep_collectives as lockstep\n"
        "plan = lockstep.plan('ring:4', 'all-gather')\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        f"try: {write}\n"
        "except OSError as error: print(error)\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert result.stdout.startswith("out.json: ")
    assert (tmp_path / "out.json").read_text() == "old" and os.listdir(tmp_path) == ["out.json"]


@pytest.mark.skipif(sys.platform == "win32", reason="devices are files of Unix")
def test_devices_are_not_read():
    for read in (lockstep.Plan.load, lockstep.RecoveryBook.load, lockstep.judge, lockstep.Topology.load):
        with pytest.raises((OSError, lockstep.TopologyError), match="/dev/zero: a device, not a file"):
            read("/dev/zero")


def test_exports_are_written(plan, tmp_path):
    names = [format.name for format in lockstep.export_formats()]
    assert "mpi-c" in names and "msccl-xml" in names
    gather = lockstep.plan("dgx-1", "all-gather", switching="store-and-forward")
    assert lockstep.export(gather, "msccl-xml", tmp_path / "algo.xml") is None
    assert (tmp_path / "algo.xml").read_bytes() == gather.export("msccl-xml")[""] == lockstep.export(gather, "msccl-xml")[""]
    assert gather.export("goal", tmp_path / "sub" / "plan.goal") is None and (tmp_path / "sub" / "plan.goal").is_file()
    with pytest.raises(lockstep.ExportError, match="there is no format 'x'; choose msccl-xml, "):
        gather.export("x")
    with pytest.raises(lockstep.ExportError, match="there is no format 'msscl'; did you mean 'msccl-xml'"):
        gather.export("msscl")
    with pytest.raises(lockstep.ProblemError, match="engine: there is no 'anlytic'; did you mean 'analytic'"):
        lockstep.plan("ring:4", "all-gather", engine="anlytic")


def test_a_schedule_of_yours_is_verified(plan):
    transfers = dict(plan.transfers)
    schedule = lockstep.verify("mesh:4x4", "all-to-all", transfers)
    assert schedule.steps == 16 and type(schedule) is lockstep.Schedule
    transfers["message"] = numpy.roll(transfers["message"], 1)
    with pytest.raises(lockstep.InvalidSchedule, match="step"):
        lockstep.verify("mesh:4x4", "all-to-all", transfers)
    with pytest.raises(lockstep.InvalidSchedule):
        lockstep.verify("mesh:4x4", "all-gather", plan.transfers)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"offsets": [0, 1]}, lockstep.ProblemError),
        ({"offsets": [0, 2, 1]}, lockstep.ProblemError),
        ({"offsets": [0, 1, 9]}, lockstep.ProblemError),
        ({"step": [1, 0]}, lockstep.ProblemError),
        ({"step": [0, 2**32 - 1]}, lockstep.ProblemError),
        ({"message": [0, 9]}, lockstep.InvalidSchedule),
        ({"channels": [0, 99]}, lockstep.InvalidSchedule),
        ({"step": [0, -1]}, OverflowError),
    ],
)
def test_wrong_arrays_are_refused(change, error):
    pair = {"step": [0, 0], "message": [0, 1], "offsets": [0, 1, 2], "channels": [0, 1]}
    assert lockstep.verify("mesh:2", "all-gather", pair).steps == 1
    with pytest.raises(error):
        lockstep.verify("mesh:2", "all-gather", {**pair, **change})


def test_bounds_are_sorted_and_below_the_plan(plan):
    bounds = lockstep.bounds("mesh:4x4", "all-to-all")
    steps = [bound.steps for bound in bounds]
    assert steps == sorted(steps, reverse=True) and steps[0] == plan.steps
    assert all(bound.rule and bound.explanation for bound in bounds)


def test_a_plan_is_repaired_after_faults():
    before = lockstep.plan("mesh:4x4", "all-gather")
    faulty = before.topology.without(links=["00-01"])
    after = lockstep.replan(before, faulty)
    assert (before.steps, after.steps, after.is_optimal) == (8, 15, True)
    broken = set(numpy.flatnonzero(~faulty.channels["works"]).tolist())
    assert broken and not broken & set(after.transfers["channels"].tolist())
    with pytest.raises(lockstep.FaultError, match="not the network of the plan"):
        lockstep.replan(before, lockstep.Topology("mesh:4x5"))


def test_json_is_that_of_the_program(plan):
    file = json.loads(plan._native.json())
    assert file["steps"] == 16 and file["verdict"] == "optimal"
