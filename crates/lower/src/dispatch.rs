//! Instructions to the families that lower them, by the instruction facts ([`pyro_spirv::facts`]).

use crate::context::Lowerer;
use crate::debug_printf::DEBUG_PRINTF;
use crate::error::{ErrorKind, Result, unsupported};
use crate::memory::Access;
use crate::pointer::{Pointer, PointerBase, Resource};
use crate::value::Operand;
use pyro_spirv::facts::{Family, facts};
use pyro_spirv::spirv::{Op, StorageClass};
use pyro_spirv::{GlobalVariable, Id, Instruction};

impl<'m> Lowerer<'m, '_> {
    /// Lowers one instruction that is no terminator.
    pub(crate) fn lower_instruction(&mut self, inst: Instruction<'m>) -> Result {
        self.float.flushing = self.float.modes.flushes() && facts(inst.op()).is_float_arithmetic;
        self.float.widening = self.needs_widening(inst);
        let result = self.lower_checked(inst);
        (self.float.flushing, self.float.widening) = (false, false);
        result
    }

    /// The same with what the sanitizer checks and what a debugger follows.
    fn lower_checked(&mut self, inst: Instruction<'m>) -> Result {
        self.trace_before(inst)?;
        if self.locations.by_instruction() {
            self.set_location(inst);
        }
        self.count_access(inst)?;
        self.sanitize(inst)?;
        self.lower_by_family(inst)?;
        self.sanitize_result(inst)?;
        self.trace_after(inst)
    }

    /// What is made from here on comes from this instruction.
    fn set_location(&mut self, inst: Instruction<'m>) {
        self.b.loc = self.locations.intern(self.module.location(inst.index()), inst.index());
    }

    /// Lowers an instruction that is no terminator, apart from what the float modes add.
    fn lower_by_family(&mut self, inst: Instruction<'m>) -> Result {
        let stage = self.stage;
        match facts(inst.op()).family {
            Family::Debug | Family::ControlFlow => {
                if matches!(inst.op(), Op::Line | Op::NoLine) {
                    self.set_location(inst);
                }
                Ok(())
            }
            Family::Call => self.lower_call(inst),
            Family::Extended => self.lower_ext_inst(inst),
            Family::Pointer | Family::Memory => self.lower_memory(inst),
            Family::Arithmetic => self.lower_arithmetic(inst),
            Family::Matrix => self.lower_matrix(inst),
            Family::Bits => self.lower_bits(inst),
            Family::Logic => self.lower_logic(inst),
            Family::Conversion => self.lower_conversion(inst),
            Family::Composite => self.lower_composite(inst),
            Family::Atomic | Family::Barrier => self.lower_atomic(inst),
            Family::Group | Family::UniformGroup => self.lower_group(inst),
            Family::Cooperative => self.lower_cooperative(inst),
            Family::TensorLayout => self.lower_tensor_state(inst),
            Family::Image => self.lower_image(inst),
            Family::ImageProcessing => self.lower_processing(inst),
            Family::Tensor => self.lower_tensor(inst),
            Family::RayQuery => self.lower_ray_query(inst),
            Family::RayTracing => stage.lower_ray(self, inst),
            Family::Node => stage.lower_node(self, inst),
            Family::Geometry => self.lower_emission(inst),
            Family::Mesh => self.lower_mesh(inst),
            Family::Fragment => self.lower_fragment(inst),
            Family::Other => match inst.op() {
                Op::Undef => self.lower_undef(inst),
                Op::ReadClockKHR => self.lower_group(inst),
                _ => self.unsupported(inst),
            },
        }
    }

    /// Of a type that has no values here it may stand as long as nothing uses it.
    fn lower_undef(&mut self, inst: Instruction<'m>) -> Result {
        let ty = self.result_type(inst)?;
        match self.zeros(ty) {
            Ok(value) => self.define(inst, value),
            Err(error) if error.kind == ErrorKind::Unsupported => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// What mesh shaders say of their outputs.
    fn lower_mesh(&mut self, inst: Instruction<'m>) -> Result {
        let stage = self.stage;
        match inst.op() {
            Op::SetMeshOutputsEXT => {
                let counts = [self.scalar(inst.id(0))?, self.scalar(inst.id(1))?];
                stage.set_mesh_outputs(self, counts)
            }
            Op::WritePackedPrimitiveIndices4x8NV => {
                let (first, packed) = (self.scalar(inst.id(0))?, self.scalar(inst.id(1))?);
                stage.write_packed_indices(self, first, packed)
            }
            _ => self.unsupported(inst),
        }
    }

    /// Helper invocations and interlocks.
    fn lower_fragment(&mut self, inst: Instruction<'m>) -> Result {
        let stage = self.stage;
        match inst.op() {
            Op::DemoteToHelperInvocation => stage.demote(self),
            Op::IsHelperInvocationEXT => {
                let helper = stage.is_helper(self)?;
                self.define_scalar(inst, helper)
            }
            // Fragments of one pixel run one after another anyway, in the order of their primitives.
            Op::BeginInvocationInterlockEXT | Op::EndInvocationInterlockEXT => Ok(()),
            _ => self.unsupported(inst),
        }
    }

    /// `OpExtInst` by its set.
    fn lower_ext_inst(&mut self, inst: Instruction<'m>) -> Result {
        use pyro_spirv::ExtInstSet as S;
        match inst.ext_inst() {
            Some((S::GlslStd450, number)) => self.lower_glsl(inst, number),
            Some((S::AmdShaderBallot | S::AmdGcnShader | S::AmdShaderTrinaryMinmax, _)) => {
                self.lower_amd(inst)
            }
            Some((S::AmdShaderExplicitVertexParameter, 1)) => self.interpolate_at_vertex(inst),
            Some((S::NonSemanticDebugPrintf, DEBUG_PRINTF)) => self.lower_debug_printf(inst),
            Some((set, _)) if set.is_non_semantic() => {
                // Lines among them hold until the next.
                if set == S::NonSemanticShaderDebugInfo100 {
                    self.set_location(inst);
                }
                Ok(())
            }
            Some((set, number)) => {
                let name = set.instruction_name(number).unwrap_or("?");
                crate::error::unsupported(format!("the extended instruction {name} ({number}) of {set:?}"))
            }
            None => crate::error::invalid(format!("{inst:?} names no imported set")),
        }
    }

    /// A pointer to a module-scope variable; its place is found or made on first use.
    pub(crate) fn global_variable(&mut self, variable: GlobalVariable<'m>) -> Result<Pointer> {
        if let Some(known) = self.globals.get(&variable.id) {
            return Ok(known.clone());
        }
        let stage = self.stage;
        let place = match variable.class {
            StorageClass::Input
            | StorageClass::Output
            | StorageClass::TaskPayloadWorkgroupEXT
            | StorageClass::NodePayloadAMDX
            | StorageClass::RayPayloadKHR
            | StorageClass::IncomingRayPayloadKHR
            | StorageClass::CallableDataKHR
            | StorageClass::IncomingCallableDataKHR
            | StorageClass::HitAttributeKHR
            | StorageClass::HitObjectAttributeNV
            | StorageClass::HitObjectAttributeEXT
            | StorageClass::ShaderRecordBufferKHR => stage.variable_place(self, variable)?,
            _ => None,
        };
        if let Some(place) = place {
            self.globals.insert(variable.id, place.clone());
            return Ok(place);
        }
        let pointer = match variable.class {
            StorageClass::Private => self.private_variable(variable)?,
            StorageClass::Input => self.input_variable(variable)?,
            StorageClass::Output => self.output_variable(variable)?,
            StorageClass::Workgroup => self.shared_variable(variable)?,
            StorageClass::Uniform | StorageClass::StorageBuffer => self.buffer_variable(variable)?,
            StorageClass::PushConstant => self.push_constant_variable(variable)?,
            StorageClass::UniformConstant | StorageClass::TileAttachmentQCOM => {
                self.resource_variable(variable)?
            }
            StorageClass::TileImageEXT => self.tile_image_variable(variable)?,
            class => return unsupported(format!("variables of storage class {class:?} in this stage")),
        };
        self.globals.insert(variable.id, pointer.clone());
        Ok(pointer)
    }

    /// Reads a value of a type.
    pub(crate) fn load(&mut self, pointer: &Pointer, ty: Id, access: Access) -> Result<Operand> {
        match pointer.base {
            PointerBase::Descriptors { resource: Resource::Opaque | Resource::TileAttachment, .. } => {
                self.load_resource(pointer, ty)
            }
            PointerBase::TileImages { location } => self.load_tile_image(pointer, location),
            _ => self.load_memory(pointer, ty, access),
        }
    }

    /// A variable of private or function memory whose type is not plain data: ray queries, hit objects.
    pub(crate) fn opaque_private_variable(&mut self, ty: Id) -> Result<Option<Pointer>> {
        if self.holds_hit_objects(ty) {
            return self.hit_object_variable(ty).map(Some);
        }
        self.holds_ray_queries(ty).then(|| self.ray_query_variable(ty)).transpose()
    }
}
