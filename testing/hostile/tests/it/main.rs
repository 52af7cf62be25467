//! Slightly wrong shaders, pipelines, launches, calls and files are refused, or do something: nothing ends
//! the process, no memory is touched but that of resources, and what follows works as before.
#![allow(missing_docs)]

mod calls;
mod rules;
mod shaders;
mod targets;
