//! Fuzz target `te_ccl`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lockstep_fuzz_targets::te_ccl(bytes);
});
