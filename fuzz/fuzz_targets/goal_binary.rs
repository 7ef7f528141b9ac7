//! Fuzz target `goal_binary`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lockstep_fuzz_targets::goal_binary(bytes);
});
