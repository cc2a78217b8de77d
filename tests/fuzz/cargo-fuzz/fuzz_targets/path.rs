//! libFuzzer's door to the target `path`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| (toolbay_fuzz::TARGETS[3].1)(data));
