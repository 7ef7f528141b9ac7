//! Fuzz target `htsim`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lockstep_fuzz_targets::htsim(bytes);
});
