//! Tests of the passes: golden texts, and random programs before and after.
//!
//! One binary, because each one links the crates under test anew.

mod access_group;
mod affine_guard;
mod barrier_elim;
mod bounds_check_elim;
mod bounds_group;
mod distance_guard;
mod interior;
mod random;
mod range_fold;
mod row_guard;
#[allow(unreachable_pub, clippy::needless_range_loop)]
mod support;
mod text;
mod track_rows;
mod unmasked_loop;
mod unroll;
