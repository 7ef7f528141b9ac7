//! Fuzz target `astra_sim`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lockstep_fuzz_targets::astra_sim(bytes);
});
