//! Fuzz target `messages_jsonl`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lockstep_fuzz_targets::messages_jsonl(bytes);
});
