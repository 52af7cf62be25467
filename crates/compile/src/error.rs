//! Why a shader was not compiled.

use pyro_lower::{ErrorKind, LowerError};
use pyro_passes::PassError;
use pyro_ptx::PtxError;

/// Why a shader was not compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// The module breaks a rule of SPIR-V or of Vulkan.
    #[error("invalid SPIR-V: {0}")]
    Invalid(String),
    /// What is wrong with a text in PTX, or asks for what is not implemented.
    #[error(transparent)]
    Ptx(#[from] PtxError),
    /// The module is fine, but asks for something that is not implemented.
    #[error("not supported: {0}")]
    Unsupported(String),
    /// The module is larger or deeper than the compiler's limits.
    #[error("too large: {0}")]
    Limit(String),
    /// Compiling it takes longer than it may, or nobody wants the result any more.
    #[error("given up: {0}")]
    Budget(String),
    /// It would have to be compiled, and must not be.
    #[error("in no cache, and compiling it is not allowed")]
    Required,
    /// A mistake of the compiler.
    #[error("internal compiler error: {0}")]
    Internal(String),
}

impl From<LowerError> for CompileError {
    fn from(error: LowerError) -> Self {
        let text = error.text();
        match error.kind {
            ErrorKind::Invalid => CompileError::Invalid(text),
            ErrorKind::Unsupported => CompileError::Unsupported(text),
            ErrorKind::Limit => CompileError::Limit(text),
            ErrorKind::Budget => CompileError::Budget(text),
            ErrorKind::Internal => CompileError::Internal(text),
        }
    }
}

impl From<PassError> for CompileError {
    fn from(error: PassError) -> Self {
        match error {
            PassError::ScratchTooLarge { .. } => CompileError::Limit(error.to_string()),
            PassError::Budget(spent) => CompileError::Budget(spent.to_string()),
            PassError::Broken { .. } => CompileError::Internal(error.to_string()),
        }
    }
}
