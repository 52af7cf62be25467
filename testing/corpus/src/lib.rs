//! `VK_LAYER_PYROCLAST_corpus`: a Vulkan layer that measures what a program does on any driver. Each dispatch
//! and each render pass is between two timestamps of the device; times are kept by pipelines and sizes, and
//! written as JSON when the device or the process ends. `testing/corpus/run.py` runs programs with it on
//! several drivers and compares.
//!
//! | module | |
//! | --- | --- |
//! | [`chain`] | instances and devices: the next layer or driver, which functions are the layer's |
//! | [`commands`] | functions that the layer takes part in |
//! | [`record`] | what a command buffer has recorded, and its timestamps |
//! | [`times`] | times by what was done, and the file that they are written to |
//!
//! | variable | |
//! | --- | --- |
//! | `CORPUS_LAYER_OUTPUT` | the folder that files are written to; nothing is measured without it |
//! | `CORPUS_LAYER_REPEAT` | how often each dispatch is made (1): the first may wait for compilation |
//! | `CORPUS_LAYER_MODULES` | the folder for SPIR-V modules and the constants of pipelines |

#![allow(unsafe_code)]

pub mod chain;
mod commands;
mod record;
pub mod times;
