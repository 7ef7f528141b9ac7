//! Hostile files end fast, with an error of one line.

use lockstep_execute::{ExecuteOptions, Format, Runtime, detect, execute, load};
use proptest::prelude::*;

use crate::ring;

const SEEDS: [&str; 7] = [
    include_str!("../data/all-to-all-relay.xml"),
    include_str!("../data/tree.goal"),
    include_str!("../data/stages.cm"),
    crate::msccl_json::SAMPLES[0],
    crate::teccl::RING,
    crate::teccl::HALVES,
    include_str!("../data/all-gather.mscclpp.json"),
];

/// Loads and executes a file in all formats.
fn run_all(bytes: &[u8]) {
    let _ = detect(bytes);
    for format in Format::ALL {
        match load(bytes, format, Runtime::Rccl) {
            Ok(programs) => {
                for program in &programs {
                    if let Err(violation) = execute(program, ExecuteOptions { orders: 3, seed: 0 }) {
                        assert!(!violation.to_string().contains(char::is_control));
                    }
                }
            }
            Err(error) => assert!(!error.to_string().contains(char::is_control), "{error}"),
        }
    }
}

#[test]
fn huge_numbers_end() {
    for huge in ["2147483647", "4294967295", "18446744073709551615", "-1", "99999999999999999999999"] {
        for seed in SEEDS {
            for (position, _) in seed.match_indices(|c: char| c.is_ascii_digit()) {
                let mut text = seed.to_owned();
                text.replace_range(position..=position, huge);
                run_all(text.as_bytes());
            }
        }
    }
    run_all(ring::all_reduce(3).replace("s_chunks=\"0\"", "s_chunks=\"2147483647\"").as_bytes());
    run_all("<algo><gpu><tb>".repeat(10_000).as_bytes());
}

#[test]
fn a_binary_program_with_huge_counts_is_refused() {
    let mut bytes = 4223_u64.to_le_bytes().to_vec();
    bytes.extend([0xff; 64]);
    let error = load(&bytes, Format::GoalBinary, Runtime::Rccl).unwrap_err().to_string();
    assert!(error.contains("4294967295 records of 16 bytes inside the file"), "{error}");
}

proptest! {
    /// Any changed byte of a trace gives a result.
    #[test]
    fn changed_bytes_of_traces_give_a_result(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = crate::chakra::trace_file(&[[4, 0, 0, 0], [4, 0, 0, 0]]);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        run_all(&bytes);
    }

    /// Any bytes, and any changed byte of a right file, give a result.
    #[test]
    fn changed_bytes_give_a_result(
        seed in 0..SEEDS.len(), at in any::<prop::sample::Index>(), byte in any::<u8>(), any in prop::collection::vec(any::<u8>(), 0..64),
    ) {
        let mut bytes = SEEDS[seed].as_bytes().to_vec();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        run_all(&bytes);
        run_all(&any);
    }
}
