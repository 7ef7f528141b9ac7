//! Fuzz target `rccl_environment`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lockstep_fuzz_targets::rccl_environment(bytes);
});
