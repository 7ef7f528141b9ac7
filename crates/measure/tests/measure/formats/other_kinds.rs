//! Texts that are no outputs of benchmarks, and several outputs in one file.

use expect_test::expect;
use lockstep_measure::Tool;
use lockstep_measure::format::detect;

use super::{error_of, read_text};

#[test]
fn other_files_are_named() {
    let mut errors = String::new();
    for text in [
        " \n",
        "hello\n",
        "host:1:2 [0] NCCL INFO Channel 00/02 : 0 1 2 3\n",
        "<graphs version=\"1\"></graphs>",
        "<system version=\"1\"><cpu numaid=\"0\"/></system>",
        "\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tNV4\t0-15\nGPU1\tNV4\t X \t0-15\n",
        "{\"format\": \"lockstep-plan\", \"version\": 1}",
        "RocmBandwidthTest Version: 2.6.0\n",
        "Connecting to host h, port 5201 (iperf3)\niperf Done.\n",
        "{\"a\": 1}",
    ] {
        errors += &error_of(text);
        errors.push('\n');
    }
    expect![[r"
        the file is empty; give the output of a benchmark
        the text is the output of no known benchmark; give that of nccl-tests, nvbandwidth, p2pBandwidthLatencyTest, the OSU micro-benchmarks, TransferBench, perftest, mpiGraph, or a table with the columns from, to, bytes and time_us
        the file is a log of NCCL, without a table of sizes and times, which is not read as a measurement; lockstep judge reads its rings; give the output of nccl-tests, such as all_reduce_perf -b 8 -e 8G -f 2 -g 8
        the file is a graph file of NCCL, which is not read as a measurement; lockstep judge reads it; give the output of nccl-tests or of another benchmark
        the file is a network in the format nccl-topo, not the output of a benchmark; give it as the network
        the file is a network in the format nvidia-smi, not the output of a benchmark; give it as the network
        the file is an output of Lockstep, which is not read as a measurement; give the output of a benchmark
        the file is the output of rocm_bandwidth_test, which is not read as a measurement; run TransferBench p2p, whose tables name the executor of each transfer
        the file is the output of iperf, which measures TCP, which is not read as a measurement; run ib_write_bw or osu_bw between the same hosts
        the text is the output of no known benchmark; give that of nccl-tests, nvbandwidth, p2pBandwidthLatencyTest, the OSU micro-benchmarks, TransferBench, perftest, mpiGraph, or a table with the columns from, to, bytes and time_us
    "]].assert_eq(&errors);
}

#[test]
fn every_sample_is_detected_and_a_second_benchmark_is_told() {
    let osu = include_str!("../../../../../data/measured/all-reduce.osu.txt");
    let p2p = include_str!("../../../../../data/measured/two-gpus.p2p.txt");
    assert_eq!(detect(osu), Some(Tool::Osu));
    assert_eq!(detect("1 2 3"), None);
    let reading = read_text(&format!("{p2p}{osu}"));
    assert_eq!(reading.runs.len(), 3);
    expect!["not read: the output of the OSU micro-benchmarks in the same file; only that of p2pBandwidthLatencyTest was read; give each a file of its own"].assert_eq(reading.notes.last().unwrap());
}
