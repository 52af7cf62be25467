//! Queries of sizes, levels and samples: fields of the image record.

use crate::context::Lowerer;
use crate::error::{Result, invalid};
use crate::value::{Operand, Scalars};
use pyro_abi::image::{image_offset as field, processing};
use pyro_ir::{MemoryOp, Opcode, Scalar, Space, Value};
use pyro_spirv::Instruction;
use pyro_spirv::spirv::{Dim, Op};

impl<'m> Lowerer<'m, '_> {
    /// A field of an image's or sampler's record, which is there only where a lane uses it, unless it is
    /// known.
    pub(super) fn image_field(&mut self, image: Value, field: u32) -> Value {
        let (zero, always) = (self.b.i32(0), self.b.bool(true));
        let memory = MemoryOp::new(Space::Context).at(field as i32);
        let memory = if self.image.is_known(image) { memory.speculatable() } else { memory };
        self.b.load(Scalar::I32, memory, image, zero, always)
    }

    /// `OpImageQuerySizeLod`, `OpImageQuerySize`: of a null descriptor all zero, of levels that are not there
    /// something.
    pub(super) fn query_size(&mut self, inst: Instruction<'m>) -> Result {
        let (records, image) = self.records(inst.id(0))?;
        let level = match inst.op() {
            Op::ImageQuerySizeLod => {
                let level = self.scalar(inst.id(1))?;
                if !self.scalar_type(level).is_int() {
                    return invalid("a level that is not an integer");
                }
                Some(self.index_i32(level))
            }
            _ => None,
        };
        let extents: &[u32] = match image.dim {
            Dim::Dim1D | Dim::DimBuffer => &[field::WIDTH],
            Dim::Dim3D => &[field::WIDTH, field::HEIGHT, field::DEPTH],
            _ => &[field::WIDTH, field::HEIGHT],
        };
        // Of a corner-sampled image, cells halve as texels of others do.
        let can_be_corner_sampled = level.is_some() && matches!(image.dim, Dim::Dim2D | Dim::Dim3D);
        let beside = can_be_corner_sampled.then(|| {
            let flags = self.image_field(records.image, field::WEIGHTS);
            self.bits(flags, processing::CORNER_SAMPLED, 1)
        });
        let mut size = Scalars::new();
        for &extent in extents {
            let full = self.image_field(records.image, extent);
            size.push(match level {
                None => full,
                Some(level) => {
                    let whole = beside.map_or(full, |beside| self.b.op(Opcode::ISub, &[full, beside]));
                    // At least one texel (or cell), if there is any at all.
                    let shifted = self.b.op(Opcode::LShr, &[whole, level]);
                    let one = self.b.i32(1);
                    let least = self.b.op(Opcode::UMin, &[whole, one]);
                    let halved = self.b.op(Opcode::UMax, &[shifted, least]);
                    beside.map_or(halved, |beside| self.b.op(Opcode::IAdd, &[halved, beside]))
                }
            });
        }
        if image.arrayed {
            let layers = self.image_field(records.image, field::LAYERS);
            size.push(if image.dim == Dim::DimCube {
                let six = self.b.i32(6);
                self.b.op(Opcode::UDiv, &[layers, six])
            } else {
                layers
            });
        }
        self.define_counts(inst, size)
    }

    /// `OpImageQueryLevels`, `OpImageQuerySamples`
    pub(super) fn query_count(&mut self, inst: Instruction<'m>) -> Result {
        let (records, _) = self.records(inst.id(0))?;
        let field = if inst.op() == Op::ImageQueryLevels { field::LEVELS } else { field::SAMPLES };
        let count = self.image_field(records.image, field);
        self.define_counts(inst, smallvec::smallvec![count])
    }

    fn define_counts(&mut self, inst: Instruction<'m>, mut counts: Scalars) -> Result {
        let to = self.result_scalar(inst)?;
        for count in &mut counts {
            *count = self.integer_of_width(*count, to, false)?;
        }
        self.define(inst, Operand::Data(counts))
    }
}
