//! Fuzz target `island_checkpoint`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lockstep_fuzz_targets::island_checkpoint(bytes);
});
