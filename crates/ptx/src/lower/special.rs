//! Special registers.

use super::{Fixed, Lowerer};
use crate::error::Result;
use crate::module::Special;
use pyro_abi::context::offset;
use pyro_ir::{Opcode, Scalar, Value};
use pyro_library::{Ops, group};

impl Lowerer<'_, '_> {
    /// A special register's value, of 32 or 64 bits.
    pub(super) fn special(&mut self, special: Special) -> Result<Value> {
        let dimension = |dimension: u8| u32::from(dimension) * 4;
        Ok(match special {
            Special::ThreadId(3) | Special::BlockId(3) => self.b.i32(0),
            Special::ThreadCount(3) | Special::BlockCount(3) => self.b.i32(0),
            Special::ThreadId(index) => self.fixed(Fixed::ThreadId(index)),
            Special::ThreadCount(index) => self.b.i32(self.launch.block[usize::from(index)]),
            Special::BlockId(index) => {
                let subgroup = self.b.arg(1);
                self.context(subgroup, offset::WORKGROUP_ID + dimension(index), Scalar::I32)
            }
            Special::BlockCount(index) => {
                let dispatch = self.b.arg(0);
                self.context(dispatch, offset::NUM_WORKGROUPS + dimension(index), Scalar::I32)
            }
            Special::LaneId => self.b.lane_id(),
            Special::WarpId => self.fixed(Fixed::WarpId),
            Special::WarpCount => self.b.i32(self.thread_count().div_ceil(crate::WARP_LANES)),
            Special::CoreId | Special::CoreCount => {
                let subgroup = self.b.arg(1);
                let cores = self.context(subgroup, offset::CORE, Scalar::I32);
                let amount = self.b.i32(16);
                match special {
                    Special::CoreCount => self.b.lshr(cores, amount),
                    _ => {
                        let mask = self.b.i32(0xffff);
                        self.b.and(cores, mask)
                    }
                }
            }
            Special::GridId => self.b.i64(0),
            Special::LaneMaskEqual => group::eq_mask(&mut self.b)[0],
            Special::LaneMaskLessEqual => group::le_mask(&mut self.b)[0],
            Special::LaneMaskLess => group::lt_mask(&mut self.b)[0],
            Special::LaneMaskGreaterEqual => group::ge_mask(&mut self.b)[0],
            Special::LaneMaskGreater => group::gt_mask(&mut self.b)[0],
            Special::Clock64 | Special::Timer => self.clock(),
            Special::Clock | Special::TimerLow => {
                let clock = self.clock();
                self.b.resize_u(clock, Scalar::I32)
            }
            Special::ClockHigh | Special::TimerHigh => {
                let clock = self.clock();
                let amount = self.b.i64(32);
                let high = self.b.lshr(clock, amount);
                self.b.resize_u(high, Scalar::I32)
            }
            Special::DynamicSharedBytes => self.b.i32(self.launch.dynamic_shared_bytes),
            Special::SharedBytes => self.b.i32(self.window.shared_bytes()),
            Special::Environment => self.b.i32(0),
        })
    }

    fn clock(&mut self) -> Value {
        self.b.op(Opcode::Clock, &[])
    }
}
