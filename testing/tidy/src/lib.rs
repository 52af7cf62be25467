//! Checks of the repository itself; see `tests/`.
