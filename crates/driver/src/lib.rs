//! Pyroclast: driver.
