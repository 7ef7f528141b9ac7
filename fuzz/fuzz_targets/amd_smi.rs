//! Fuzz target `amd_smi`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lockstep_fuzz_targets::amd_smi(bytes);
});
