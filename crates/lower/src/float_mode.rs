//! How floats round, and what becomes of denormal numbers: the execution modes of `SPV_KHR_float_controls`.
//!
//! The IR's operations round to nearest even and keep denormals, infinities, NaN and signed zeros, so only three
//! modes ask for more, and only in shaders that state them:
//!
//! * `DenormFlushToZero`: operands and results of arithmetic instructions are replaced by zeros of their sign
//!   where they are denormal ([`Lowerer::flushed`]). Loads, stores, selects, copies and bit casts keep every bit.
//! * `RoundingModeRTZ`: sums, products and conversions, which are what Vulkan wants correctly rounded, are
//!   computed with their rounding error, and corrected by it. For 16 and 32 bits the products are exact in 64
//!   bits, and the final conversion, which can round towards zero, does the rest.
//! * `SignedZeroInfNanPreserve`: `FMix` keeps to its formula ([`Lowerer::is_strict`]).

use crate::context::Lowerer;
use crate::error::{Result, invalid};
use pyro_ir::{Opcode, Scalar, Value};
use pyro_library::math;
use pyro_spirv::spirv::{ExecutionMode, Op};
use pyro_spirv::{Id, Instruction};

/// The immediate of a float operation that must not be contracted.
const NO_CONTRACTION: u64 = 1;
/// The immediate of a float conversion that rounds towards zero.
pub(crate) const ROUND_TO_ZERO: u64 = 1;

/// How floats of one width behave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FloatMode {
    /// Denormal operands and results of arithmetic are zeros.
    pub(crate) flush: bool,
    /// Rounds towards zero.
    pub(crate) toward_zero: bool,
    /// Infinities, NaN and signs of zeros matter, also in functions made of several operations.
    pub(crate) preserve: bool,
}

/// How floats of all widths behave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FloatModes {
    half: FloatMode,
    single: FloatMode,
    double: FloatMode,
}

impl FloatModes {
    /// Of a scalar type; integers have the default.
    pub(crate) fn of(self, scalar: Scalar) -> FloatMode {
        match scalar {
            Scalar::F16 => self.half,
            Scalar::F32 => self.single,
            Scalar::F64 => self.double,
            _ => FloatMode::default(),
        }
    }

    fn of_width(&mut self, width: u32) -> Option<&mut FloatMode> {
        Some(match width {
            16 => &mut self.half,
            32 => &mut self.single,
            64 => &mut self.double,
            _ => return None,
        })
    }

    /// Whether any width flushes denormals.
    pub(crate) fn flushes(self) -> bool {
        self.half.flush || self.single.flush || self.double.flush
    }
}

