//! Pyroclast: icd.
