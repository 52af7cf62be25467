//! From SPIR-V to something runnable.
#![forbid(unsafe_code)]

mod error;
pub use error::CompileError;
use pyro_abi::{Kernel, PipelineLayout};
use std::sync::Arc;

/// One specialization constant's value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SpecConstant {
    /// `constantID`.
    pub id: u32,
    /// The bytes, little-endian: 1, 2, 4 or 8 of them (booleans: a 4-byte `VkBool32`).
    pub bytes: Vec<u8>,
}

/// Which subgroup sizes the caller allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SubgroupSize {
    /// The driver's default.
    #[default]
    Default,
    /// Exactly this many lanes (`VkPipelineShaderStageRequiredSubgroupSizeCreateInfo`).
    Required(u32),
}

/// What to compile for a compute pipeline.
#[derive(Clone, Debug)]
pub struct ComputeRequest<'a> {
    /// The module's words.
    pub words: &'a [u32],
    /// The entry point's name; its execution model is GLCompute.
    pub entry_point: &'a str,
    /// Specialization constants.
    pub specialization: &'a [SpecConstant],
    /// Where resources lie.
    pub layout: &'a PipelineLayout,
    /// Lanes.
    pub subgroup_size: SubgroupSize,
}

/// Compiles a compute shader.
///
/// # Errors
/// See [`CompileError`]; the message is meant for the application's developer.
pub fn compile_compute(request: &ComputeRequest<'_>) -> Result<Arc<dyn Kernel>, CompileError> {
    let _ = request;
    Err(CompileError::Unsupported("everything, yet".to_owned()))
}
