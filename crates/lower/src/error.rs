//! Why an entry point was not lowered.

use pyro_spirv::constant::ConstantError;

/// Why an entry point was not lowered. The messages are for the shader's developer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LowerError {
    /// The module breaks a rule of SPIR-V or Vulkan, or does not fit the pipeline layout.
    #[error("invalid SPIR-V: {0}")]
    Invalid(String),
    /// An instruction, capability, type or built-in that is not implemented.
    #[error("not supported: {0}")]
    Unsupported(String),
    /// Larger than [`crate::limits`] allow.
    #[error("too large: {0}")]
    Limit(String),
    /// A mistake of ours.
    #[error("internal compiler error: {0}")]
    Internal(String),
}

/// What lowering functions give.
pub(crate) type Result<T = (), E = LowerError> = std::result::Result<T, E>;

/// An error of the module.
pub(crate) fn invalid<T>(message: impl Into<String>) -> Result<T> {
    Err(LowerError::Invalid(message.into()))
}

/// That subgroups can have this many lanes.
pub(crate) fn check_lanes(lanes: u32) -> Result {
    if matches!(lanes, 4 | 8 | 16 | 32 | 64) {
        Ok(())
    } else {
        invalid(format!("subgroups of {lanes} lanes"))
    }
}

/// Something not implemented.
pub(crate) fn unsupported<T>(message: impl Into<String>) -> Result<T> {
    Err(LowerError::Unsupported(message.into()))
}

/// Something too large.
pub(crate) fn limit<T>(message: impl Into<String>) -> Result<T> {
    Err(LowerError::Limit(message.into()))
}

impl From<ConstantError> for LowerError {
    fn from(error: ConstantError) -> Self {
        match error {
            ConstantError::Unsupported { .. } => LowerError::Unsupported(error.to_string()),
            ConstantError::Malformed { .. } => LowerError::Invalid(error.to_string()),
            ConstantError::TooLarge(_) => LowerError::Limit(error.to_string()),
        }
    }
}
