//! Results of TE-CCL: a right one, spoiled ones and refused files.

use lockstep_execute::{Format, Runtime, load};

use crate::run;

pub(crate) const RING: &str = include_str!("../data/ring.teccl.json");

/// An all-to-all of three GPUs: half of each chunk travels over the third GPU.
pub(crate) const HALVES: &str = include_str!("../data/halves.teccl.json");

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

#[test]
fn parts_of_chunks_run() {
    let title = |text: &str| load(text.as_bytes(), Format::Teccl, Runtime::Rccl).unwrap()[0].title.clone();
    assert_eq!(title(HALVES), "6 demands of TE-CCL in parts of 1/2 chunk");
    let execution = run(HALVES, Format::Teccl).unwrap();
    // 6 direct transfers of one unit, and 6 over two links.
    assert_eq!((execution.instructions, execution.outputs), (36, 12));
    let older = HALVES.replace("7-Flows", "6-Flows").replace("8-Chunk paths", "7-chunk paths");
    assert_eq!(run(&older, Format::Teccl), Ok(execution));
}

/// Returns the result with other volumes of the direct and the relayed parts.
fn with_volumes(direct: &str, relayed: &str) -> String {
    let text = HALVES.replace("with volume 0.5 in epoch 0\"", &format!("with volume {direct} in epoch 0\""));
    text.replace("with volume 0.5", &format!("with volume {relayed}"))
}

#[test]
fn parts_have_a_common_unit_or_different_sizes() {
    for (direct, relayed, parts, instructions, outputs) in [
        ("0.75", "0.25", "in parts of 1/4 chunk", 60, 24),
        ("0.333333", "0.666667", "in parts of 1/3 chunk", 60, 18),
        ("0.984375", "0.015625", "in parts of 1/64 chunk", 780, 384),
        ("0.618034", "0.381966", "in parts of different sizes", 36, 12),
    ] {
        let text = with_volumes(direct, relayed);
        let program = &load(text.as_bytes(), Format::Teccl, Runtime::Rccl).unwrap()[0];
        assert_eq!(program.title, format!("6 demands of TE-CCL {parts}"));
        assert_eq!(program.has_equal_chunks, !parts.ends_with("sizes"));
        let execution = run(&text, Format::Teccl).unwrap();
        assert_eq!((execution.instructions, execution.outputs), (instructions, outputs), "{direct}");
    }
}

#[test]
fn spoiled_parts_are_found() {
    let volume = |direct, relayed| with_volumes(direct, relayed);
    let all = |old: &str, new: &str| {
        assert!(HALVES.contains(old), "{old}");
        HALVES.replace(old, new)
    };
    let one = |old: &str, new: &str| {
        assert!(HALVES.contains(old), "{old}");
        HALVES.replacen(old, new, 1)
    };
    for (text, message) in [
        (volume("0.5", "0.25"), "is undefined data; expected chunk "),
        (volume("0.618034", "0.1"), "is undefined data; expected chunk "),
        (volume("0.75", "0.5"), "`volume` of `demand` is `1.25`; expected volumes of all paths that add up to 1"),
        (volume("1.5", "0.5"), "where 0 < V <= 1"),
        (volume("NaN", "0.5"), "where 0 < V <= 1"),
        // A relay that sends before it has received.
        (all("in epoch 3\"", "in epoch 0\"").replace("[3, ", "[0, "), "is undefined data; expected chunk "),
        // The last hop ends at another GPU.
        (
            all("3->2 with volume 0.5 in epoch 3", "3->4 with volume 0.5 in epoch 3"),
            "is undefined data; expected chunk ",
        ),
        (
            one("3->2 with volume 0.5 in epoch 3\"]", "3->2 with volume 0.25 in epoch 3\"]"),
            "0.5, the volume of the first hop",
        ),
        (one("[3, \"3->2", "[4, \"3->2"), "`epoch` of `hop` is `4`; expected 3, as in its text"),
        (
            one("2->1 with volume 0.5 in epoch 0", "2->1 with volume 0.5 in epoch 1"),
            "expected a flow of a path of `8-Chunk paths`",
        ),
        (
            one("  \"Chunk 2 from 2 traveled over 2->1 with volume 0.5 in epoch 0 via switches 0\",\n", ""),
            "only hops that are also in `7-Flows`",
        ),
        (one("Demand at 2", "Demand to 2"), "8-Chunk paths: expected `Demand at GPU for chunk C from GPU"),
        (
            one("8-Chunk paths", "8-Other paths"),
            "neither `6-Demand_Met` nor `8-Chunk paths` says which GPUs need which chunks",
        ),
        (
            all("chunk 2 from 1", "chunk 4294967295 from 1").replace("Chunk 2 from 1", "Chunk 4294967295 from 1"),
            "has up to 2 parts",
        ),
    ] {
        let error = run(&text, Format::Teccl).unwrap_err();
        assert!(error.contains(message), "{message}: {error}");
    }
}
