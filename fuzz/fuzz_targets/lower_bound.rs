//! Fuzz target `lower_bound`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lockstep_fuzz_targets::lower_bound(bytes);
});
