//! nvbandwidth.

use expect_test::expect;

use super::{describe, error_of, read_text};

const TEXT: &str = include_str!("../../../../../data/measured/three-gpus.nvbandwidth.txt");
const JSON: &str = include_str!("../../../../../data/measured/two-gpus.nvbandwidth.json");

#[test]
fn the_text_sample_is_read_by_the_names_of_the_tests() {
    let reading = read_text(TEXT);
    expect![[r"
        nvbandwidth: device_to_device_memcpy_read_ce, Copy, 3 devices, ranks Some(3)
          16: 1->0: 46100000000 B/s
          16: 2->0: 23000000000 B/s
          17: 0->1: 46000000000 B/s
          17: 2->1: 12500000000 B/s
          18: 0->2: 23100000000 B/s
          18: 1->2: 25000000000 B/s
        nvbandwidth: device_to_device_bidirectional_memcpy_read_ce, Copy, 3 devices, ranks Some(3)
          25: 0->1 1->0: 45000000000 B/s
          25: 0->2 2->0: 22000000000 B/s
          26: 1->0 0->1: 45000000000 B/s
          26: 1->2 2->1: 12000000000 B/s
          27: 2->0 0->2: 22000000000 B/s
          27: 2->1 1->2: 12000000000 B/s
        note: left out: the matrices Total, which are the sums of both directions
        note: the pairs of a matrix were measured one at a time, so it does not show what pairs share
    "]]
    .assert_eq(&describe(&reading));
    assert_eq!(reading.runs[0].devices[2].bus_id.as_deref(), Some("0000:47:00"));
}

#[test]
fn the_json_sample_is_read() {
    expect![[r"
        nvbandwidth: device_to_device_memcpy_write_ce, Copy, 2 devices, ranks Some(2)
          1: 0->1: 46100000000 B/s
          1: 1->0: 22000000000 B/s
        note: the pairs of a matrix were measured one at a time, so it does not show what pairs share
    "]]
    .assert_eq(&describe(&read_text(JSON)));
}

#[test]
fn the_matrices_of_json_are_below_each_other() {
    let text = r#"{"nvbandwidth": {"testcases": [
  {"name": "host_to_device_memcpy_ce", "status": "Passed", "bandwidth_matrix": [["50.0", "50.0"]]},
  {"name": "device_to_device_bidirectional_memcpy_read_sm", "status": "Passed",
   "bandwidth_matrix": [["N/A", "40.0"], ["42.0", "N/A"], ["N/A", "41.0"], ["39.0", "N/A"], ["N/A", "81.0"], ["81.0", "N/A"]]},
  {"name": "all_to_one_write_ce", "status": "Passed", "bandwidth_matrix": [["30.0", "31.0"]]},
  {"name": "device_to_device_memcpy_read_ce", "status": "Waived"},
  {"name": "device_to_device_memcpy_write_ce", "status": "Error"}]}}"#;
    expect![[r"
        nvbandwidth: device_to_device_bidirectional_memcpy_read_sm, Kernel, 2 devices, ranks Some(2)
          3: 0->1 1->0: 40000000000 B/s
          3: 1->0 0->1: 39000000000 B/s
        nvbandwidth: all_to_one_write_ce, Copy, 2 devices, ranks Some(2)
          5: 1->0: 30000000000 B/s
          5: 0->1: 31000000000 B/s
        note: left out: device_to_device_memcpy_read_ce (line 6), which nvbandwidth waived, because no two GPUs support it
        note: left out: device_to_device_memcpy_write_ce (line 7), whose status is 'Error'
        note: left out: host_to_device_memcpy_ce; only copies between GPUs are read
        note: left out: the matrices Total, which are the sums of both directions
        note: the pairs of a matrix were measured one at a time, so it does not show what pairs share
    "]].assert_eq(&describe(&read_text(text)));
    let odd = text.replace(", [\"81.0\", \"N/A\"]", "");
    expect!["field 'bandwidth_matrix of device_to_device_bidirectional_memcpy_read_sm' (line 3): 5 rows of 2 values, expected 2 or 6 rows; the output is cut off: copy all of it, or run the benchmark again"].assert_eq(&error_of(&odd));
}

#[test]
fn copied_matrices_have_their_name_behind_them() {
    let begin = TEXT.find("memcpy CE").unwrap();
    let end = TEXT.find("Running device_to_device_bidirectional").unwrap();
    let reading = read_text(&TEXT[begin..end]);
    assert_eq!(reading.runs[0].test, "device_to_device_memcpy_read_ce");
    let matrix = TEXT[begin..end].split("SUM").next().unwrap();
    expect!["line 1: found 'memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)', expected a line 'Running device_to_device_memcpy_read_ce.' before the matrix, because the name of the test gives its direction"].assert_eq(&error_of(matrix));
}

#[test]
fn the_sum_alone_is_halved() {
    let begin = TEXT.find("memcpy CE GPU(row) <-> GPU(column) Total").unwrap();
    expect![[r"
        nvbandwidth: device_to_device_bidirectional_memcpy_read_ce, Copy, 3 devices, ranks Some(3)
          3: 0->1 1->0: 45000000000 B/s
          3: 0->2 2->0: 22000000000 B/s
          4: 1->0 0->1: 45000000000 B/s
          4: 1->2 2->1: 18000000000 B/s
          5: 2->0 0->2: 22000000000 B/s
          5: 2->1 1->2: 18000000000 B/s
        note: the pairs of a matrix were measured one at a time, so it does not show what pairs share
    "]]
    .assert_eq(&describe(&read_text(&TEXT[begin..])));
}

#[test]
fn spoiled_matrices_are_refused() {
    for (from, to) in [
        ("\n 2     23.10     25.00       N/A\n", "\n"),
        ("     23.10     25.00       N/A\n", "     23.10     25.00\n"),
        ("23.10     25.00", "23.10     fast"),
        ("           0         1         2\n 0       N/A     46.10", " 0       N/A     46.10"),
    ] {
        let text = TEXT.replacen(from, to, 1);
        assert_ne!(text, TEXT);
        let error = error_of(&text);
        assert!(error.starts_with("line "), "{error}");
    }
    let cut = &TEXT[..TEXT.find(" 2     23.10").unwrap()];
    expect![
        "line 17: row 2 of the matrix is missing; the output is cut off: copy all of it, or run the benchmark again"
    ]
    .assert_eq(&error_of(cut));
    let head = (0..5000).map(|column| column.to_string()).collect::<Vec<String>>().join(" ");
    let wide = format!("Running device_to_device_memcpy_read_ce.\nmemcpy CE bandwidth (GB/s)\n{head}\n");
    expect!["line 3: 5000 devices or ranks, but at most 4096 are read; give a part of the output"]
        .assert_eq(&error_of(&wide));
}
