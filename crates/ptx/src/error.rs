//! Why a PTX text was refused.

/// What kind of refusal it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The text breaks a rule of PTX.
    Invalid,
    /// The text is fine, but asks for something that is not implemented.
    Unsupported,
    /// Larger than [`crate::limits`] allow.
    Limit,
}

/// Why a PTX text was refused: where, what, and by which section of the PTX ISA. For the kernel's developer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {}{message} (PTX ISA: {rule})", self.prefix())]
pub struct PtxError {
    /// The line of the text, from 1.
    pub line: u32,
    /// What kind of refusal it is.
    pub kind: ErrorKind,
    /// What is wrong.
    pub message: String,
    /// The section of the PTX ISA that says so.
    pub rule: &'static str,
}

impl PtxError {
    fn prefix(&self) -> &'static str {
        match self.kind {
            ErrorKind::Invalid => "",
            ErrorKind::Unsupported => "not supported: ",
            ErrorKind::Limit => "too large: ",
        }
    }
}

/// What the functions of this crate give.
pub(crate) type Result<T = (), E = PtxError> = std::result::Result<T, E>;

/// A broken rule.
pub(crate) fn invalid<T>(line: u32, rule: &'static str, message: impl Into<String>) -> Result<T> {
    Err(PtxError { line, kind: ErrorKind::Invalid, message: message.into(), rule })
}

/// Something that is not implemented.
pub(crate) fn unsupported<T>(line: u32, rule: &'static str, message: impl Into<String>) -> Result<T> {
    Err(PtxError { line, kind: ErrorKind::Unsupported, message: message.into(), rule })
}

/// Something too large.
pub(crate) fn limit<T>(line: u32, rule: &'static str, message: impl Into<String>) -> Result<T> {
    Err(PtxError { line, kind: ErrorKind::Limit, message: message.into(), rule })
}
