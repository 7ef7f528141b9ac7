//! Fuzz target `nvbandwidth`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lockstep_fuzz_targets::nvbandwidth(bytes);
});
