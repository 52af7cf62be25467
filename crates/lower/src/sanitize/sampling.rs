//! Reads through samplers, as the runtime follows them from command to command and among the invocations of a
//! command: `race-command-image`, `race-image`.
//!
//! # Approach
//! A shader tells the operands of an operation, as it gives them to the image function; the runtime finds the
//! texels by them (`pyro_sanitizer::footprint`). For dispatches they are told once more with the invocation's
//! barriers, where the module writes some image.
//!
//! # Invariants
//! * Operands are told as they are: nothing is computed but derivatives, as image functions do.

use super::commands::place;
use crate::context::Lowerer;
use crate::error::Result;
use crate::image::{Records, TexelAccess};
use crate::report::{Message, Reported};
use crate::value::Scalars;
use pyro_abi::image::{ImageOp, LodMode, record};
use pyro_abi::report::{MemoryClass, SiteKind, ValueType, sampling};
use pyro_ir::{Scalar, Value};
use pyro_library::derivative;
use pyro_spirv::spirv::{Dim, Op};
use pyro_spirv::{Id, Instruction, Type};
use pyro_util::sanitize::Kind;

impl<'m> Lowerer<'m, '_> {
    /// An operation through a sampler, whose operands have been given. `is_one`: of a gather, only the texel
    /// with the least coordinates counts.
    pub(crate) fn tell_sample(
        &mut self,
        inst: Instruction<'m>,
        records: Records,
        op: ImageOp,
        is_one: bool,
    ) -> Result {
        if self.sanitizer.is_off() {
            return Ok(());
        }
        let tracks = self.tracks_reads();
        let (Some(sampler), true) = (records.sampler, tracks || self.follows_commands()) else {
            return Ok(());
        };
        let variable = self.image_variable(inst.id(0));
        let class = match self.sampled_dim(inst) {
            Some(Dim::DimTileImageDataEXT) | None => return Ok(()),
            Some(Dim::DimSubpassData) => MemoryClass::InputAttachment,
            _ if self.is_tile_attachment(variable) => MemoryClass::InputAttachment,
            _ => MemoryClass::Sampled,
        };
        let (operands, columns) = self.sampling_operands(op, is_one);
        let text = self.variable_text(variable);
        if self.follows_commands() {
            let mut values = self.view_values(inst, records.image, Some(sampler), variable);
            values.extend(columns.iter().cloned());
            let kind = SiteKind::SampleAccess { class, operands };
            self.tell(inst, None, Message { kind, text: text.clone(), values })?;
        }
        if tracks {
            let mut values = self.workgroup_values()?;
            values.push(Reported::new("image", ValueType::Address, records.image));
            values.push(Reported::new("sampler", ValueType::Address, sampler));
            values.extend(columns);
            self.report(inst, None, Message { kind: SiteKind::SampledTexels { operands }, text, values })?;
        }
        Ok(())
    }

    /// Whether reads of sampled images are compared with writes by other invocations of the dispatch.
    fn tracks_reads(&mut self) -> bool {
        self.sanitizer.is_on(Kind::RaceImage) && self.has_workgroups() && self.writes_images()
    }

    /// Tells which texel an invocation of a dispatch fetches.
    pub(super) fn track_fetch(
        &mut self,
        inst: Instruction<'m>,
        texel: &TexelAccess,
        variable: Option<Id>,
    ) -> Result {
        if texel.sample.is_some() || texel.dim == Dim::DimBuffer || !self.tracks_reads() {
            return Ok(());
        }
        let zero = self.b.i32(0);
        let mut columns = Scalars::from_elem(zero, sampling::COLUMNS as usize);
        columns[..4].copy_from_slice(&place(texel, zero));
        columns[sampling::LEVEL as usize] = texel.level.unwrap_or(zero);
        let mut values = self.workgroup_values()?;
        let no_sampler = self.b.i64(0);
        values.push(Reported::new("image", ValueType::Address, texel.image));
        values.push(Reported::new("sampler", ValueType::Address, no_sampler));
        values.push(Reported { name: "texel".to_owned(), ty: ValueType::Unsigned, scalars: columns });
        let text = self.variable_text(variable);
        let kind = SiteKind::SampledTexels { operands: sampling::FETCH };
        self.report(inst, None, Message { kind, text, values })
    }

    fn sampled_dim(&self, inst: Instruction<'m>) -> Option<Dim> {
        let ty = match self.module.ty(self.module.type_of(inst.id(0))?) {
            Type::SampledImage { image } => self.module.ty(image),
            other => other,
        };
        let Type::Image(image) = ty else { return None };
        Some(image.dim)
    }

    /// Whether the module has an instruction that writes texels, with which samples may race.
    fn writes_images(&mut self) -> bool {
        *self.sanitizer.writes_images.get_or_init(|| {
            let writes = [Op::ImageWrite, Op::ImageTexelPointer, Op::UntypedImageTexelPointerEXT];
            self.module.insts().any(|inst| writes.contains(&inst.op()))
        })
    }

    /// The bits and the columns of [`sampling`].
    fn sampling_operands(&mut self, op: ImageOp, is_one: bool) -> (u32, [Reported; 6]) {
        let (lod, offset, min_lod, gathers) = match op {
            ImageOp::Sample { lod, offset, min_lod, .. } => (Some(lod), offset, min_lod, false),
            ImageOp::Gather { offset, lod, .. } => (lod, offset, false, true),
            _ => (None, false, false, false),
        };
        let level = match lod {
            None => sampling::FIRST,
            Some(LodMode::Explicit) => sampling::EXPLICIT,
            Some(LodMode::Implicit | LodMode::Grad) => sampling::DERIVATIVES,
            Some(LodMode::Bias) => sampling::BIASED,
        };
        let flag = |is: bool, bit: u32| if is { bit } else { 0 };
        let operands = level
            | flag(offset, sampling::OFFSET)
            | flag(min_lod, sampling::LEAST)
            | flag(gathers, sampling::GATHER)
            | flag(is_one, sampling::ONE);
        let (zero, none) = (self.b.f32(0.0), self.b.i32(0));
        let float = |cx: &Self, column: u32| cx.image.operand(column).unwrap_or(zero);
        let coordinate: [Value; 4] =
            std::array::from_fn(|index| float(self, record::COORDINATE + index as u32));
        let mut derivatives = [[zero; 3]; 2];
        match lod {
            Some(LodMode::Grad) => {
                derivatives = [record::DDX, record::DDY]
                    .map(|first| std::array::from_fn(|index| float(self, first + index as u32)));
            }
            Some(LodMode::Implicit | LodMode::Bias) => {
                for (index, &value) in coordinate[..3].iter().enumerate() {
                    if value != zero {
                        derivatives[0][index] = derivative::dpdx_coarse(&mut self.b, value);
                        derivatives[1][index] = derivative::dpdy_coarse(&mut self.b, value);
                    }
                }
            }
            _ => {}
        }
        let level = float(self, record::LOD);
        let least = float(self, record::LOD_MIN);
        let offsets: [Value; 3] = std::array::from_fn(|index| {
            let value = self.image.operand(record::OFFSET + index as u32);
            value.filter(|&value| self.scalar_type(value) == Scalar::I32).unwrap_or(none)
        });
        let [dx, dy] = derivatives;
        let floats = |name: &str, values: &[Value]| Reported {
            name: name.to_owned(),
            ty: ValueType::Float,
            scalars: values.iter().copied().collect(),
        };
        let offset = Reported {
            name: "offset".to_owned(),
            ty: ValueType::Signed,
            scalars: offsets.into_iter().collect(),
        };
        let columns = [
            floats("coordinate", &coordinate),
            floats("level", &[level]),
            floats("change in x", &dx),
            floats("change in y", &dy),
            offset,
            floats("least level", &[least]),
        ];
        (operands, columns)
    }
}

pub(super) fn is_sampling(op: Op) -> bool {
    matches!(
        op,
        Op::ImageSampleImplicitLod
            | Op::ImageSampleExplicitLod
            | Op::ImageSampleDrefImplicitLod
            | Op::ImageSampleDrefExplicitLod
            | Op::ImageSampleProjImplicitLod
            | Op::ImageSampleProjExplicitLod
            | Op::ImageSampleProjDrefImplicitLod
            | Op::ImageSampleProjDrefExplicitLod
            | Op::ImageGather
            | Op::ImageDrefGather
    )
}
