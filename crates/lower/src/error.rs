//! Why an entry point was not lowered.

use pyro_spirv::constant::ConstantError;
use pyro_spirv::spirv::Op;
use pyro_spirv::{Id, Instruction, Module};
use pyro_util::budget::Spent;
use std::fmt;

/// What kind of failure a [`LowerError`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The module breaks a rule of SPIR-V or Vulkan, or does not fit the pipeline layout.
    Invalid,
    /// An instruction, capability, type or built-in that is not implemented.
    Unsupported,
    /// Larger than [`crate::limits`] allow.
    Limit,
    /// It takes longer than the thread's budget ([`pyro_util::budget`]) allows.
    Budget,
    /// A mistake of the compiler.
    Internal,
}

/// The instruction that could not be lowered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorPlace {
    /// Its opcode.
    pub op: Op,
    /// Its result, if it has one.
    pub result: Option<Id>,
    /// The position of its first word in the module.
    pub word: usize,
    /// File (empty if it is not named) and line of the source, where the module has them.
    pub source: Option<(String, u32)>,
}

/// Why an entry point was not lowered. The message is for the shader's developer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LowerError {
    /// What kind of failure.
    pub kind: ErrorKind,
    /// What is wrong.
    pub message: String,
    /// Where; `None` for what belongs to no instruction, such as the entry point's interface.
    pub place: Option<Box<ErrorPlace>>,
}

impl fmt::Display for LowerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            ErrorKind::Invalid => "invalid SPIR-V: ",
            ErrorKind::Unsupported => "not supported: ",
            ErrorKind::Limit => "too large: ",
            ErrorKind::Budget => "given up: ",
            ErrorKind::Internal => "internal compiler error: ",
        })?;
        f.write_str(&self.text())
    }
}

impl std::error::Error for LowerError {}

impl LowerError {
    /// The message with its place, without the kind.
    pub fn text(&self) -> String {
        let LowerError { message, place, .. } = self;
        let Some(place) = place else { return message.clone() };
        let op = format!("Op{:?}", place.op);
        let mut text = match message.starts_with(&op) {
            true => message.clone(),
            false => format!("{op}: {message}"),
        };
        text += &format!(" (word {}", place.word);
        if let Some(result) = place.result {
            text += &format!(", result {result}");
        }
        if let Some((file, line)) = &place.source {
            text += &format!(", {file}:{line}");
        }
        text + ")"
    }

    fn new(kind: ErrorKind, message: impl Into<String>) -> LowerError {
        LowerError { kind, message: message.into(), place: None }
    }

    /// The same error of an instruction; the innermost instruction counts.
    pub(crate) fn at(mut self, module: &Module, inst: Instruction<'_>) -> LowerError {
        self.place.get_or_insert_with(|| {
            let source = module.location(inst.index()).map(|location| {
                let file = module.source_file(location.source).unwrap_or_default();
                (file.to_string(), location.line)
            });
            let (op, result) = (inst.op(), inst.result());
            Box::new(ErrorPlace { op, result, word: inst.word_offset(), source })
        });
        self
    }

    /// A mistake of the compiler.
    pub(crate) fn internal(message: impl Into<String>) -> LowerError {
        LowerError::new(ErrorKind::Internal, message)
    }

    /// An error of the module.
    pub(crate) fn invalid(message: impl Into<String>) -> LowerError {
        LowerError::new(ErrorKind::Invalid, message)
    }

    /// Something that is not implemented.
    pub(crate) fn unsupported(message: impl Into<String>) -> LowerError {
        LowerError::new(ErrorKind::Unsupported, message)
    }

    /// Something that is too large.
    pub(crate) fn limit(message: impl Into<String>) -> LowerError {
        LowerError::new(ErrorKind::Limit, message)
    }
}

/// What lowering functions give.
pub(crate) type Result<T = (), E = LowerError> = std::result::Result<T, E>;

/// An error of the module.
pub(crate) fn invalid<T>(message: impl Into<String>) -> Result<T> {
    Err(LowerError::invalid(message))
}

/// Fails unless subgroups can have this many lanes.
pub(crate) fn check_lanes(lanes: u32) -> Result {
    if matches!(lanes, 4 | 8 | 16 | 32 | 64) {
        Ok(())
    } else {
        invalid(format!("subgroups of {lanes} lanes"))
    }
}

/// Something that is not implemented.
pub(crate) fn unsupported<T>(message: impl Into<String>) -> Result<T> {
    Err(LowerError::unsupported(message))
}

/// Something that is too large.
pub(crate) fn limit<T>(message: impl Into<String>) -> Result<T> {
    Err(LowerError::limit(message))
}

impl From<Spent> for LowerError {
    fn from(spent: Spent) -> Self {
        LowerError::new(ErrorKind::Budget, spent.to_string())
    }
}

impl From<ConstantError> for LowerError {
    fn from(error: ConstantError) -> Self {
        let kind = match error {
            ConstantError::Unsupported { .. } => ErrorKind::Unsupported,
            ConstantError::Malformed { .. } | ConstantError::DataType(_) | ConstantError::DataSize { .. } => {
                ErrorKind::Invalid
            }
            ConstantError::TooLarge(_) => ErrorKind::Limit,
        };
        LowerError::new(kind, error.to_string())
    }
}
