//! mpiGraph.

use expect_test::expect;

use super::{describe, error_of, read_text};

const SAMPLE: &str = include_str!("../../../../../data/measured/three-hosts.mpigraph.txt");

#[test]
fn the_sample_is_read_as_shifts() {
    let reading = read_text(SAMPLE);
    expect![[r"
        mpiGraph: shifts, Message, 3 devices, ranks Some(3)
          8: 0->1 1->2 2->0 1048576 B: 12048138240 B/s (12048138240 to 12069109760)
          8: 0->2 1->0 2->1 1048576 B: 11848908800 B/s (11848908800 to 12037652480)
        note: MB/s are 2^20 bytes per second, as mpiGraph counts; --rate-unit sets another one
        note: all tasks send at the same time, each to the one d places behind it; a sample is the least rate of such a shift
        note: left out: the matrix Recv, which has the same transfers at their receivers
    "]].assert_eq(&describe(&reading));
    assert_eq!(reading.runs[0].devices[2].host.as_deref(), Some("c"));
}

#[test]
fn cut_outputs_are_refused() {
    let cut = &SAMPLE[..SAMPLE.find("c:2 to").unwrap()];
    expect![
        "line 9: the row of task 'c:2' is missing; the output is cut off: copy all of it, or run the benchmark again"
    ]
    .assert_eq(&error_of(cut));
    expect!["line 2: the output has no line 'Send host:0 host:1'; the output is cut off: copy all of it, or run the benchmark again"].assert_eq(&error_of("START mpiGraph v1.4\nMsgSize:\t1048576\n"));
}
