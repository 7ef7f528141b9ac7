//! Fuzz target `schedule_binary`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lockstep_fuzz_targets::schedule_binary(bytes);
});
