//! How floats round, and what becomes of denormal numbers: the execution modes of `SPV_KHR_float_controls`.
//!
//! The IR's operations round to nearest even and keep denormals, infinities, NaN and signed zeros, so only
//! three modes ask for more, and only in shaders that state them:
//!
//! * `DenormFlushToZero`: operands and results of arithmetic instructions are replaced by zeros of their sign
//!   where they are denormal ([`crate::rounding`]). Loads, stores, selects, copies and bit casts keep every
//!   bit.
//! * `RoundingModeRTZ`: sums, products and conversions, which are what Vulkan wants correctly rounded, are
//!   computed with their rounding error, and corrected by it. For 16 and 32 bits the products are exact in 64
//!   bits, and the final conversion, which can round towards zero, does the rest.
//! * `SignedZeroInfNanPreserve`: `FMix` keeps to its formula (`Lowerer::is_strict`).

use crate::error::{Result, invalid};
use pyro_ir::Scalar;
use pyro_spirv::spirv::{Capability, ExecutionMode};
use pyro_spirv::{ConstantValues, Id, Module};

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

/// How an entry point computes with floats, and what the instruction at hand asks for.
#[derive(Debug)]
pub(crate) struct FloatState {
    /// Rounding and denormals.
    pub(crate) modes: FloatModes,
    /// `FPFastMathDefault` by float type.
    pub(crate) fast_math_defaults: Vec<(Id, u32)>,
    /// The module has bfloat16.
    pub(crate) has_bfloat: bool,
    /// Operands and results of the instruction at hand are flushed.
    pub(crate) flushing: bool,
    /// Operands and results of the instruction at hand are `f32` where the module says bfloat16.
    pub(crate) widening: bool,
}

impl FloatState {
    /// Reads the execution modes of an entry point's function that say how floats behave.
    pub(crate) fn of(module: &Module, constants: &ConstantValues<'_>, entry: Id) -> Result<FloatState> {
        let mut state = FloatState {
            modes: FloatModes::default(),
            fast_math_defaults: Vec::new(),
            has_bfloat: module.has_capability(Capability::BFloat16TypeKHR),
            flushing: false,
            widening: false,
        };
        for mode in module.execution_modes(entry) {
            let flag: fn(&mut FloatMode) -> &mut bool = match mode.mode {
                ExecutionMode::FPFastMathDefault => {
                    let &[ty, flags] = mode.operands else { return invalid("FPFastMathDefault") };
                    let Some(flags) = constants.unsigned(Id::from_u32(flags)) else {
                        return invalid("the flags of FPFastMathDefault are not a constant");
                    };
                    state.fast_math_defaults.push((Id::from_u32(ty), flags));
                    continue;
                }
                ExecutionMode::DenormFlushToZero => |mode| &mut mode.flush,
                ExecutionMode::RoundingModeRTZ => |mode| &mut mode.toward_zero,
                ExecutionMode::SignedZeroInfNanPreserve => |mode| &mut mode.preserve,
                // What the IR does anyway: DenormPreserve, RoundingModeRTE.
                _ => continue,
            };
            let width = mode.operands.first().copied().unwrap_or(0);
            match state.modes.of_width(width) {
                Some(mode) => *flag(mode) = true,
                None => return invalid(format!("execution mode {:?} of {width} bits", mode.mode)),
            }
        }
        Ok(state)
    }
}
