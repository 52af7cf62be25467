//! Time and memory to compile grow about as fast as modules.

mod budget;
mod growth;
