//! The types of elements.

use std::fmt;

/// The type of a tensor's elements. Integers have no sign of their own; operators read them as signed unless
/// they say otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Element {
    /// `bool_t`: a byte; what is not zero is true.
    Bool,
    /// `i8_t`
    I8,
    /// `i16_t`
    I16,
    /// `i32_t`
    I32,
    /// `i48_t`: 64 bits, of which operators use 48.
    I48,
    /// `fp8e4m3_t`
    F8E4M3,
    /// `fp8e5m2_t`
    F8E5M2,
    /// `fp16_t`
    F16,
    /// `bf16_t`
    Bf16,
    /// `fp32_t`
    F32,
}

impl Element {
    /// Bytes of an element.
    pub fn bytes(self) -> usize {
        match self {
            Element::Bool | Element::I8 | Element::F8E4M3 | Element::F8E5M2 => 1,
            Element::I16 | Element::F16 | Element::Bf16 => 2,
            Element::I32 | Element::F32 => 4,
            Element::I48 => 8,
        }
    }

    /// Whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Element::F8E4M3 | Element::F8E5M2 | Element::F16 | Element::Bf16 | Element::F32)
    }

    /// Whether it is an integer type.
    pub fn is_integer(self) -> bool {
        matches!(self, Element::I8 | Element::I16 | Element::I32 | Element::I48)
    }

    /// The least and the greatest value of an integer type, read as signed.
    pub(crate) fn signed_range(self) -> (i64, i64) {
        match self {
            Element::I8 => (i8::MIN.into(), i8::MAX.into()),
            Element::I16 => (i16::MIN.into(), i16::MAX.into()),
            Element::I32 => (i32::MIN.into(), i32::MAX.into()),
            Element::I48 => (-1 << 47, (1 << 47) - 1),
            _ => (0, 1),
        }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Element::Bool => "bool_t",
            Element::I8 => "i8_t",
            Element::I16 => "i16_t",
            Element::I32 => "i32_t",
            Element::I48 => "i48_t",
            Element::F8E4M3 => "fp8e4m3_t",
            Element::F8E5M2 => "fp8e5m2_t",
            Element::F16 => "fp16_t",
            Element::Bf16 => "bf16_t",
            Element::F32 => "fp32_t",
        })
    }
}
