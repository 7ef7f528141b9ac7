//! Fuzz target `csv_program`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lockstep_fuzz_targets::csv_program(bytes);
});
