//! Each reader with each fault: an output of another tool behind it, cut in a row or before its end, wrong values, two runs, commas
//! as decimal points, another unit, no text, and no output of a benchmark.

use std::fmt::Write;

use expect_test::expect;
use lockstep_measure::format::{ReadOptions, Reading, read};
use lockstep_measure::{Figure, Run};

const OSU: &str = include_str!("../../../../../data/measured/all-reduce.osu.txt");
const P2P: &str = include_str!("../../../../../data/measured/two-gpus.p2p.txt");

/// The output of a benchmark, and how to spoil it.
struct Output {
    name: &'static str,
    text: &'static str,
    /// The text behind the place where the output is cut in a row.
    behind_row: &'static str,
    /// The first text of the end.
    end: &'static str,
    /// A text, and another one that reports wrong values.
    wrong: Option<[&'static str; 2]>,
    /// A number, and the same one with a comma.
    comma: [&'static str; 2],
}

const OUTPUTS: [Output; 11] = [
    Output {
        name: "nccl-tests",
        text: include_str!("../../../../../data/measured/four-gpus.all-reduce.nccl-tests.txt"),
        behind_row: "401.0",
        end: "# Out of bounds",
        wrong: Some(["400.0   41.94   62.91      0", "400.0   41.94   62.91      5"]),
        comma: ["400.0", "400,0"],
    },
    Output {
        name: "nccl-tests, JSON",
        text: include_str!("../../../../../data/measured/four-gpus.all-gather.nccl-tests.json"),
        behind_row: "\"in_place\"",
        end: "\"end_time\"",
        wrong: Some(["\"nwrong\": 0", "\"nwrong\": 5"]),
        comma: ["\"time\": 40.0", "\"time\": \"40,0\""],
    },
    Output {
        name: "OSU",
        text: OSU,
        behind_row: "590.00",
        end: "1048576",
        wrong: Some(["# Datatype", "[a:0] DATA VALIDATION ERROR: osu_allreduce exited with status 1\n# Datatype"]),
        comma: ["600.00", "600,00"],
    },
    Output {
        name: "nvbandwidth",
        text: include_str!("../../../../../data/measured/three-gpus.nvbandwidth.txt"),
        behind_row: ".00       N/A\n\nSUM device_to_device_bidirectional_memcpy_read_ce_total",
        end: "SUM device_to_device_bidirectional_memcpy_read_ce_total",
        wrong: Some([
            "SUM device_to_device_memcpy_read_ce",
            "Invalid value when checking the pattern at 0x7f\nSUM device_to_device_memcpy_read_ce",
        ]),
        comma: ["46.10", "46,10"],
    },
    Output {
        name: "nvbandwidth, JSON",
        text: include_str!("../../../../../fuzz/corpus/nvbandwidth/devices.json"),
        behind_row: "\"371.2\"",
        end: "\"warning\"",
        wrong: Some(["\"Passed\"", "\"Error\""]),
        comma: ["\"371.2\"", "\"371,2\""],
    },
    Output {
        name: "p2pBandwidthLatencyTest",
        text: P2P,
        behind_row: ".60 \n\n   CPU     0      1 \n     0   3.00   2.40",
        end: "P2P=Enabled Latency",
        wrong: None,
        comma: ["46.00", "46,00"],
    },
    Output {
        name: "TransferBench p2p",
        text: include_str!("../../../../../data/measured/two-gpus.transferbench.txt"),
        behind_row: ".91\n                           CPU->CPU",
        end: "                           CPU->CPU",
        wrong: Some(["Bidirectional", "[ERROR] Unexpected mismatch at index 0\nBidirectional"]),
        comma: ["46.00", "46,00"],
    },
    Output {
        name: "TransferBench a2a",
        text: include_str!("../../../../../data/measured/two-gpus.a2a.transferbench.txt"),
        behind_row: "-> F0",
        end: " Aggregate",
        wrong: Some(["Test 1:", "[ERROR] Unexpected mismatch at index 0\nTest 1:"]),
        comma: [
            "46.000 GB/s |    1.459 ms |     67108864 bytes | F0",
            "46,000 GB/s |    1.459 ms |     67108864 bytes | F0",
        ],
    },
    Output {
        name: "perftest",
        text: include_str!("../../../../../data/measured/two-hosts.perftest.txt"),
        behind_row: ".28        \t0.00",
        end: "\n---------------------------------------------------------------------------------------\n                    Send",
        wrong: Some([" 65536 ", "Completion with error at client\n 65536 "]),
        comma: ["11690.00", "11690,00"],
    },
    Output {
        name: "mpiGraph",
        text: include_str!("../../../../../data/measured/three-hosts.mpigraph.txt"),
        behind_row: ".0\t0.0\n\nRecv",
        end: "\nEND",
        wrong: None,
        comma: ["11480.0", "11480,0"],
    },
    Output {
        name: "a table",
        text: include_str!("../../../../../data/measured/transfers.csv"),
        behind_row: ",12.5,both",
        end: "node-3,node-4,1048576,,12.5,both",
        wrong: None,
        comma: [",24.5,", ",\"24,5\","],
    },
];

fn plain(text: &str) -> Reading {
    read(text, &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the part of a text before another one.
fn before<'a>(text: &'a str, end: &str) -> &'a str {
    &text[..text.rfind(end).unwrap_or_else(|| panic!("no {end:?} in the text"))]
}

fn replaced(text: &str, [from, to]: [&str; 2]) -> String {
    assert!(text.contains(from), "no {from:?} in the text");
    text.replacen(from, to, 1)
}

/// Returns what a spoiled output gives: the error, or the number of samples and the notes that the whole output does not have.
fn outcome(text: &str, whole: &Reading) -> String {
    let reading = match read(text, &ReadOptions::default()) {
        Ok(reading) => reading,
        Err(error) => return format!("error: {error}\n"),
    };
    let count = |reading: &Reading| reading.runs.iter().map(|run| run.samples.len()).sum::<usize>();
    let mut text = format!("{} of {} samples\n", count(&reading), count(whole));
    for note in reading.notes.iter().filter(|note| !whole.notes.contains(note)) {
        writeln!(text, "    {note}").unwrap();
    }
    text
}

/// Returns what each output with each fault gives.
fn outcomes() -> String {
    let mut table = String::new();
    for Output { name, text, behind_row, end, wrong, comma } in OUTPUTS {
        let whole = plain(text);
        let other = if name == "OSU" { P2P } else { OSU };
        writeln!(table, "{name}").unwrap();
        let mut add = |fault: &str, text: &str| write!(table, "  {fault}: {}", outcome(text, &whole)).unwrap();
        add("another tool", &format!("{text}\n{other}"));
        add("cut in a row", before(text, behind_row));
        add("cut before the end", before(text, end));
        if let Some(wrong) = wrong {
            add("wrong values", &replaced(text, wrong));
        }
        add("comma", &replaced(text, comma));
    }
    table
}

#[test]
fn each_reader_tells_each_fault() {
    expect![[r"
        nccl-tests
          another tool: 6 of 6 samples
            not read: the output of the OSU micro-benchmarks in the same file; only that of nccl-tests was read; give each a file of its own
          cut in a row: 4 of 6 samples
            line 14: the last row is incomplete and is left out
            the table of line 10 has no footer, so the run did not end or the output is cut off; rows read: 2
          cut before the end: 6 of 6 samples
            the table of line 10 has no footer, so the run did not end or the output is cut off; rows read: 3
          wrong values: 6 of 6 samples
            the benchmark found wrong data in line 14; such values do not count
          comma: error: line 14: column 'time' is '400,0', expected a number with a decimal point and without commas; run the benchmark with LC_ALL=C, or replace the commas
        nccl-tests, JSON
          another tool: error: line 12: found more text behind the JSON, expected JSON only; give the other text a file of its own
          cut in a row: error: line 7: the JSON ends in the middle of a value; the output is cut off: copy all of it, or run the benchmark again
          cut before the end: error: line 10: the JSON ends in the middle of a value; the output is cut off: copy all of it, or run the benchmark again
          wrong values: 2 of 2 samples
            the benchmark found wrong data in line 5; such values do not count
          comma: error: field 'results[0].out_of_place.time' (line 5): found '40,0', expected a number with a decimal point and without commas; run the benchmark with LC_ALL=C, or replace the commas
        OSU
          another tool: 6 of 4 samples
            left out: the matrices of P2P=Disabled; their data goes through the memory of the host
            not read: the output of the OSU micro-benchmarks in the same file; only that of p2pBandwidthLatencyTest was read; give each a file of its own
          cut in a row: 3 of 4 samples
            line 7: the last row is incomplete and is left out
          cut before the end: 3 of 4 samples
          wrong values: 4 of 4 samples
            line 2: the output reports an error, '[a:0] DATA VALIDATION ERROR: osu_allreduce exited with status 1'; values after it may be missing
          comma: error: line 7: column 'Avg Latency(us)' is '600,00', expected a number with a decimal point and without commas; run the benchmark with LC_ALL=C, or replace the commas
        nvbandwidth
          another tool: 12 of 12 samples
            not read: the output of the OSU micro-benchmarks in the same file; only that of nvbandwidth was read; give each a file of its own
          cut in a row: error: line 43: row 2 of the matrix has 2 values, expected 3; the output is cut off: copy all of it, or run the benchmark again
          cut before the end: 12 of 12 samples
            the matrix of line 39 has no line 'SUM' behind it, so the run did not end or the output is cut off
          wrong values: 12 of 12 samples
            line 20: the output reports an error, 'Invalid value when checking the pattern at 0x7f'; values after it may be missing
          comma: error: line 16: column '1' is '46,10', expected a number with a decimal point and without commas; run the benchmark with LC_ALL=C, or replace the commas
        nvbandwidth, JSON
          another tool: error: line 45: found more text behind the JSON, expected JSON only; give the other text a file of its own
          cut in a row: error: line 17: the JSON ends in the middle of a value; the output is cut off: copy all of it, or run the benchmark again
          cut before the end: error: line 41: the JSON ends in the middle of a value; the output is cut off: copy all of it, or run the benchmark again
          wrong values: 1 of 3 samples
            left out: device_to_device_memcpy_read_ce (line 20), whose status is 'Error'
          comma: error: field 'bandwidth_matrix of device_to_device_memcpy_read_ce' (line 20): found '371,2' in row 0, expected a number with a decimal point and without commas; run the benchmark with LC_ALL=C, or replace the commas
        p2pBandwidthLatencyTest
          another tool: 6 of 6 samples
            not read: the output of the OSU micro-benchmarks in the same file; only that of p2pBandwidthLatencyTest was read; give each a file of its own
          cut in a row: error: line 38: the last value of row 1 has fewer decimals than the others; the output is cut off: copy all of it, or run the benchmark again
          cut before the end: 4 of 6 samples
            the output has no latencies, which stand at its end, so the run did not end or the output is cut off
          comma: error: line 17: column '1' is '46,00', expected a number with a decimal point and without commas; run the benchmark with LC_ALL=C, or replace the commas
        TransferBench p2p
          another tool: 4 of 4 samples
            line 29: the number of ranks is not in the output; state it
            not read: the output of TransferBench in the same file; only that of the OSU micro-benchmarks was read; give each a file of its own
          cut in a row: error: line 9: the last value of the row has fewer decimals than the others; the output is cut off: copy all of it, or run the benchmark again
          cut before the end: 4 of 4 samples
            the table of line 13 has no line 'Averages' behind it, so the run did not end or the output is cut off
          wrong values: 4 of 4 samples
            line 13: the output reports an error, '[ERROR] Unexpected mismatch at index 0'; values after it may be missing
          comma: error: line 8: column '2' is '46,00', expected a number with a decimal point and without commas; run the benchmark with LC_ALL=C, or replace the commas
        TransferBench a2a
          another tool: 4 of 1 samples
            line 23: the number of ranks is not in the output; state it
            not read: the output of TransferBench in the same file; only that of the OSU micro-benchmarks was read; give each a file of its own
          cut in a row: error: line 8: found 'Transfer 01  |   45.500 GB/s |    1.475 ms |     67108864 bytes | F1 -> G001:008', expected the fields of a transfer, such as 'Transfer 00 | 33.5 GB/s | 2.0 ms | 67108864 bytes | G0 -> GPU00:004 -> G1'
          cut before the end: error: line 6: the test that begins here has no line 'Aggregate', so transfers may be missing; the output is cut off: copy all of it, or run the benchmark again
          wrong values: 1 of 1 samples
            line 4: the output reports an error, '[ERROR] Unexpected mismatch at index 0'; values after it may be missing
          comma: error: line 6: column 'GB/s' is '46,000', expected a number with a decimal point and without commas; run the benchmark with LC_ALL=C, or replace the commas
        perftest
          another tool: 4 of 3 samples
            line 18: the number of ranks is not in the output; state it
            not read: the output of perftest in the same file; only that of the OSU micro-benchmarks was read; give each a file of its own
          cut in a row: 2 of 3 samples
            line 15: the last row is incomplete and is left out
            the table of line 13 has no line of dashes behind it, so the run did not end or the output is cut off
            line 13: the table has no rows
          cut before the end: 2 of 3 samples
            the table of line 7 has no line of dashes behind it, so the run did not end or the output is cut off
          wrong values: 3 of 3 samples
            line 8: the output reports an error, 'Completion with error at client'; values after it may be missing
          comma: error: line 8: column 'BW average[MiB/sec]' is '11690,00', expected a number with a decimal point and without commas; run the benchmark with LC_ALL=C, or replace the commas
        mpiGraph
          another tool: 4 of 2 samples
            line 19: the number of ranks is not in the output; state it
            not read: the output of mpiGraph in the same file; only that of the OSU micro-benchmarks was read; give each a file of its own
          cut in a row: error: line 10: the row 'c:2 to' has 2 rates, expected 3; the output is cut off: copy all of it, or run the benchmark again
          cut before the end: 2 of 2 samples
            the output has no line 'END mpiGraph', so the run did not end or the output is cut off
          comma: error: line 9: column '0' is '11480,0', expected a number with a decimal point and without commas; run the benchmark with LC_ALL=C, or replace the commas
        a table
          another tool: 4 of 3 samples
            line 8: the number of ranks is not in the output; state it
            not read: the output of a table in the same file; only that of the OSU micro-benchmarks was read; give each a file of its own
          cut in a row: error: line 6: found 4 values, expected 6 values, one per column
          cut before the end: 3 of 3 samples
          comma: error: line 3: found 7 values, expected 6 values, one per column; write decimals with a point
    "]].assert_eq(&outcomes());
}

/// What launchers, terminals and documents add to an output changes nothing.
#[test]
fn prefixes_and_escapes_change_nothing() {
    for Output { name, text, .. } in OUTPUTS {
        let whole = plain(text);
        for prefix in [
            "  ",
            "> ",
            "0: ",
            "[0] ",
            "node-1: ",
            "launcher-1  | ",
            "[1,0]<stdout>:",
            "[2026-01-02 03:04:05] ",
            "2026-01-02T03:04:05Z ",
            "2026-01-02T03:04:05.678901234Z stdout F ",
            "[pod/launcher-x7/main] ",
            "\u{1b}[32m",
        ] {
            let lines: Vec<String> = text.lines().map(|line| format!("{prefix}{line}\n")).collect();
            assert_eq!(plain(&lines.concat()), whole, "{name} behind {prefix:?}");
        }
        assert_eq!(plain(&text.replace('\n', "\r\n")), whole, "{name}");
        assert_eq!(plain(&format!("\u{feff}{text}")), whole, "{name}");
        // Samples have the lines of the file.
        let fenced = plain(&format!("```text\n{text}```\n"));
        assert_eq!(fenced.runs.len(), whole.runs.len(), "{name}");
        for (fenced, whole) in fenced.runs.iter().zip(&whole.runs) {
            let lines = |run: &Run, more: u32| run.samples.iter().map(|sample| sample.line + more).collect::<Vec<_>>();
            assert_eq!(lines(fenced, 0), lines(whole, 1), "{name}");
        }
        let numbered: Vec<String> =
            (1..).zip(text.lines()).map(|(number, line)| format!("{number:>4} {line}\n")).collect();
        if text.lines().count() > 3 {
            assert_eq!(plain(&numbered.concat()), whole, "{name}");
        }
    }
}

#[test]
fn two_runs_in_a_file_are_two() {
    for Output { name, text, .. } in OUTPUTS.into_iter().filter(|output| output.name != "a table") {
        let (once, twice) = (plain(text), plain(&format!("{text}\n{text}")));
        let tests = |reading: &Reading| {
            let tests: Vec<_> =
                reading.runs.iter().map(|run| (run.test.clone(), run.devices.clone(), run.ranks)).collect();
            tests
        };
        let figures = |reading: &Reading| {
            let samples = reading.runs.iter().flat_map(|run| &run.samples);
            samples.map(|sample| (sample.figure, sample.bytes, sample.workload.clone())).collect::<Vec<_>>()
        };
        if name == "TransferBench a2a" {
            // The tests of a kind are one run.
            assert_eq!(tests(&twice), tests(&once));
        } else {
            assert_eq!(tests(&twice), [tests(&once), tests(&once)].concat(), "{name}");
        }
        assert_eq!(figures(&twice), [figures(&once), figures(&once)].concat(), "{name}");
    }
}

/// The rates of an output are proportional to the unit, and times and sizes do not depend on it.
#[test]
fn the_unit_can_be_stated() {
    for Output { name, text, .. } in OUTPUTS {
        let rates = |rate_unit: u64| {
            let reading = read(text, &ReadOptions { rate_unit: Some(rate_unit), ranks: None }).unwrap();
            let figures = reading.runs.into_iter().flat_map(|run| run.samples).map(|sample| match sample.figure {
                Figure::BytesPerSecond(rate) => (rate, true),
                Figure::Picoseconds(time) => (time, false),
            });
            figures.collect::<Vec<(u64, bool)>>()
        };
        let (decimal, binary) = (rates(1_000_000_000), rates(1 << 30));
        assert_eq!(decimal.len(), binary.len());
        let states_its_unit = name.starts_with("perftest") || name == "a table";
        for ((decimal, is_rate), (binary, _)) in decimal.into_iter().zip(binary) {
            if is_rate && !states_its_unit {
                // The rounding to whole bytes per second differs.
                assert!(
                    (decimal as f64 * 1.073_741_824 - binary as f64).abs() <= 2.0,
                    "{name}: {decimal} and {binary}"
                );
            } else {
                assert_eq!(decimal, binary, "{name}");
            }
        }
    }
}

#[test]
fn files_without_an_output_are_refused() {
    let error = |text: &str| read(text, &ReadOptions::default()).unwrap_err().to_string();
    for text in ["", "\u{feff}", "\n \r\n"] {
        assert_eq!(error(text), "the file is empty; give the output of a benchmark");
    }
    for text in ["\u{7f}ELF\u{2}\u{1}\u{1}\0\0\0\0", "\u{1f}\u{fffd}\u{8}\0", "PK\u{3}\u{4}"] {
        assert!(error(text).starts_with("the text is the output of no known benchmark; give that of nccl-tests, "));
    }
}
