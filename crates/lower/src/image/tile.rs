//! Tile images (`SPV_EXT_shader_tile_image`): what the attachments hold at the fragment's own pixel.
//!
//! A tile image is the location of its attachment, an `i64` like that of every other image. What is read at a
//! location is code for the attachment's format, so an index that is not known chooses among what all of them
//! hold.

use crate::context::Lowerer;
use crate::error::{Result, invalid};
use crate::pointer::{MemoryLayout, Pointer, PointerBase};
use crate::value::{Operand, Scalars};
use pyro_abi::graphics::COLOR_ATTACHMENTS_MAX;
use pyro_ir::{Opcode, Scalar, Value};
use pyro_spirv::spirv::{Decoration, Op};
use pyro_spirv::{GlobalVariable, Id, Instruction};

impl<'m> Lowerer<'m, '_> {
    /// A pointer to a variable of storage class `TileImageEXT`.
    pub(crate) fn tile_image_variable(&mut self, variable: GlobalVariable<'m>) -> Result<Pointer> {
        let Some(location) = self.module.decoration_literal(variable.id, Decoration::Location) else {
            return invalid(format!("tile image {} has no Location", variable.id));
        };
        Ok(Pointer::new(PointerBase::TileImages { location }, variable.value_type, MemoryLayout::LOGICAL))
    }

    /// The location that a pointer has come to.
    pub(crate) fn load_tile_image(&mut self, pointer: &Pointer, location: u32) -> Result<Operand> {
        let first = u64::from(location).wrapping_add(pointer.offset);
        let image = match self.dynamic_offset(pointer) {
            None => self.b.i64(first),
            Some(index) => {
                let index = self.b.convert(Opcode::ZeroExtend, index, Scalar::I64);
                let first = self.b.i64(first);
                self.b.op(Opcode::IAdd, &[first, index])
            }
        };
        Ok(Operand::data(&[image]))
    }

    /// The sample to read: the operand, or the first.
    fn tile_sample(&mut self, sample: Option<Id>) -> Result<Value> {
        let Some(sample) = sample else { return Ok(self.b.i32(0)) };
        let value = self.scalar(sample)?;
        if !self.scalar_type(value).is_int() {
            return invalid(format!("{sample} is not a sample number"));
        }
        Ok(self.index_i32(value))
    }

    /// `OpColorAttachmentReadEXT`
    pub(crate) fn read_color_attachment(&mut self, inst: Instruction<'m>) -> Result {
        let image = self.scalar(inst.id(0))?;
        let sample = self.tile_sample(inst.get_id(1))?;
        let wanted = self.result_scalars(inst)?;
        if wanted.len() > 4 || wanted.iter().any(|scalar| scalar.bits() != 32) {
            return invalid("a colour attachment is read as up to four components of 32 bits");
        }
        let stage = self.stage;
        let all = 0..COLOR_ATTACHMENTS_MAX as u32;
        let (locations, is_known) = match self.b.function.const_bits(image) {
            Some(location) => {
                let location = u32::try_from(location).ok().filter(|location| all.contains(location));
                (location.map_or(0..0, |location| location..location + 1), true)
            }
            None => (all, false),
        };
        let mut result: Scalars = wanted.iter().map(|&scalar| self.b.constant(scalar, 0)).collect();
        for location in locations {
            let Some(color) = stage.color_attachment(self, location, sample)? else { continue };
            let condition = match is_known {
                true => self.b.bool(true),
                false => {
                    let this = self.b.i64(location.into());
                    self.b.op(Opcode::IEq, &[image, this])
                }
            };
            for ((result, color), &scalar) in result.iter_mut().zip(color).zip(&wanted[..]) {
                let color = self.b.bitcast(color, scalar);
                *result = self.b.select(condition, color, *result);
            }
        }
        self.define(inst, Operand::Data(result))
    }

    /// `OpDepthAttachmentReadEXT`, `OpStencilAttachmentReadEXT`
    pub(crate) fn read_depth_stencil(&mut self, inst: Instruction<'m>) -> Result {
        let sample = self.tile_sample(inst.get_id(0))?;
        let wanted = self.result_scalars(inst)?;
        let [scalar] = wanted[..] else { return invalid("depth and stencil are scalars") };
        if scalar.bits() != 32 {
            return invalid("depth and stencil are read as 32 bits");
        }
        let stage = self.stage;
        let stencil = inst.op() == Op::StencilAttachmentReadEXT;
        let value = match stage.depth_stencil_attachment(self, stencil, sample)? {
            Some(value) => self.b.bitcast(value, scalar),
            None => self.b.constant(scalar, 0),
        };
        self.define_scalar(inst, value)
    }
}
