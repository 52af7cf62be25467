pub fn cases() -> Vec<crate::common::Case> { Vec::new() }
