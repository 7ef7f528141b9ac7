//! Fuzz target `transfer_bench`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lockstep_fuzz_targets::transfer_bench(bytes);
});
