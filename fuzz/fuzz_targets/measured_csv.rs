//! Fuzz target `measured_csv`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lockstep_fuzz_targets::measured_csv(bytes);
});
