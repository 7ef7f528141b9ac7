"""Frames of pandas and pictures of matplotlib."""

import matplotlib
import networkx
import numpy
import pytest

import lockstep_collectives as lockstep

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402


@pytest.fixture(autouse=True)
def _no_open_figures():
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def plan():
    return lockstep.plan(lockstep.Topology("mesh:4x4").with_times("1GB/s", "1us"), "all-to-all")


def test_a_frame_has_a_row_per_transfer(plan):
    frame = plan.to_pandas()
    assert list(frame.columns) == ["step", "message", "origin", "source", "target", "length", "channels"]
    assert len(frame) == 240 and frame["step"].max() == 15 and frame.index.name == "transfer"
    graph = plan.topology.to_networkx()
    distances = dict(networkx.all_pairs_shortest_path_length(graph))
    assert all(row.length == distances[row.source][row.target] == len(row.channels) for row in frame.itertuples())
    assert (frame["origin"] == frame["source"]).all(), "no message is relayed in wormhole switching"


def test_a_frame_of_channels_belongs_to_that_of_transfers(plan):
    channels = plan.topology.to_pandas()
    assert list(zip(channels["tail"], channels["head"])) == plan.topology.edges
    assert (channels["bandwidth"] == 1e9).all() and channels["latency"].iloc[0] == pytest.approx(1e-6)
    assert lockstep.Topology("ring:3").to_pandas()["bandwidth"].isna().all()
    uses = plan.to_pandas().explode("channels").join(channels, on="channels")
    assert not uses.duplicated(["step", "channels"]).any(), "no channel is used twice in a step"
    path = uses.loc[uses["length"].idxmax()]
    assert path["tail"].iloc[0] == path["source"].iloc[0] and path["head"].iloc[-1] == path["target"].iloc[0]
    assert list(path["head"])[:-1] == list(path["tail"])[1:]


@pytest.mark.parametrize("clock", ["synchronous", "asynchronous"])
def test_times_of_transfers_end_with_the_schedule(plan, clock):
    frame = plan.to_pandas(size="16MB", clock=clock)
    times = plan.time("16MB")
    assert frame["end"].max() == pytest.approx(getattr(times, clock)) and frame["begin"].min() == 0
    assert (frame["end"] > frame["begin"]).all()
    shortest = (frame["end"] - frame["begin"]).min()
    assert shortest >= times.chunk_bytes / 1e9, "no transfer is faster than its channels"
    if clock == "synchronous":
        by_step = frame.groupby("step")
        assert (by_step["begin"].nunique() == 1).all()
        assert by_step["begin"].min().iloc[1:].tolist() == pytest.approx(by_step["end"].max().iloc[:-1].tolist())


def test_times_need_bandwidths_and_a_known_clock(plan):
    with pytest.raises(lockstep.ProblemError, match="no bandwidths"):
        lockstep.plan("ring:3", "all-gather").to_pandas(size=1000)
    with pytest.raises(lockstep.ProblemError, match="clock: found 'x'"):
        plan.to_pandas(clock="x")


def test_frames_have_the_nodes_of_a_graph():
    plan = lockstep.plan(networkx.grid_2d_graph(2, 2), "all-gather")
    frame = plan.to_pandas()
    assert set(frame["source"]) == set(frame["target"]) == set(frame["origin"]) == {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert set(plan.topology.to_pandas()["tail"]) == {(0, 0), (0, 1), (1, 0), (1, 1)}


def bars(axes):
    """Return the bars of a picture as left, right, bottom and top."""
    (collection,) = axes.collections
    boxes = [path.get_extents() for path in collection.get_paths()]
    return numpy.array([[box.x0, box.x1, box.y0, box.y1] for box in boxes])


def test_a_picture_has_a_bar_per_use_of_a_channel(plan):
    axes = plan.plot()
    found = bars(axes)
    uses = plan.to_pandas().explode("channels")
    assert sorted(map(tuple, numpy.rint(found[:, [0]]).astype(int).tolist())) == sorted((step,) for step in uses["step"])
    rows = numpy.rint(found[:, 2:].mean(axis=1)).astype(int)
    assert sorted(zip(found[:, 0].astype(int), rows)) == sorted(zip(uses["step"], uses["channels"]))
    assert (axes.get_xlabel(), axes.get_title()) == ("step", "all-to-all on mesh:4x4: 16 steps, optimal")
    assert len(axes.get_yticklabels()) == 48 and axes.get_yticklabels()[0].get_text() == "00 to 10"


def test_bars_never_cover_each_other():
    plan = lockstep.plan(lockstep.Topology("dgx-1"), "all-gather", switching="store-and-forward")
    found = bars(plan.plot())
    channels = plan.topology.channels["capacity"]
    assert channels.max() > 1, "some channels carry several transfers in a step"
    for place, one in enumerate(found):
        others = found[place + 1 :]
        beside = (others[:, 0] >= one[1] - 1e-9) | (others[:, 1] <= one[0] + 1e-9)
        apart = (others[:, 2] >= one[3] - 1e-9) | (others[:, 3] <= one[2] + 1e-9)
        assert (beside | apart).all()


def test_a_picture_has_a_time_axis_and_an_axes_of_yours(plan):
    _, (left, right) = pyplot.subplots(1, 2)
    assert plan.plot(left, size="16MB") is left and plan.plot(ax=right, size="16MB", clock="asynchronous") is right
    ends = [axes.get_xlim()[1] for axes in (left, right)]
    times = plan.time("16MB")
    assert ends == pytest.approx([1e6 * times.synchronous, 1e6 * times.asynchronous])
    assert left.get_xlabel() == "time in microseconds"


def test_failed_channels_have_no_row():
    topology = lockstep.Topology("ring:5").without(links=["0-1"])
    axes = lockstep.plan(topology, "all-gather").plot()
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert len(names) == 8 and "0 to 1" not in names and axes.get_legend() is not None


@pytest.fixture(scope="module")
def front():
    return lockstep.front("dgx-1", "all-gather", sizes="1KiB..64MiB", switching="store-and-forward", budget=20)


def test_a_front_is_a_frame(front):
    frame = front.to_pandas()
    assert frame["bytes"].tolist() == [2**power for power in range(10, 27)]
    assert (frame["at_least"] <= frame["synchronous"] * (1 + 1e-9)).all() and frame["plan"].is_monotonic_increasing
    first = front[0]
    assert frame.loc[0, ["steps", "chunks", "engine"]].tolist() == [first.schedule.steps, first.schedule.chunks, first.engine]
    chosen = front.to_pandas(["1MB", 2e6])
    assert chosen["bytes"].tolist() == [1_000_000, 2_000_000]
    assert chosen["synchronous"].iloc[0] == front.time("1MB").synchronous
    assert list(front.to_pandas([]).columns) == list(frame.columns)


def test_a_front_shows_itself(front):
    picture = front._repr_svg_()
    assert picture.startswith("<svg") and picture.count('class="curve"') == 2 * (len(front) + 1)
    axes = front.plot()
    curves = {line.get_label(): line.get_xydata() for line in axes.get_lines()}
    assert len(curves["another schedule is best from here on"]) == len(front) - 1
    assert (curves["lower bound"][:, 1] <= curves["best schedule"][:, 1] * (1 + 1e-9)).all()
    assert axes.get_title() == "all-gather on dgx-1"
