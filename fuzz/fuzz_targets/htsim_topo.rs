//! Fuzz target `htsim_topo`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lockstep_fuzz_targets::htsim_topo(bytes);
});
