"""Outputs of benchmarks, fits of networks to them, and expectations."""

import warnings

import pandas
import pytest

import lockstep_collectives as lockstep
from lockstep_collectives import LockstepWarning, MeasurementError, Topology

PAIRS = "from,to,GB/s\n0,1,24.9\n1,0,25.1\n1,2,25\n2,1,15\n0,2,25\n2,0,25\n"


@pytest.fixture
def samples(repository):
    return repository / "data" / "measured"


def test_every_sample_is_a_frame_that_is_read_again(samples):
    paths = [path for path in sorted(samples.iterdir()) if path.name != "expect.json" and path.suffix != ".edges"]
    assert len(paths) >= 11
    for path in paths:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LockstepWarning)
            frame = lockstep.read_measurements(path, ranks=4)
        assert len(frame) > 0, path
        assert (frame["time_s"].notna() != frame["bytes_per_second"].notna()).all(), path
        with warnings.catch_warnings():
            warnings.simplefilter("error", LockstepWarning)
            again = lockstep.read_measurements(frame)
        values = ["kind", "from", "to", "collective", "bytes", "time_s", "bytes_per_second", "in_place"]
        order = ["kind", "collective", "bytes", "from", "to", "in_place", "time_s", "bytes_per_second"]
        one, other = (
            table[values].astype(str).sort_values(order).reset_index(drop=True) for table in (frame, again)
        )
        pandas.testing.assert_frame_equal(one, other)


def test_a_fit_takes_paths_texts_and_frames(tmp_path):
    ring = Topology("ring:3")
    path = tmp_path / "pairs.csv"
    path.write_text(PAIRS)
    from_text = ring.fit(PAIRS)
    assert from_text.classes[0].evidence == "identified" and from_text.classes[0].kind == "message"
    assert [link.name for link in from_text.slow_links] == ["2->1"]
    assert from_text.slow_links[0].part == pytest.approx(0.6, rel=0.01)
    assert (from_text.slow_links[0].slow_count, from_text.slow_links[0].others) == (1, [])
    frame = pandas.read_csv(path)
    for measurements in (path, str(path), frame, [frame], [path], lockstep.read_measurements(path)):
        fit = ring.fit(measurements)
        assert fit.topology == from_text.topology and fit.classes == from_text.classes
    table = from_text.to_pandas()
    assert table.loc[0, ["channels", "bandwidth"]].tolist() == [6, 25_000_000_000]
    assert from_text.topology.to_pandas()["bandwidth"].min() == pytest.approx(15e9, rel=0.01)


def test_labels_of_networkx_stay(samples):
    import networkx

    graph = networkx.Graph([("a", "b")])
    graph.nodes["a"]["host"] = "x"
    network = Topology.from_networkx(graph)
    with pytest.warns(LockstepWarning):
        fit = network.fit(samples / "two-gpus.p2p.txt", ranks=["b", "a"])
    assert fit.topology.nodes == ["a", "b"]
    assert fit.classes[0].bandwidth == pytest.approx(46e9, rel=0.01)


def test_notes_are_warnings_and_point_to_the_caller(samples):
    with pytest.warns(LockstepWarning, match="P2P=Disabled") as caught:
        lockstep.read_measurements(samples / "two-gpus.p2p.txt")
    assert caught[0].filename == __file__
    with pytest.warns(LockstepWarning, match="P2P=Disabled") as caught:
        Topology("complete:2").fit(samples / "two-gpus.p2p.txt")
    assert caught[0].filename == __file__


def test_wrong_measurements_are_errors(tmp_path):
    ring = Topology("ring:3")
    with pytest.raises(MeasurementError, match="text: line 2: column 'GB/s' is 'fast'"):
        ring.fit("from,to,GB/s\n0,1,fast\n")
    with pytest.raises(MeasurementError, match="frame: line 2: "):
        ring.fit(pandas.DataFrame({"from": [0], "to": [0], "GB/s": [1.0]}))
    with pytest.raises(MeasurementError, match="2 devices were measured"):
        ring.fit("from,to,GB/s\n0,1,25\n")
    with pytest.raises(MeasurementError, match="expected 'kernel', 'message' or 'copy'"):
        ring.fit(PAIRS, kind="magic")
    with pytest.raises(MeasurementError, match="network in the format nvidia-smi"):
        ring.fit("\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tNV4\t0\nGPU1\tNV4\t X \t0\n")
    with pytest.raises(TypeError, match="found int"):
        ring.fit(3)
    with pytest.raises(OSError, match="none.txt"):
        ring.fit(tmp_path / "none.txt")
    (tmp_path / "binary.txt").write_bytes(b"\xff\x00\x00\x01")
    with pytest.raises(MeasurementError, match="no text"):
        ring.fit(tmp_path / "binary.txt")
    with pytest.raises(lockstep.ProblemError, match="has no node 'x'"):
        ring.fit(PAIRS, ranks=["x"])


def test_an_expectation_compares_measured_times():
    table = pandas.DataFrame(
        {"collective": "all-gather", "ranks": 8, "bytes": [1 << 20, 1 << 24], "time_us": [60.0, 500.0]}
    )
    found = lockstep.expect("dgx-1", "all-gather", against=table, unit="20GB/s", budget="2000")
    frame = found.to_pandas()
    assert frame["bytes"].tolist() == [1 << 20, 1 << 24]
    assert frame["observed"].tolist() == pytest.approx([60e-6, 500e-6])
    assert (frame["at_least"] <= frame["plan"]).all()
    assert frame["of_bound"].tolist() == pytest.approx((frame["at_least"] / frame["observed"]).tolist())
    # The bus bandwidth of an all-gather of 8 ranks is 7/8 of the size in the time.
    assert frame.loc[1, "observed_bus_bandwidth"] == pytest.approx((1 << 24) / 500e-6 * 7 / 8, rel=1e-3)
    assert "% below the bound" in found.times[1].verdict and found.verdict is not None
    again = lockstep.expect("dgx-1", "all-gather", sizes=["1MiB"], unit="20GB/s", budget="2000")
    assert again.verdict is None and again.times[0].observed is None
    assert again.times[0].at_least == pytest.approx(found.times[0].at_least)


def test_an_expectation_has_the_algorithms_of_a_library():
    table = "collective,ranks,bytes,time_us\nall-reduce,8,1073741824,20000\n"
    found = lockstep.expect("dgx-1", "all-reduce", against=table, library="nccl", unit="20GB/s", budget="100000")
    [time] = found.times
    frame = found.to_pandas()
    assert time.algorithm in ("ring", "tree") and time.at_least <= time.plan <= time.algorithm_time * 1.001
    assert time.of_algorithm == pytest.approx(time.algorithm_time / time.observed)
    assert time.of_plan == pytest.approx(time.plan / time.observed)
    assert frame["algorithm"].tolist() == [time.algorithm]
    # The bus bandwidth of an all-reduce of 8 ranks is 7/4 of the size in the time.
    assert time.algorithm_bus_bandwidth == pytest.approx((1 << 30) / time.algorithm_time * 7 / 4, rel=1e-3)
    one = lockstep.expect(
        "ring:4", "all-reduce", library="open-mpi", algorithm="ring", sizes=["1MiB"], unit="10GB/s", budget="20000"
    )
    assert one.times[0].algorithm == "ring" and one.times[0].of_algorithm is None
    with pytest.raises(lockstep.ProblemError, match="no algorithm 'rings'"):
        lockstep.expect("ring:4", "all-reduce", library="nccl", algorithm="rings", unit="10GB/s", budget="20000")
    with pytest.raises(lockstep.ProblemError, match="unknown library 'nvcl'"):
        lockstep.expect("ring:4", "all-reduce", library="nvcl", unit="10GB/s", budget="20000")
    with pytest.raises(lockstep.ProblemError, match="algorithm: expected a library"):
        lockstep.expect("ring:4", "all-reduce", algorithm="ring", unit="10GB/s")


def test_expectations_refuse_other_runs():
    table = "collective,ranks,bytes,time_us\nall-gather,4,1048576,60\n"
    with pytest.raises(MeasurementError, match="4 ranks"):
        lockstep.expect("dgx-1", "all-gather", against=table, unit="20GB/s")
    with pytest.raises(MeasurementError, match="no sweep of all-reduce"):
        lockstep.expect("dgx-1", "all-reduce", against=table, unit="20GB/s")
    with pytest.raises(lockstep.ProblemError, match="sizes: found none"):
        lockstep.expect("dgx-1", "all-gather", sizes=[], unit="20GB/s")
