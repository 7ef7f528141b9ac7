//! Fuzz target `p2p_bandwidth_latency`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lockstep_fuzz_targets::p2p_bandwidth_latency(bytes);
});
