//! Fuzz target `choice_table`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lockstep_fuzz_targets::choice_table(bytes);
});
