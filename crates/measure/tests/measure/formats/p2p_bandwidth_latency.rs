//! p2pBandwidthLatencyTest.

use expect_test::expect;

use super::{describe, error_of, read_text};

const SAMPLE: &str = include_str!("../../../../../data/measured/two-gpus.p2p.txt");

#[test]
fn the_sample_is_read() {
    let reading = read_text(SAMPLE);
    expect![[r"
        p2pBandwidthLatencyTest: unidirectional bandwidth, Copy, 2 devices, ranks Some(2)
          17: 0->1: 46000000000 B/s
          18: 1->0: 46200000000 B/s
        p2pBandwidthLatencyTest: bidirectional bandwidth, Copy, 2 devices, ranks Some(2)
          25: 0->1 1->0: 46000000000 B/s
          26: 1->0 0->1: 46000000000 B/s
        p2pBandwidthLatencyTest: latency, Copy, 2 devices, ranks Some(2)
          37: 0->1 16 B: 2000000 ps
          38: 1->0 16 B: 2000000 ps
        note: left out: the matrices of P2P=Disabled; their data goes through the memory of the host
    "]]
    .assert_eq(&describe(&reading));
    assert_eq!(reading.runs[0].devices[1].bus_id.as_deref(), Some("0000:0a:00"));
}

#[test]
fn reads_move_data_from_the_column() {
    let text = SAMPLE.replace("P2P Writes", "P2P Reads");
    let flows = |text: &str| describe(&read_text(text)).lines().nth(1).unwrap().to_owned();
    assert_eq!(flows(SAMPLE), "  17: 0->1: 46000000000 B/s");
    assert_eq!(flows(&text), "  17: 1->0: 46000000000 B/s");
}

#[test]
fn pairs_without_access_are_left_out() {
    let text =
        SAMPLE.replace("     0\t     1     1\n     1\t     1     1", "     0\t     1     0\n     1\t     1     1");
    assert_ne!(text, SAMPLE);
    expect![[r"
        p2pBandwidthLatencyTest: unidirectional bandwidth, Copy, 2 devices, ranks Some(2)
          18: 1->0: 46200000000 B/s
        p2pBandwidthLatencyTest: latency, Copy, 2 devices, ranks Some(2)
          38: 1->0 16 B: 2000000 ps
        note: left out: GPUs without access to another one (1 pairs); their data goes through the memory of the host
        note: left out: the matrices of P2P=Disabled; their data goes through the memory of the host
    "]]
    .assert_eq(&describe(&read_text(&text)));
}

#[test]
fn cut_outputs_are_refused() {
    let cut = &SAMPLE[..SAMPLE.find("     1  46.20").unwrap()];
    expect![
        "line 17: row 1 of the matrix is missing; the output is cut off: copy all of it, or run the benchmark again"
    ]
    .assert_eq(&error_of(cut));
}
