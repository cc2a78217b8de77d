//! libFuzzer's door to the target `rule`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| (toolbay_fuzz::TARGETS[0].1)(data));
