//! `bounds-texel`: reads, fetches and writes of texels outside of the image, the level, the layers or the
//! samples. Null descriptors have no texels, and are no findings.

use crate::context::Lowerer;
use crate::error::Result;
use crate::image::texel_access;
use pyro_abi::image::image_offset as field;
use pyro_ir::{MemoryOp, Opcode, Scalar, Space, Value};
use pyro_spirv::Instruction;
use pyro_spirv::spirv::{Dim, Op};
use pyro_util::sanitize::Kind;

impl<'m> Lowerer<'m, '_> {
    pub(super) fn sanitize_texel(&mut self, inst: Instruction<'m>) -> Result {
        if !matches!(inst.op(), Op::ImageFetch | Op::ImageRead | Op::ImageWrite)
            || !self.sanitizer.is_on(Kind::BoundsTexel)
        {
            return Ok(());
        }
        let Some(access) = texel_access(self, inst)? else { return Ok(()) };
        let image = access.image;
        let null = self.b.i64(0);
        let address = self.image_word(image, field::ADDRESS, Scalar::I64);
        let is_there = self.b.op(Opcode::INe, &[address, null]);
        let mut outside = Vec::new();
        let sizes: &[u32] = match access.dim {
            Dim::Dim1D | Dim::DimBuffer => &[field::WIDTH],
            Dim::Dim3D => &[field::WIDTH, field::HEIGHT, field::DEPTH],
            _ => &[field::WIDTH, field::HEIGHT],
        };
        for (&coordinate, &size) in access.coordinate.iter().zip(sizes) {
            let mut size = self.image_word(image, size, Scalar::I32);
            if let Some(level) = access.level {
                let one = self.b.i32(1);
                size = self.b.op(Opcode::LShr, &[size, level]);
                size = self.b.op(Opcode::UMax, &[size, one]);
            }
            outside.push(self.is_past(coordinate, size));
        }
        if let Some(&layer) = access.coordinate.get(sizes.len()) {
            let layers = self.image_word(image, field::LAYERS, Scalar::I32);
            outside.push(self.is_past(layer, layers));
        }
        for (index, count) in [(access.level, field::LEVELS), (access.sample, field::SAMPLES)] {
            if let Some(index) = index {
                let count = self.image_word(image, count, Scalar::I32);
                outside.push(self.is_past(index, count));
            }
        }
        let is_outside = self.any_of(outside);
        let condition = self.b.op(Opcode::And, &[is_there, is_outside]);
        let values = self.reported_ids(&[("coordinate", inst.id(1))])?;
        let what = match inst.op() {
            Op::ImageWrite => "written",
            Op::ImageRead => "read",
            _ => "fetched",
        };
        let name = self.id_text(inst.id(0));
        let text = format!("a texel outside of image {name} is {what}");
        self.find(inst, Kind::BoundsTexel, condition, text, values)
    }

    fn is_past(&mut self, index: Value, count: Value) -> Value {
        self.b.op(Opcode::ULe, &[count, index])
    }

    /// A word of an image record, which is there where a lane uses it.
    pub(super) fn image_word(&mut self, image: Value, byte: u32, scalar: Scalar) -> Value {
        let (zero, always) = (self.b.i32(0), self.b.bool(true));
        self.b.load(scalar, MemoryOp::new(Space::Context).at(byte as i32), image, zero, always)
    }
}
