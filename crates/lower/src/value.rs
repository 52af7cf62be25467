//! What an id stands for while lowering.

use crate::pointer::Pointer;
use pyro_ir::Value;
use smallvec::SmallVec;

/// The scalars of a value, in the order of its type's parts.
pub(crate) type Scalars = SmallVec<[Value; 4]>;

/// What an id stands for.
#[derive(Clone, Debug)]
pub(crate) enum Operand {
    /// A value, as its scalars.
    Data(Scalars),
    /// A pointer whose place is known.
    Pointer(Box<Pointer>),
}

impl Operand {
    /// A value of one scalar.
    pub(crate) fn scalar(value: Value) -> Operand {
        Operand::Data(smallvec::smallvec![value])
    }

    /// A value of several scalars.
    pub(crate) fn data(values: &[Value]) -> Operand {
        Operand::Data(SmallVec::from_slice(values))
    }
}

impl From<Pointer> for Operand {
    fn from(pointer: Pointer) -> Operand {
        Operand::Pointer(Box::new(pointer))
    }
}
