//! The `pyroclast` command line.
fn main() {}
