//! The operators: the rules of each, and the kernel that computes it.
//!
//! A file has the operators of a kind. Its `build` checks operands and results by the specification's
//! `ERROR_IF`, and gives a kernel for exactly these sizes. What the specification leaves unpredictable (its
//! `REQUIRE`) gives some result: integers wrap, indices that are outside read zeros or write nothing.

mod argmax;
mod binary;
pub(crate) mod block;
mod cast;
mod concat;
mod conv;
mod depthwise;
mod fft;
mod gather;
pub(crate) mod gemm;
mod matmul;
mod pad;
mod patches;
mod pool;
mod reduce;
mod rescale;
mod resize;
mod scatter;
mod select;
mod strided;
mod table;
mod tile_gemm;
mod transpose_conv;
mod unary;
mod views;

use crate::operands::{Operands, Result};
use crate::{Opcode, Threads};
use smallvec::SmallVec;

/// Computes an operator's results, of sizes that it knows.
pub(crate) trait Kernel: Send + Sync {
    /// `inputs` are what it said that it reads, in that order.
    fn run(&self, inputs: &[&[u8]], outputs: &mut [&mut [u8]], threads: &dyn Threads);
}

/// How an operator comes to its results.
pub(crate) enum Built {
    /// A kernel computes them from these operands.
    Kernel { kernel: Box<dyn Kernel>, reads: SmallVec<[usize; 4]> },
    /// The one result has the bytes of this operand.
    Same(usize),
}

impl Built {
    /// A kernel that reads these operands.
    pub(crate) fn kernel(kernel: impl Kernel + 'static, reads: &[usize]) -> Built {
        Built::Kernel { kernel: Box::new(kernel), reads: reads.into() }
    }
}

/// Checks an operator, and gives what computes it.
pub(crate) fn build(operands: &Operands<'_>) -> Result<Built> {
    use Opcode as O;
    operands.check_counts()?;
    match operands.opcode {
        O::ArgMax => argmax::build(operands),
        O::AvgPool2d | O::MaxPool2d => pool::build(operands),
        O::Conv2d | O::Conv3d => conv::build(operands),
        O::DepthwiseConv2d => depthwise::build(operands),
        O::Fft2d | O::Rfft2d => fft::build(operands),
        O::MatMul => matmul::build(operands),
        O::TransposeConv2d => transpose_conv::build(operands),
        O::Clamp
        | O::Erf
        | O::Sigmoid
        | O::Tanh
        | O::Abs
        | O::BitwiseNot
        | O::Ceil
        | O::Clz
        | O::Cos
        | O::Exp
        | O::Floor
        | O::Log
        | O::LogicalNot
        | O::Negate
        | O::Reciprocal
        | O::Rsqrt
        | O::Sin => unary::build(operands),
        O::Add
        | O::ArithmeticRightShift
        | O::BitwiseAnd
        | O::BitwiseOr
        | O::BitwiseXor
        | O::IntDiv
        | O::LogicalAnd
        | O::LogicalLeftShift
        | O::LogicalRightShift
        | O::LogicalOr
        | O::LogicalXor
        | O::Maximum
        | O::Minimum
        | O::Mul
        | O::Pow
        | O::Sub
        | O::Equal
        | O::Greater
        | O::GreaterEqual => binary::build(operands),
        O::Table => table::build(operands),
        O::Select => select::build(operands),
        O::ReduceAll | O::ReduceAny | O::ReduceMax | O::ReduceMin | O::ReduceProduct | O::ReduceSum => {
            reduce::build(operands)
        }
        O::Concat => concat::build(operands),
        O::Pad => pad::build(operands),
        O::Reshape => views::reshape(operands),
        O::Reverse => views::reverse(operands),
        O::Slice => views::slice(operands),
        O::Tile => views::tile(operands),
        O::Transpose => views::transpose(operands),
        O::Gather => gather::build(operands),
        O::Scatter => scatter::build(operands),
        O::Resize => resize::build(operands),
        O::Cast => cast::build(operands),
        O::Rescale => rescale::build(operands),
    }
}
