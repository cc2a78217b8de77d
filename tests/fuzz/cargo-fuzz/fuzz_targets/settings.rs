//! libFuzzer's door to the target `settings`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| (toolbay_fuzz::TARGETS[2].1)(data));
