//! Why a shader was not compiled.

/// Why a shader was not compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// The module breaks a rule of SPIR-V or of Vulkan.
    #[error("invalid SPIR-V: {0}")]
    Invalid(String),
    /// The module is fine, but asks for something that is not implemented.
    #[error("not supported: {0}")]
    Unsupported(String),
    /// The module is larger or deeper than the compiler's limits.
    #[error("too large: {0}")]
    Limit(String),
    /// A mistake of ours.
    #[error("internal compiler error: {0}")]
    Internal(String),
}
