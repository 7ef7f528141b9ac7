//! Fuzz target `nccl_tests`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lockstep_fuzz_targets::nccl_tests(bytes);
});
