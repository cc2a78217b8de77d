//! Builds the guests of the tests.

fn main() {
    toolbay_guest_build::constants(&["toolbay-test-guests"]);
}
