//! Fuzz target `nccl_graph`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lockstep_fuzz_targets::nccl_graph(bytes);
});
