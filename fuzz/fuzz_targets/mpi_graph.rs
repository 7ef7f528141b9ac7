//! Fuzz target `mpi_graph`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lockstep_fuzz_targets::mpi_graph(bytes);
});
