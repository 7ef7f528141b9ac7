//! Fuzz target `path_cache`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lockstep_fuzz_targets::path_cache(bytes);
});
