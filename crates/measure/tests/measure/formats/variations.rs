//! Variations of the grammars of releases and options, with values of our own.

use expect_test::expect;
use lockstep_measure::format::{ReadOptions, read};

use super::{describe, error_of, read_text};

/// Outputs of nvbandwidth.
mod nvbandwidth {
    use super::*;

    #[test]
    fn processes_of_several_nodes_are_devices() {
        let reading = read_text(include_str!("../../../../../fuzz/corpus/nvbandwidth/two-nodes.txt"));
        expect![[r"
            nvbandwidth: multinode_device_to_device_memcpy_read_ce, Copy, 4 devices, ranks Some(4)
              16: 1->0: 397010000000 B/s
              16: 2->0: 397020000000 B/s
              16: 3->0: 397030000000 B/s
              17: 0->1: 397100000000 B/s
              17: 2->1: 397120000000 B/s
              17: 3->1: 397130000000 B/s
              18: 0->2: 397200000000 B/s
              18: 1->2: 397210000000 B/s
              18: 3->2: 397230000000 B/s
              19: 0->3: 397300000000 B/s
              19: 1->3: 397310000000 B/s
              19: 2->3: 397320000000 B/s
            nvbandwidth: multinode_device_to_device_bidirectional_memcpy_write_sm, Kernel, 2 devices, ranks Some(2)
              26: 0->1 1->0: 180000000000 B/s
              27: 1->0 0->1: 179000000000 B/s
            nvbandwidth: multinode_device_to_device_all_to_one_write_sm, Kernel, 4 devices, ranks Some(4)
              48: 1->0 2->0 3->0: 130000000000 B/s
              48: 0->1 2->1 3->1: 130333333333 B/s
              48: 0->2 1->2 3->2: 130666666666 B/s
              48: 0->3 1->3 2->3: 131000000000 B/s
            nvbandwidth: multinode_device_to_device_all_from_one_read_sm, Kernel, 4 devices, ranks Some(4)
              55: 0->1 0->2 0->3: 133000000000 B/s
              55: 1->0 1->2 1->3: 133000000000 B/s
              55: 2->0 2->1 2->3: 133000000000 B/s
              55: 3->0 3->1 3->2: 133000000000 B/s
            nvbandwidth: multinode_bisect_write_ce, Copy, 4 devices, ranks Some(4)
              69: 2->0 3->1 0->2 1->3: 394000000000 B/s (394000000000 to 397000000000)
            note: left out: multinode_device_to_device_broadcast_one_to_all_sm; only copies between GPUs are read
            note: left out: the matrices Total, which are the sums of both directions
            note: the pairs of a matrix were measured one at a time, so it does not show what pairs share
        "]]
        .assert_eq(&describe(&reading));
        let device = &reading.runs[0].devices[2];
        assert_eq!(device.host.as_deref(), Some("node-b"));
        assert_eq!(device.bus_id.as_deref(), Some("0008:01:00"));
    }

    #[test]
    fn releases_before_0_5_have_one_matrix_per_test() {
        let reading = read_text(include_str!("../../../../../fuzz/corpus/nvbandwidth/release-0.2.txt"));
        expect![[r"
            nvbandwidth: device_to_device_memcpy_write_ce, Copy, 3 devices, ranks Some(3)
              20: 0->1: 22000000000 B/s
              21: 1->0: 21000000000 B/s
              21: 1->2: 20000000000 B/s
              22: 2->1: 19000000000 B/s
            nvbandwidth: device_to_device_bidirectional_memcpy_read_sm, Kernel, 3 devices, ranks Some(3)
              29: 0->1 1->0: 18000000000 B/s
              30: 1->0 0->1: 17000000000 B/s
              30: 1->2 2->1: 16000000000 B/s
              31: 2->1 1->2: 15000000000 B/s
            nvbandwidth: all_to_one_read_ce, Copy, 3 devices, ranks Some(3)
              38: 0->1: 21500000000 B/s
              38: 1->0 1->2: 20000000000 B/s
              38: 2->1: 19500000000 B/s
            nvbandwidth: one_to_all_write_ce, Copy, 3 devices, ranks Some(3)
              45: 0->1: 22000000000 B/s
              45: 1->0 1->2: 20500000000 B/s
              45: 2->1: 19000000000 B/s
            note: left out: one_to_all_read_ce (line 49), which nvbandwidth waived, because no two GPUs support it
            note: device_to_device_memcpy_write_ce: no bandwidth for 2 pairs of GPUs, which have no access to each other
            note: device_to_device_bidirectional_memcpy_read_sm: no bandwidth for 2 pairs of GPUs, which have no access to each other
            note: left out: host_to_device_memcpy_ce; only copies between GPUs are read
            note: the pairs of a matrix were measured one at a time, so it does not show what pairs share
        "]].assert_eq(&describe(&reading));
    }

    #[test]
    fn tests_that_failed_or_did_not_end_are_named() {
        let reading = read_text(include_str!("../../../../../fuzz/corpus/nvbandwidth/failed.txt"));
        expect![[r"
            nvbandwidth: device_to_device_memcpy_write_ce, Copy, 2 devices, ranks Some(2)
              8: 0->1: 250000000000 B/s
              9: 1->0: 251000000000 B/s
            note: left out: a test (line 13), which nvbandwidth waived, because no two GPUs support it
            note: left out: device_to_device_memcpy_read_ce (line 14), which has no matrix: it failed, or the output is cut off
            note: the pairs of a matrix were measured one at a time, so it does not show what pairs share
            note: line 15: the output reports an error, 'Invalid value when checking the pattern at 0x70a640000000', and 1 more; values after it may be missing
        "]].assert_eq(&describe(&reading));
    }

    #[test]
    fn json_lists_the_gpus() {
        let text = include_str!("../../../../../fuzz/corpus/nvbandwidth/devices.json");
        let reading = read_text(text);
        expect![[r"
            nvbandwidth: device_to_device_memcpy_read_ce, Copy, 2 devices, ranks Some(2)
              20: 1->0: 371200000000 B/s
              20: 0->1: 370900000000 B/s
            nvbandwidth: multinode_bisect_write_ce, Copy, 2 devices, ranks Some(2)
              27: 1->0 0->1: 368500000000 B/s (368500000000 to 369500000000)
            note: left out: device_to_device_memcpy_write_sm (line 38), which nvbandwidth waived, because no two GPUs support it
            note: left out: device_to_device_latency_sm; only copies between GPUs are read
            note: the pairs of a matrix were measured one at a time, so it does not show what pairs share
        "]].assert_eq(&describe(&reading));
        let device = &reading.runs[0].devices[1];
        assert_eq!((device.host.as_deref(), device.bus_id.as_deref()), (Some("node-a"), Some("0009:06:00")));
        let odd = text.replace("\"371.2\"", "\"fast\"");
        expect!["field 'bandwidth_matrix of device_to_device_memcpy_read_ce' (line 20): found 'fast' in row 0, expected a number that is not negative"].assert_eq(&error_of(&odd));
    }
}

/// Outputs of p2pBandwidthLatencyTest.
mod p2p_bandwidth_latency {
    use super::*;

    #[test]
    fn old_releases_have_one_matrix_of_latencies() {
        let reading = read_text(include_str!("../../../../../fuzz/corpus/p2p_bandwidth_latency/cuda-8.txt"));
        expect![[r"
            p2pBandwidthLatencyTest: unidirectional bandwidth, Copy, 2 devices, ranks Some(2)
              15: 0->1: 13160000000 B/s
              16: 1->0: 13100000000 B/s
            p2pBandwidthLatencyTest: bidirectional bandwidth, Copy, 2 devices, ranks Some(2)
              19: 0->1 1->0: 12700000000 B/s
              20: 1->0 0->1: 12650000000 B/s
            p2pBandwidthLatencyTest: latency, Copy, 2 devices, ranks Some(2)
              27: 0->1 16 B: 7100000 ps
              28: 1->0 16 B: 7200000 ps
            note: left out: the matrices of P2P=Disabled; their data goes through the memory of the host
        "]]
        .assert_eq(&describe(&reading));
    }

    #[test]
    fn kernels_and_reads_are_options() {
        let text = "\
$ ./p2pBandwidthLatencyTest --sm_copy --p2p_read
Unidirectional P2P=Enabled Bandwidth (P2P Reads) Matrix (GB/s)
   D\\D     0      1 \n     0 911.08   9.90 \n     1   9.95 922.37 \n";
        expect![[r"
            p2pBandwidthLatencyTest: unidirectional bandwidth, Kernel, 2 devices, ranks Some(2)
              4: 1->0: 9900000000 B/s
              5: 0->1: 9950000000 B/s
        "]]
        .assert_eq(&describe(&read_text(text)));
    }
}

/// Outputs of the OSU micro-benchmarks.
mod osu {
    use super::*;

    #[test]
    fn heads_of_all_releases_are_read() {
        let text = include_str!("../../../../../fuzz/corpus/osu/heads.txt");
        let options = ReadOptions { ranks: Some(4), ..ReadOptions::default() };
        expect![[r"
            the OSU micro-benchmarks: MPI Latency, Message, 2 devices, ranks Some(2)
              3: 0->1 0 B: 1840000 ps
              4: 0->1 8 B: 1860000 ps
            the OSU micro-benchmarks: MPI-CUDA Bandwidth, Message, 2 devices, ranks Some(2)
              11: 0->1 1048576 B: 73675190000 B/s
            the OSU micro-benchmarks: MPI-ROCM Bi-Directional Bandwidth, Message, 2 devices, ranks Some(2)
              14: 0->1 1->0 1048576 B: 30000000000 B/s
              15: 0->1 1->0 2097152 B: 30500000000 B/s, wrong
            the OSU micro-benchmarks: MPI Multiple Bandwidth / Message Rate, Message, 4 devices, ranks Some(4)
              19: 0->2 1->3 1024 B: 25922230000 B/s
            the OSU micro-benchmarks: MPI Broadcast Latency, Message, 0 devices, ranks Some(4)
              22: broadcast 1 B: 86560000 ps (21320000 to 126270000)
            the OSU micro-benchmarks: NCCL-CUDA Allreduce Latency, Kernel, 0 devices, ranks Some(4)
              27: all-reduce 1073741824 B: 8955180000 ps
            the OSU micro-benchmarks: MPI Allgather Latency, Message, 0 devices, ranks Some(4)
              31: all-gather 4096 B: 6000000 ps (5800000 to 6600000)
            note: left out: the test 'MPI Multi Latency' of line 32, which is not supported
            note: left out: the test 'MPI Barrier Latency' of line 35, which is not supported
            note: MB/s are 10^6 bytes per second, as the OSU micro-benchmarks count; --rate-unit sets another one
            note: the benchmark found wrong data in line 15; such values do not count
        "]]
        .assert_eq(&describe(&read(text, &options).unwrap()));
    }

    #[test]
    fn a_last_value_that_is_cut_off_is_left_out() {
        let text = "# OSU MPI Bandwidth Test v5.9\n# Size      Bandwidth (MB/s)\n1024    900.00\n2048    1800.0";
        expect![[r"
            the OSU micro-benchmarks: MPI Bandwidth, Message, 2 devices, ranks Some(2)
              3: 0->1 1024 B: 900000000 B/s
            note: line 4: the last row is incomplete and is left out
            note: MB/s are 10^6 bytes per second, as the OSU micro-benchmarks count; --rate-unit sets another one
        "]]
        .assert_eq(&describe(&read_text(text)));
    }
}

/// Outputs of nccl-tests and rccl-tests.
mod nccl_tests {
    use super::*;

    #[test]
    fn tables_may_have_times_in_place_only() {
        let reading = read_text(include_str!("../../../../../fuzz/corpus/nccl_tests/in-place.rccl.txt"));
        expect![[r"
            nccl-tests: broadcast, Kernel, 2 devices, ranks Some(2)
              13: broadcast 1048576 B: 30000000 ps, in place
        "]]
        .assert_eq(&describe(&reading));
    }

    #[test]
    fn tables_of_mscclpp_test_have_no_types_and_the_times_in_place_first() {
        let text = include_str!("../../../../../fuzz/corpus/nccl_tests/mscclpp-test.txt");
        expect![[r"
            nccl-tests: all-reduce, Kernel, 2 devices, ranks Some(2)
              14: all-reduce 1048576 B: 20250000 ps, in place
              15: all-reduce 2097152 B: 35500000 ps, in place
            nccl-tests: all-to-all, Kernel, 2 devices, ranks Some(2)
              28: all-to-all 1048576 B: 18750000 ps
        "]]
        .assert_eq(&describe(&read_text(text)));
        let unnamed = text.replace("_perf", "");
        let error = error_of(&unnamed);
        assert!(error.contains("its test, which may be all-reduce or sendrecv"), "{error}");
    }

    #[test]
    fn files_of_results_are_read() {
        let texts = [
            include_str!("../../../../../fuzz/corpus/nccl_tests/report.json"),
            include_str!("../../../../../fuzz/corpus/nccl_tests/report-lines.json"),
            include_str!("../../../../../fuzz/corpus/nccl_tests/report.csv"),
            include_str!("../../../../../fuzz/corpus/nccl_tests/report-nodes.csv"),
            include_str!("../../../../../fuzz/corpus/nccl_tests/report-gpus.csv"),
        ];
        expect![[r"
            nccl-tests: all-reduce, Kernel, 0 devices, ranks Some(4)
              2: all-reduce 1048576 B: 60250000 ps
              3: all-reduce 1048576 B: 61500000 ps, in place, wrong
              4: all-reduce 2097152 B: 110125000 ps
              5: all-reduce 2097152 B: 112000000 ps, in place
            note: the benchmark found wrong data in line 3; such values do not count
            nccl-tests: sendrecv, Kernel, 2 devices, ranks Some(2)
              1: 0->1 1->0 1048576 B: 60250000 ps
              2: 0->1 1->0 1048576 B: 61500000 ps, in place
            nccl-tests: all-gather, Kernel, 0 devices, ranks Some(8)
              2: all-gather 1048576 B: 60250000 ps
              3: all-gather 1048576 B: 61500000 ps, in place
            nccl-tests: reduce-scatter, Kernel, 0 devices, ranks Some(8)
              2: reduce-scatter 1048576 B: 61500000 ps, in place
            nccl-tests: all-to-all, Kernel, 0 devices, ranks Some(4)
              2: all-to-all 1048576 B: 60250000 ps
            note: left out: hypercube_perf (line 3), which is none of the collectives of Lockstep
        "]]
        .assert_eq(&texts.map(|text| describe(&read_text(text))).concat());
    }

    #[test]
    fn files_of_results_that_are_cut_off_are_told() {
        let json = include_str!("../../../../../fuzz/corpus/nccl_tests/report.json");
        let error = error_of(&json.replace("]\n", ""));
        assert!(error.starts_with("line 6: the JSON ends in the middle of a value"), "{error}");
        let error = error_of(&json.replace(":60.25", ":-60.25"));
        assert_eq!(error, "line 2: column 'time' is '-60.25', expected a number that is not negative");
        let csv = include_str!("../../../../../fuzz/corpus/nccl_tests/report.csv");
        let cut = describe(&read_text(csv.strip_suffix(",\"0\"\n").unwrap()));
        assert!(cut.contains("note: line 3: the last row is incomplete and is left out"), "{cut}");
        let error = error_of(&csv.replace(",60.250000,", ",60,250000,"));
        assert!(error.contains("expected 14 values, one per column; write decimals with a point"), "{error}");
    }

    #[test]
    fn a_failure_of_the_library_is_named() {
        let reading = read_text(include_str!("../../../../../fuzz/corpus/nccl_tests/failure.txt"));
        expect![[r"
            nccl-tests: all-reduce, Kernel, 2 devices, ranks Some(2)
              12: all-reduce 8192 B: 35150000 ps
              12: all-reduce 8192 B: 30330000 ps, in place
            note: the table of line 10 has no footer, so the run did not end or the output is cut off; rows read: 1
            note: line 13: the output reports an error, 'host-a: Test NCCL failure common.cu:1204 'unhandled cuda error (run with NCCL_DEBUG=INFO for details) / '', and 1 more; values after it may be missing
        "]].assert_eq(&describe(&reading));
    }
}

/// Outputs of `TransferBench`.
mod transfer_bench {
    use super::*;

    const A2A: &str = include_str!("../../../../../data/measured/two-gpus.a2a.transferbench.txt");

    #[test]
    fn transfers_of_a_test_run_at_the_same_time() {
        expect![[r"
            TransferBench: transfers at the same time, Kernel, 2 devices, ranks Some(2)
              6: 0->1 1->0 67108864 B: 45500000000 B/s (45500000000 to 46000000000)
            note: the transfers of a test run at the same time; a sample is the least rate of them
        "]]
        .assert_eq(&describe(&read_text(A2A)));
    }

    #[test]
    fn separators_and_names_of_all_releases_are_read() {
        let plain = read_text(A2A);
        for separator in [",", "\u{2502}", " "] {
            assert_eq!(read_text(&A2A.replace('|', separator)), plain, "{separator}");
        }
        for (from, to) in [("F0 -> G000:008 -> F1", "(F0->GPU00:008->F1)"), ("G001:008", "G1:8"), ("F0", "G0")] {
            let text = A2A.replace(from, to);
            assert_ne!(text, A2A);
            assert_eq!(read_text(&text.replace("->", " -> ")).runs, plain.runs, "{to}");
        }
    }

    #[test]
    fn executors_ranks_and_other_memory_are_told_apart() {
        let reading = read_text(include_str!("../../../../../fuzz/corpus/transfer_bench/tests.txt"));
        expect![[r"
            TransferBench: transfers at the same time, Kernel, 4 devices, ranks Some(4)
              5: 0->3 67108864 B: 46000000000 B/s
            TransferBench: transfers at the same time, Copy, 4 devices, ranks Some(4)
              10: 0->1 67108864 B: 50000000000 B/s
            TransferBench: transfers at the same time, Message, 4 devices, ranks Some(4)
              15: 0->2 2->0 67108864 B: 23000000000 B/s (23000000000 to 24000000000)
            note: GPU g of rank r is read as device 2 r + g
            note: the transfers of a test run at the same time; a sample is the least rate of them
            note: left out: the tests of line 19, which have transfers of other memory than that of GPUs, or several kinds of executors or sizes
        "]].assert_eq(&describe(&reading));
    }

    #[test]
    fn tests_without_their_end_are_refused() {
        let end = A2A.find(" Aggregate").unwrap();
        expect!["line 6: the test that begins here has no line 'Aggregate', so transfers may be missing; the output is cut off: copy all of it, or run the benchmark again"].assert_eq(&error_of(&A2A[..end]));
        let next = format!("{}Test 2:\n{}", &A2A[..end], &A2A[end..]);
        assert_eq!(error_of(&next), error_of(&A2A[..end]));
        expect!["line 8: found 'Transfer 01  |   45.500 GB/s |    1.475 ms |     67108864 bytes ; F1 -> G001:008 -> F0', expected the fields of a transfer, such as 'Transfer 00 | 33.5 GB/s | 2.0 ms | 67108864 bytes | G0 -> GPU00:004 -> G1'"].assert_eq(&error_of(&A2A.replace("67108864 bytes | F1", "67108864 bytes ; F1")));
    }
}

/// Outputs of perftest.
mod perftest {
    use super::*;

    #[test]
    fn titles_and_columns_of_all_options_are_read() {
        let reading = read_text(include_str!("../../../../../fuzz/corpus/perftest/options.txt"));
        expect![[r"
            perftest: RDMA_Write Post List BW, Message, 2 devices, ranks Some(2)
              5: 0->1 65536 B: 49037500000 B/s
            perftest: Send_imm Bidirectional BW, Message, 2 devices, ranks Some(2)
              9: 0->1 1->0 65536 B: 1048576000 B/s
            perftest: RDMA_Read BW, Message, 2 devices, ranks Some(2)
              13: 1->0 65536 B: 1048576000 B/s
            perftest: RDMA_Write Latency, Message, 2 devices, ranks Some(2)
              21: 0->1 2 B: 1350000 ps
            perftest: RDMA_Write BW, Message, 2 devices, ranks Some(2)
              29: 0->1 65536 B: 2097152000 B/s
            note: left out: the rates of line 16, which are of atomic operations; measure with ib_write_bw or ib_read_bw
            note: left out: the times of line 24, which are whole round trips; measure with ib_write_lat or ib_send_lat
            note: line 30: the last row is incomplete and is left out
            note: the table of line 28 has no line of dashes behind it, so the run did not end or the output is cut off
            note: MB/sec are 2^20 bytes per second, as perftest counts; --rate-unit sets another one
        "]]
        .assert_eq(&describe(&reading));
    }

    #[test]
    fn cycles_are_refused() {
        let text = "\
Send Latency Test
#bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]
#, cycles
1, 3000
2, 3100
2 1000 2900.00 3200.00 3050.00
-----
";
        expect!["line 6: the times are cycles of the processor; run the test again without --report-cycles"]
            .assert_eq(&error_of(text));
        expect![[r"
            perftest: Send Latency, Message, 2 devices, ranks Some(2)
              6: 0->1 2 B: 3050000000 ps (2900000000 to 3200000000)
        "]]
        .assert_eq(&describe(&read_text(&text.replace("cycles", "usec"))));
    }

    #[test]
    fn json_of_releases_without_quotes_is_read() {
        let text = include_str!("../../../../../fuzz/corpus/perftest/without-quotes.json");
        expect![[r"
            perftest: RDMA_Write Latency, Message, 2 devices, ranks Some(2)
              10: 0->1 128 B: 2420000 ps (2370000 to 5390000)
        "]]
        .assert_eq(&describe(&read_text(text)));
        expect![[r#"field 'results.t_typical' (line 14): invalid type: string "fast", expected f64"#]]
            .assert_eq(&error_of(&text.replace("t_typical: 2.42", "t_typical: fast")));
        expect!["line 14: the JSON ends in the middle of a value; the output is cut off: copy all of it, or run the benchmark again"].assert_eq(&error_of(&text[..text.find("t_typical").unwrap()]));
    }
}

/// Outputs of mpiGraph.
mod mpi_graph {
    use super::*;

    #[test]
    fn the_size_has_several_forms() {
        let text = include_str!("../../../../../data/measured/three-hosts.mpigraph.txt");
        let plain = read_text(text);
        for size in ["MsgSize\t1048576", "MsgSize    1048576", "Msg Size: 1048576 Bytes"] {
            assert_eq!(read_text(&text.replace("MsgSize:\t1048576", size)), plain, "{size}");
        }
        let cut = text.replace("11400.0", "11400");
        assert!(error_of(&cut).contains("has fewer decimals than the others"), "{}", error_of(&cut));
    }
}
