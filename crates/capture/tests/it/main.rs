//! Tests of the tables, the encoding and the container.

mod coding;
mod container;
mod layouts;
mod sizes;
