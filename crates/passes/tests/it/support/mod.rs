//! What the execution tests share: a memory, the meaning of the few pure operations that the generator uses
//! (written here, apart from the compiler's own), a reference evaluator of lane form, a plain evaluator of
//! mask form, and the generator.

pub mod generate;
pub mod lane;
pub mod mask;
pub mod reorder;

use pyro_abi::context::offset;
use pyro_ir::{Function, Opcode, Scalar};
pub use pyro_random::Random;

/// Addresses of what a shader sees.
pub const DISPATCH: u64 = 0x1000;
pub const SUBGROUP: u64 = 0x2000;
pub const FRAME: u64 = 0x1_0000;
pub const SCRATCH: u64 = 0x3_0000;
/// The input buffer, which nothing writes.
pub const INPUT: u64 = 0x6_0000;
/// The output buffer.
pub const OUTPUT: u64 = 0x7_0000;
/// Bytes of it that belong to each lane.
pub const LANE_BYTES: u64 = 128;
/// Where the part that all lanes share starts in it.
pub const SHARED_PART: u64 = 0x2000;
pub const OUTPUT_BYTES: u64 = 0x4000;
const MEMORY_BYTES: usize = 0x8_0000;

/// A flat memory.
#[derive(Clone, PartialEq, Eq)]
pub struct Memory(pub Vec<u8>);

impl Memory {
    pub fn new(active_lanes: u64, inputs: &[u32]) -> Memory {
        let mut memory = Memory(vec![0; MEMORY_BYTES]);
        memory.store(SUBGROUP + u64::from(offset::ACTIVE_LANES), Scalar::I64, active_lanes);
        memory.store(SUBGROUP + u64::from(offset::FRAME), Scalar::I64, FRAME);
        memory.store(SUBGROUP + u64::from(offset::WORKGROUP_COUNT), Scalar::I32, 1);
        // What an earlier workgroup left.
        memory.store(SUBGROUP + u64::from(offset::RESUME_POINT), Scalar::I32, 2);
        memory.store(SUBGROUP + u64::from(offset::SCRATCH), Scalar::I64, SCRATCH);
        // Frames and scratch memory hold what was there before.
        memory.0[FRAME as usize..INPUT as usize].fill(0xa5);
        for (index, &input) in inputs.iter().enumerate() {
            memory.store(INPUT + 4 * index as u64, Scalar::I32, input.into());
        }
        memory
    }

    pub fn load(&self, address: u64, scalar: Scalar) -> u64 {
        let bytes = &self.0[address as usize..][..scalar.bytes() as usize];
        bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte))
    }

    pub fn store(&mut self, address: u64, scalar: Scalar, bits: u64) {
        let bytes = bits.to_le_bytes();
        let size = scalar.bytes() as usize;
        self.0[address as usize..][..size].copy_from_slice(&bytes[..size]);
    }

    pub fn output(&self) -> &[u8] {
        &self.0[OUTPUT as usize..(OUTPUT + OUTPUT_BYTES) as usize]
    }
}

/// A pure operation on one lane.
pub fn pure(op: Opcode, from: Scalar, to: Scalar, args: &[u64]) -> u64 {
    use Opcode as O;
    let sign = |bits: u64| ((bits << (64 - from.bits())) as i64) >> (64 - from.bits());
    let width = u64::from(from.bits());
    let (a, b) = (args[0], args.get(1).copied().unwrap_or(0));
    let bits = match op {
        O::IAdd => a.wrapping_add(b),
        O::ISub => a.wrapping_sub(b),
        O::IMul => a.wrapping_mul(b),
        O::UMulHigh => ((u128::from(a) * u128::from(b)) >> width) as u64,
        O::SMulHigh => ((i128::from(sign(a)) * i128::from(sign(b))) >> width) as u64,
        O::UDiv => a.checked_div(b).unwrap_or(u64::MAX),
        O::URem => a.checked_rem(b).unwrap_or(a),
        O::SDiv => {
            if b == 0 {
                u64::MAX
            } else {
                sign(a).wrapping_div(sign(b)) as u64
            }
        }
        O::SRem => {
            if b == 0 {
                a
            } else {
                sign(a).wrapping_rem(sign(b)) as u64
            }
        }
        O::UMin => a.min(b),
        O::UMax => a.max(b),
        O::SMin => sign(a).min(sign(b)) as u64,
        O::SMax => sign(a).max(sign(b)) as u64,
        O::Shl => a << (b % width),
        O::LShr => a >> (b % width),
        O::AShr => (sign(a) >> (b % width)) as u64,
        O::And => a & b,
        O::Or => a | b,
        O::Xor => a ^ b,
        O::AndNot => a & !b,
        O::Not => !a,
        O::IEq => u64::from(a == b),
        O::INe => u64::from(a != b),
        O::ULt => u64::from(a < b),
        O::ULe => u64::from(a <= b),
        O::SLt => u64::from(sign(a) < sign(b)),
        O::SLe => u64::from(sign(a) <= sign(b)),
        O::Select => {
            if a != 0 {
                b
            } else {
                args[2]
            }
        }
        O::Truncate | O::ZeroExtend | O::Bitcast => a,
        O::SignExtend => sign(a) as u64,
        O::PopCount => a.count_ones().into(),
        O::CountTrailingZeros => u64::from(a.trailing_zeros()).min(width),
        _ => panic!("the tests do not use {}", op.name()),
    };
    bits & to.mask()
}

/// The type that [`pure`] calls `from`.
pub fn from_type(function: &Function, args: &[pyro_ir::Value]) -> Scalar {
    function.ty(args[args.len() - 1]).scalar
}
