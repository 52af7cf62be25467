//! Why a graph is refused.

use std::fmt;

/// What is wrong with an operator, or with a whole graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphError {
    /// A rule of the operator is broken.
    Invalid(String),
    /// The operator exists, but not for these types.
    Unsupported(String),
    /// More than there is room for.
    Limit(String),
    /// An operand has to be known when the graph is built, and is not: its number.
    Unknown(usize),
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GraphError::Invalid(message) | GraphError::Unsupported(message) | GraphError::Limit(message) => {
                f.write_str(message)
            }
            GraphError::Unknown(operand) => {
                write!(f, "the operand {operand} is not known when the graph is built")
            }
        }
    }
}

impl std::error::Error for GraphError {}

/// Fails with a message unless a condition holds.
macro_rules! ensure {
    ($condition:expr, $($message:tt)*) => {
        let holds: bool = $condition;
        if !holds {
            return Err($crate::GraphError::Invalid(format!($($message)*)));
        }
    };
}

pub(crate) use ensure;
