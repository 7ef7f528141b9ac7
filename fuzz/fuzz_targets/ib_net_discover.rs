//! Fuzz target `ib_net_discover`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lockstep_fuzz_targets::ib_net_discover(bytes);
});
