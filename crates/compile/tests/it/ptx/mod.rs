//! Kernels in PTX, with every backend; all results are computed here.

mod arithmetic;
mod control;
mod convert;
mod groups;
mod memory;
mod mutated;
mod refused;
mod support;
