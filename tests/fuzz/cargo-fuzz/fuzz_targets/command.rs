//! libFuzzer's door to the target `command`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| (toolbay_fuzz::TARGETS[1].1)(data));
