//! Fuzz target `edge_list`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lockstep_fuzz_targets::edge_list(bytes);
});
