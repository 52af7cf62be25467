//! Operators against values computed from the specification's definitions by other means: element by element,
//! in 64 bits.

mod convolutions;
mod elementwise;
mod graphs;
mod movement;
mod reductions;
mod rules;
mod support;
