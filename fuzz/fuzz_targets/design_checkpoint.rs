//! Fuzz target `design_checkpoint`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lockstep_fuzz_targets::design_checkpoint(bytes);
});
