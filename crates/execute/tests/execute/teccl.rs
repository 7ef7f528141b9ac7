//! Results of TE-CCL: a right one, spoiled ones and refused files.

use lockstep_execute::Format;

use crate::run;

pub(crate) const RING: &str = include_str!("../data/ring.teccl.json");

#[test]
fn a_ring_runs() {
    let execution = run(RING, Format::Teccl).unwrap();
    assert_eq!((execution.instructions, execution.outputs), (24, 12));
}

#[test]
fn spoiled_results_are_found() {
    let (relay, first) = ("over 2->3 in epoch 201", "Chunk 0 from 1 traveled over 1->2 in epoch 0");
    for (old, new, message) in [
        (relay, "over 2->4 in epoch 201", "rank 2, address 0 is undefined data; expected chunk 0 of rank 0"),
        (relay, "over 4->3 in epoch 0", "rank 2, address 0 is undefined data"),
        (first, "Chunk 1 from 1 traveled over 1->2 in epoch 0", "undefined data"),
    ] {
        assert!(RING.contains(old), "{old}");
        let error = run(&RING.replacen(old, new, 1), Format::Teccl).unwrap_err();
        assert!(error.contains(message) || error.contains("data race"), "{new}: {error}");
    }
}

#[test]
fn other_files_are_refused() {
    for (old, new, message) in [
        ("over 2->3", "over 2-3", "expected `Chunk C from GPU traveled over GPU->GPU in epoch E`"),
        ("in epoch 201", "with volume 1.0 in epoch 201", "expected `Chunk C from GPU traveled"),
        ("\"GPU 1\": {", "\"TPU 1\": {", "6-Demand_Met: expected `GPU N`"),
        ("\"7-Flows\"", "\"7-Paths\"", "missing field `7-Flows`"),
    ] {
        let error = run(&RING.replacen(old, new, 1), Format::Teccl).unwrap_err();
        assert!(error.contains(message), "{new}: {error}");
    }
}
