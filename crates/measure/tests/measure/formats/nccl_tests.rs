//! nccl-tests and rccl-tests.

use expect_test::expect;
use lockstep_measure::Device;
use lockstep_measure::format::{ReadOptions, read};

use super::{describe, error_of, read_text};

const TEXT: &str = include_str!("../../../../../data/measured/four-gpus.all-reduce.nccl-tests.txt");
const JSON: &str = include_str!("../../../../../data/measured/four-gpus.all-gather.nccl-tests.json");

#[test]
fn the_text_sample_is_read() {
    let reading = read_text(TEXT);
    expect![[r"
        nccl-tests: all-reduce, Kernel, 4 devices, ranks Some(4)
          12: all-reduce 1024 B: 10000000 ps
          12: all-reduce 1024 B: 10000000 ps, in place
          13: all-reduce 131072 B: 16000000 ps
          13: all-reduce 131072 B: 16100000 ps, in place
          14: all-reduce 16777216 B: 400000000 ps
          14: all-reduce 16777216 B: 401000000 ps, in place
        note: line 10: the output does not name its test; its columns are those of all-reduce
    "]]
    .assert_eq(&describe(&reading));
    let second = Device { host: Some("hosta".to_owned()), bus_id: Some("0000:0a:00".to_owned()) };
    assert_eq!(reading.runs[0].devices[1], second);
}

#[test]
fn the_json_sample_is_read() {
    expect![[r"
        nccl-tests: all-gather, Kernel, 4 devices, ranks Some(4)
          5: all-gather 1048576 B: 40000000 ps (38000000 to 44000000)
          5: all-gather 1048576 B: 39000000 ps, in place
    "]]
    .assert_eq(&describe(&read_text(JSON)));
}

#[test]
fn prefixes_of_launchers_and_logs_change_nothing() {
    let plain = read_text(TEXT);
    for prefix in ["[1,0]<stdout>:", "0: ", "2026-01-02T03:04:05Z ", "node-1: ", "[2026-01-02 03:04:05] "] {
        let lines: Vec<String> = TEXT.lines().map(|line| format!("{prefix}{line}\n")).collect();
        assert_eq!(read_text(&lines.concat()), plain, "{prefix}");
    }
    assert_eq!(read_text(&TEXT.replace('\n', "\r\n")), plain);
}

#[test]
fn the_program_names_the_test_and_two_runs_are_two() {
    let named = TEXT.replace("# nThread", "# Collective test starting: all_reduce_perf\n# nThread");
    let script = "+ NCCL_ALGO=Ring mpirun -n 4 ./build/all_gather_perf -b 1K\n";
    let gather = TEXT.replace("sum ", "none");
    let text = format!("{named}#\n# Collective test concluded: all_reduce_perf\n{script}{gather}");
    expect![[r"
        nccl-tests: all-reduce, Kernel, 4 devices, ranks Some(4)
          13: all-reduce 1024 B: 10000000 ps
          13: all-reduce 1024 B: 10000000 ps, in place
          14: all-reduce 131072 B: 16000000 ps
          14: all-reduce 131072 B: 16100000 ps, in place
          15: all-reduce 16777216 B: 400000000 ps
          15: all-reduce 16777216 B: 401000000 ps, in place
        nccl-tests: all-gather, Kernel, 4 devices, ranks Some(4), algorithm ring
          33: all-gather 1024 B: 10000000 ps
          33: all-gather 1024 B: 10000000 ps, in place
          34: all-gather 131072 B: 16000000 ps
          34: all-gather 131072 B: 16100000 ps, in place
          35: all-gather 16777216 B: 400000000 ps
          35: all-gather 16777216 B: 401000000 ps, in place
    "]]
    .assert_eq(&describe(&read_text(&text)));
}

#[test]
fn blank_and_additional_columns_are_found_by_the_head() {
    let head = "#  size  count  type  redop  root  cputime  algbw  busbw  #wrong  i_min  i_max  i_p99  i_cv%  cputime  algbw  busbw  #wrong  i_min  i_max  i_p99  i_cv%  timestamp\n";
    let full = "1024 256 float sum -1 10.0 0.1 0.1 0 9.0 12.0 12.0 1.0 11.0 0.1 0.1 3 10.0 1.2e+06 13.0 1.0 2026-01-01 00:00:00\n";
    let blank = "1024 256 float sum -1                                 11.0 0.1 0.1 N/A 10.0 13.0 13.0 1.0 2026-01-01 00:00:00\n";
    let footer = "# Out of bounds values : 1 FAILED\n";
    expect![[r"
        nccl-tests: all-reduce, Kernel, 0 devices, ranks None
          3: all-reduce 1024 B: 10000000 ps (9000000 to 12000000)
          3: all-reduce 1024 B: 11000000 ps (10000000 to 1200000000000), in place, wrong
        nccl-tests: all-reduce, Kernel, 0 devices, ranks None
          6: all-reduce 1024 B: 11000000 ps (10000000 to 13000000), in place
        note: line 4: the benchmark reports wrong data (Out of bounds values)
        note: line 7: the benchmark reports wrong data (Out of bounds values)
        note: line 2: the number of ranks is not in the output; state it
        note: line 5: the output does not name its test; its columns are those of all-reduce
        note: line 5: the number of ranks is not in the output; state it
        note: the benchmark found wrong data in line 3; such values do not count
    "]]
    .assert_eq(&describe(&read_text(&format!("all_reduce_perf\n{head}{full}{footer}{head}{blank}{footer}"))));
}

#[test]
fn old_releases_without_root_are_read() {
    let text = "\
# Using devices
#   Rank  0 Pid   10 on      hosta device  0 [0x07] Some GPU
#   Rank  1 Pid   10 on      hosta device  1 [0x0f] Some GPU
#
#                                                     out-of-place                       in-place
#       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error
#        (B)    (elements)                     (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
     1048576        262144   float     sum   100.00   10.49   10.49  2e-07   101.00   10.38   10.38  2e-07
 Out of bounds values : 0 OK
# Avg bus bandwidth    : 10.4
";
    expect![[r"
        nccl-tests: all-reduce, Kernel, 2 devices, ranks Some(2)
          8: all-reduce 1048576 B: 100000000 ps
          8: all-reduce 1048576 B: 101000000 ps, in place
        note: line 6: the output does not name its test; its columns are those of all-reduce
    "]]
    .assert_eq(&describe(&read_text(text)));
}

#[test]
fn a_test_without_a_name_is_found_by_its_columns_or_refused() {
    let table = |row: &str| {
        let devices = "#  Rank  0 Group  0 Pid 1 on h device  0 [0000:07:00] G\n#  Rank  1 Group  0 Pid 1 on h device  1 [0000:08:00] G\n";
        let head = "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n";
        format!("{devices}{head}{row} 1.0 1 1 0 1.0 1 1 0\n# Avg bus bandwidth : 1\n")
    };
    for (row, test) in [
        ("1024 256 float sum -1", "all-reduce"),
        ("1024 128 float sum -1", "reduce-scatter"),
        ("1024 256 float sum 0", "reduce"),
        ("1024 256 float none 0", "broadcast"),
        ("1024 256 float none -1", "sendrecv"),
    ] {
        assert_eq!(read_text(&table(row)).runs[0].test, test, "{row}");
    }
    for (row, names) in
        [("1024 128 float none -1", "all-gather or all-to-all"), ("1024 128 float none 0", "gather or scatter")]
    {
        let error = error_of(&table(row));
        assert!(error.starts_with("line 3: the output does not name its test") && error.contains(names), "{error}");
    }
    // Each rank sends to the next one.
    expect![[r"
        nccl-tests: sendrecv, Kernel, 2 devices, ranks Some(2)
          4: 0->1 1->0 1024 B: 1000000 ps
          4: 0->1 1->0 1024 B: 1000000 ps, in place
        note: line 3: the output does not name its test; its columns are those of sendrecv
    "]]
    .assert_eq(&describe(&read_text(&table("1024 256 float none -1"))));
    let other = format!("hypercube_perf\n{}", table("1024 128 float none -1"));
    expect![[r"
        note: left out: hypercube_perf (line 4), which is none of the collectives of Lockstep
        note: the output has no measurement that can be used
    "]]
    .assert_eq(&describe(&read_text(&other)));
}

#[test]
fn cut_and_wrong_outputs_are_told() {
    let rows: Vec<&str> = TEXT.lines().collect();
    let without_footer = rows[..14].join("\n");
    assert!(read_text(&without_footer).notes.iter().any(|note| note.contains("has no footer")));
    let cut_row = format!("{}\n  1048576   32768  float  sum   -1   16.0", rows[..13].join("\n"));
    let reading = read_text(&cut_row);
    assert_eq!(reading.runs[0].samples.len(), 4);
    assert!(
        reading.notes.iter().any(|note| note.starts_with("line 14: the last row is incomplete")),
        "{:?}",
        reading.notes
    );
    let spoiled = TEXT.replace("    16.10    8.14   12.21      0", "");
    assert!(error_of(&spoiled).starts_with("line 13: found '131072"), "{}", error_of(&spoiled));
    let wrong = TEXT.replace("10.00    0.10    0.15      0\n", "10.00    0.10    0.15      7\n");
    let reading = read_text(&wrong);
    assert!(reading.runs[0].samples[1].is_wrong && !reading.runs[0].samples[0].is_wrong);
    assert!(reading.notes.iter().any(|note| note.contains("wrong data in line 12;")), "{:?}", reading.notes);
    let no_time = TEXT.replace("16.00    8.19", "abc    8.19");
    assert_eq!(error_of(&no_time), "line 13: column 'time' is 'abc', expected a number that is not negative");
    let cut_json = &JSON[..JSON.len() / 2];
    assert!(error_of(cut_json).contains("the JSON ends in the middle of a value"), "{}", error_of(cut_json));
    let bad_json = JSON.replace("\"size\": 1048576", "\"size\": \"1M\"");
    assert!(
        error_of(&bad_json).starts_with("field 'results[0].size' (line 5): invalid type"),
        "{}",
        error_of(&bad_json)
    );
}

#[test]
fn the_number_of_ranks_can_be_stated() {
    let rows: Vec<&str> = TEXT.lines().filter(|line| !line.contains("Rank")).collect();
    let text = rows.join("\n");
    let reading = read_text(&text);
    assert_eq!(reading.runs[0].ranks, None);
    assert!(reading.notes.iter().any(|note| note.contains("the number of ranks is not in the output")));
    let options = ReadOptions { ranks: Some(4), ..ReadOptions::default() };
    assert_eq!(read(&text, &options).unwrap().runs[0].ranks, Some(4));
    let one = TEXT.lines().filter(|line| !["Rank  1", "Rank  2", "Rank  3"].iter().any(|rank| line.contains(rank)));
    let reading = read_text(&one.collect::<Vec<_>>().join("\n"));
    assert!(reading.runs.is_empty() && reading.notes[1].contains("has one rank"), "{:?}", reading.notes);
}

#[test]
fn the_environment_is_not_kept() {
    let text = JSON.replace("\"env\": []", "\"env\": [\"SECRET_NAME=secret\", \"\\\"size\\\": 3\"]");
    let reading = read_text(&text);
    assert_eq!(reading, read_text(JSON));
    assert!(!format!("{reading:?}").contains("secret"));
    let two = format!("{JSON}{JSON}");
    let lines: Vec<u32> = read_text(&two).runs.iter().map(|run| run.samples[0].line).collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[1] > lines[0]);
}

#[test]
fn a_head_has_the_columns_as_words() {
    let text = TEXT
        .replace("root     time   algbw", "root #bytestime   algbw")
        .replace("in-place", "")
        .replace("#wrong     time", "#wrong");
    assert!(!error_of(&text).is_empty());
}
