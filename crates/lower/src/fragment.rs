//! The fragment stage: inputs come from the primitive's setup data, outputs go to the tests and attachments,
//! both through `pyro_fixed`.
//!
//! ```text
//! begin: place, coverage; early tests; branch ──▶ prologue ─▶ the shader ─▶ end: tests, outputs ─┐
//!                                        └───────────────────────────────────────────────────────┴▶ return
//! ```
//!
//! Where failed tests change the stencil, a subgroup without a passing fragment goes to the end instead.
//!
//! A discarded invocation goes to the end at once, a demoted one goes on; both are marked as helpers. Helpers
//! write no memory, and at the end no attachment. What depends on neighbours (derivatives, implicit levels of
//! detail) sees them, since pure operations are computed for all lanes.

use crate::context::Lowerer;
use crate::error::{Result, check_lanes, invalid, unsupported};
use crate::outputs::{output_scalars, value_of_words};
use crate::sanitize::outputs::Reader;
use crate::stage::{InterpolateAt, Stage};
use crate::value::Scalars;
use crate::varyings::{FragmentInputs, VaryingLayout, interface_of};
use crate::{Lowered, Shader};
use pyro_abi::KernelInfo;
use pyro_abi::graphics::{Interpolation as Way, SetupLayout, Varying};
use pyro_fixed::{EarlyTests, Fragment, FragmentOutputKey, InterpolationPoint, Outputs, Variant};
use pyro_image::{Channel, NumericClass};
use pyro_interface::{Interface, Variable};
use pyro_ir::{BlockCall, Builder, Form, Function, Merge, Opcode, Scalar, Slot, Value};
use pyro_spirv::facts::facts;
use pyro_spirv::spirv::{BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, Op, StorageClass};
use pyro_spirv::{Id, Module, NewerOp, Type};
use std::cell::{Cell, OnceCell};

/// A fragment shader's stage.
struct FragmentStage<'k> {
    interface: Interface,
    inputs: FragmentInputs,
    fragment: OnceCell<Fragment<'k>>,
    /// Whether the invocation is a helper now, `i1`.
    helper: OnceCell<Slot>,
    /// The shader makes invocations helpers.
    sets_helper: Cell<bool>,
}

/// Lowers a fragment entry point.
pub(crate) fn lower(
    shader: &Shader<'_>,
    lanes: u32,
    key: &FragmentOutputKey,
    variant: Variant,
    from: &VaryingLayout,
) -> Result<Lowered> {
    check_variant(lanes, key, variant)?;
    let module = shader.checked;
    let interface = interface_of(shader.checked, shader.entry_point, ExecutionModel::Fragment)?;
    let entry = interface.function;
    let constants = shader.checked.constants_for(entry, 0)?;
    let inputs = FragmentInputs::new(module, &constants, &interface, from)?;
    let early = early_tests(module, &interface, key);
    let mut setup = inputs.setup.clone();
    let smooth = Varying { column: None, interpolation: Way::SmoothLine };
    let smooth_line = key.smooth_lines.then(|| setup.push(smooth));
    let stage = FragmentStage {
        interface,
        inputs,
        fragment: OnceCell::new(),
        helper: OnceCell::new(),
        sets_helper: Cell::new(false),
    };

    let mut function = Function::new(shader.entry_point, Form::Lane, lanes);
    let mut cx = Lowerer::new(module, entry, constants, shader.layout, &stage, &mut function)?;
    cx.sanitize_inputs(&stage.interface, &from.missing);
    cx.image.lanes_are_block = variant.is_block();
    let mut fragment = Fragment::begin(&mut cx.b, key, variant);
    if has_loops(module) {
        fragment.keep_helpers_near(&mut cx.b);
    }
    fragment.smooth_line = smooth_line;
    let end = cx.make_block()?;
    let prologue = cx.make_block()?;
    cx.end = Some(end);
    let mut exit = None;
    match early {
        Some(how) => {
            let needed = fragment.test_early(&mut cx.b, how);
            let block = cx.b.block();
            let runs_all = !fragment.may_end_early() && takes_coverage(module, &stage.interface, key);
            // Fragments that fail are traced, too; they change nothing.
            if runs_all || !cx.trace.is_off() {
                cx.b.jump(prologue, &[]);
            } else {
                let merge = if fragment.may_end_early() { *exit.insert(cx.make_block()?) } else { end };
                cx.b.function.blocks[block].merge = Some(Merge::Selection { merge });
                cx.b.branch(needed, BlockCall::new(prologue, &[]), BlockCall::new(merge, &[]));
            }
        }
        None => cx.b.jump(prologue, &[]),
    }
    cx.b.start(prologue);
    cx.set_prologue();
    let live = fragment.live_coverage(&mut cx.b);
    let zero = cx.b.i32(0);
    let is_helper = cx.b.op(Opcode::IEq, &[live, zero]);
    let helper = cx.b.function.add_slot(1);
    cx.b.slot_store(helper, zero, is_helper);
    stage.helper.get_or_init(|| helper);
    let fragment = stage.fragment.get_or_init(|| fragment);
    cx.lower_entry_point(entry)?;
    cx.b.start(end);
    let outputs = outputs(&mut cx, &stage.interface, key)?;
    // Where the shader discards nothing, its helpers are those that nothing covers.
    let alive = if stage.sets_helper.get() || early == Some(EarlyTests::All) || !cx.trace.is_off() {
        let is_helper = stage.is_helper(&mut cx)?;
        cx.b.op(Opcode::Not, &[is_helper])
    } else {
        cx.b.bool(true)
    };
    cx.trace_fragment(fragment, &outputs, alive, None)?;
    let passed = fragment.finish(&mut cx.b, &outputs, alive);
    cx.trace_fragment(fragment, &outputs, alive, Some(passed))?;
    if let Some(exit) = exit {
        cx.b.jump(exit, &[]);
        cx.b.start(exit);
    }
    cx.b.terminate(pyro_ir::Terminator::Return(0));
    let info = cx.subgroup_info(lanes);
    let locations = cx.locations.into_table();
    Ok(Lowered { function, info, locations, setup })
}

fn check_variant(lanes: u32, key: &FragmentOutputKey, variant: Variant) -> Result {
    check_lanes(lanes)?;
    if !variant.takes(key, lanes) {
        return invalid(format!("subgroups of {lanes} lanes in this variant"));
    }
    Ok(())
}

/// The stage without a shader.
pub(crate) fn lower_without_shader(lanes: u32, key: &FragmentOutputKey, variant: Variant) -> Result<Lowered> {
    check_variant(lanes, key, variant)?;
    let mut function = Function::new("no fragment shader", Form::Lane, lanes);
    let mut b = Builder::new(&mut function);
    let block = b.function.make_block();
    b.start(block);
    let fragment = Fragment::begin(&mut b, key, variant);
    let alive = b.bool(true);
    fragment.finish(&mut b, &Outputs::default(), alive);
    b.terminate(pyro_ir::Terminator::Return(0));
    let info = KernelInfo { subgroup_size: lanes, workgroup_size: [lanes, 1, 1], ..KernelInfo::default() };
    Ok(Lowered { function, info, locations: Default::default(), setup: SetupLayout::new() })
}

/// Whether the shader's sample mask takes the place of the coverage.
fn overrides_coverage(module: &Module, interface: &Interface) -> bool {
    let mask = interface.built_in(BuiltIn::SampleMask, StorageClass::Output);
    mask.is_some_and(|mask| module.has_decoration(mask.variable, Decoration::OverrideCoverageNV))
}

/// Which tests come before the shader.
fn early_tests(module: &Module, interface: &Interface, key: &FragmentOutputKey) -> Option<EarlyTests> {
    let has = |mode| module.execution_mode(interface.function, mode).is_some();
    // Where the shader replaces what is tested, tests before it may be added to those behind it, and are not.
    let is_both = has(ExecutionMode::EarlyAndLateFragmentTestsAMD)
        && !has(ExecutionMode::DepthReplacing)
        && !has(ExecutionMode::StencilRefReplacingEXT);
    if has(ExecutionMode::EarlyFragmentTests) || is_both {
        return Some(EarlyTests::All);
    }
    // Of fragments of several pixels each is tested once, and only the shader knows what others cover.
    if key.coarse || overrides_coverage(module, interface) {
        return None;
    }
    let state = &key.depth_stencil;
    let depth = key.depth_format().is_some() && (state.depth_test.is_some() || state.depth_bounds_test);
    let stencil = key.stencil_format().is_some() && state.stencil.is_some();
    let replaces = [BuiltIn::FragDepth, BuiltIn::FragStencilRefEXT]
        .iter()
        .any(|&built_in| interface.built_in(built_in, StorageClass::Output).is_some());
    ((depth || stencil) && !replaces && !writes_memory(module)).then_some(EarlyTests::Tests)
}

/// Whether a function of the module has a loop.
fn has_loops(module: &Module) -> bool {
    let mut blocks = module.functions().flat_map(|function| module.function(function).blocks());
    blocks.any(|block| matches!(module.merge(block), Some(pyro_spirv::Merge::Loop { .. })))
}

/// Whether what the shader does may take samples away: where a test that fails changes the stencil, the
/// shader runs even for fragments that fail, as samples that it has taken change nothing.
fn takes_coverage(module: &Module, interface: &Interface, key: &FragmentOutputKey) -> bool {
    key.alpha_to_coverage || shader_takes_coverage(module, interface)
}

/// Whether the shader itself may take samples away.
fn shader_takes_coverage(module: &Module, interface: &Interface) -> bool {
    let ends = [Op::Kill, Op::TerminateInvocation, Op::DemoteToHelperInvocation];
    interface.built_in(BuiltIn::SampleMask, StorageClass::Output).is_some()
        || module.insts().any(|inst| ends.contains(&inst.op()) || inst.newer() == Some(NewerOp::Abort))
}

/// The locations of [`FragmentInfo::always_written`](crate::FragmentInfo::always_written).
pub(crate) fn always_written(module: &Module, interface: &Interface) -> u32 {
    // What earlier fragments have left is seen through these.
    let sees_attachments = [
        Capability::InputAttachment,
        Capability::TileImageColorReadAccessEXT,
        Capability::TileImageDepthReadAccessEXT,
        Capability::TileImageStencilReadAccessEXT,
        Capability::TileShadingQCOM,
    ]
    .into_iter()
    .any(|capability| module.has_capability(capability));
    if sees_attachments || shader_takes_coverage(module, interface) || writes_memory(module) {
        return 0;
    }
    let leaves = interface.outputs.iter().flat_map(|variable| &variable.leaves);
    leaves.fold(0, |all, leaf| all | 1u32.checked_shl(leaf.location).unwrap_or(0))
}

/// Whether a module writes memory that other invocations or the application may read: through a pointer other
/// than to variables of the invocation, to an image or to a tensor; or whether it may abort.
pub(crate) fn writes_memory(module: &Module) -> bool {
    let is_shared = |operand: Option<Id>| {
        let ty = operand.and_then(|operand| module.type_of(operand));
        match ty.map(|ty| module.ty(ty)) {
            Some(Type::Pointer { class, .. } | Type::UntypedPointer { class }) => {
                !matches!(class, StorageClass::Function | StorageClass::Private | StorageClass::Output)
            }
            _ => true,
        }
    };
    module.insts().any(|inst| {
        let writes = facts(inst.op()).writes;
        writes.iter().any(|&position| is_shared(inst.get_id(position)))
            || inst.newer() == Some(NewerOp::Abort)
    })
}

/// What the shader's output variables hold at its end.
fn outputs(cx: &mut Lowerer<'_, '_>, interface: &Interface, key: &FragmentOutputKey) -> Result<Outputs> {
    let mut outputs = Outputs::default();
    sanitize_attachments(cx, interface, key)?;
    for variable in &interface.outputs {
        let (_, scalars) = output_scalars(cx, variable.variable, variable.member)?;
        let mut scalars = scalars.iter();
        for leaf in &variable.leaves {
            let values: Scalars = scalars.by_ref().take(leaf.count as usize).copied().collect();
            let location = leaf.location as usize;
            let Some(attachment) = key.colors.get(location) else {
                return invalid(format!("a fragment output at location {location}"));
            };
            let class = match attachment {
                Some(attachment) => attachment.format.numeric_class(pyro_image::Aspect::Color),
                // Its alpha counts even where it is not written.
                None if location == 0 && key.alpha_to_coverage => NumericClass::Float,
                None => continue,
            };
            let wanted = if class == NumericClass::Float { Scalar::F32 } else { Scalar::I32 };
            let zero = cx.b.constant(wanted, 0);
            let color = match (variable.index, location) {
                (0, _) => &mut outputs.colors[location],
                (1, 0) => &mut outputs.second_color,
                (index, _) => return unsupported(format!("output index {index} at location {location}")),
            };
            let color = color.get_or_insert([zero; 4]);
            for (slot, value) in color.iter_mut().skip(leaf.component as usize).zip(values) {
                let signed = matches!(cx.module.ty(leaf.scalar), Type::Int { signed: true, .. });
                *slot = match cx.scalar_type(value) {
                    Scalar::F16 => cx.b.convert(Opcode::FConvert, value, Scalar::F32),
                    Scalar::I8 | Scalar::I16 => cx.integer_of_width(value, Scalar::I32, signed)?,
                    Scalar::F32 | Scalar::I32 => value,
                    other => return invalid(format!("a fragment output of {}", other.name())),
                };
                // What floats leave in an integer attachment is undefined (section "Fragment Output
                // Interface"); programs are written that expect the number.
                *slot = match (cx.scalar_type(*slot), class) {
                    (Scalar::F32, NumericClass::SInt) => cx.b.convert(Opcode::FToS, *slot, wanted),
                    (Scalar::F32, NumericClass::UInt) => cx.b.convert(Opcode::FToU, *slot, wanted),
                    _ => cx.b.bitcast(*slot, wanted),
                };
            }
        }
    }
    let mut built_in = |built_in: BuiltIn, scalar: Scalar| -> Result<Option<Value>> {
        let Some(found) = interface.built_in(built_in, StorageClass::Output) else { return Ok(None) };
        let (_, scalars) = output_scalars(cx, found.variable, found.member)?;
        match scalars.first() {
            Some(&value) if cx.scalar_type(value).bits() == scalar.bits() => {
                Ok(Some(cx.b.bitcast(value, scalar)))
            }
            _ => invalid(format!("built-in {built_in:?} has the wrong type")),
        }
    };
    outputs.depth = built_in(BuiltIn::FragDepth, Scalar::F32)?;
    outputs.stencil_reference = built_in(BuiltIn::FragStencilRefEXT, Scalar::I32)?;
    outputs.sample_mask = built_in(BuiltIn::SampleMask, Scalar::I32)?;
    outputs.overrides_coverage = overrides_coverage(cx.module, interface);
    Ok(outputs)
}

/// The components of an attachment, by number.
const CHANNELS: [Channel; 4] = [Channel::R, Channel::G, Channel::B, Channel::A];

/// Finds what attachments would take that has not been written.
fn sanitize_attachments(cx: &mut Lowerer<'_, '_>, interface: &Interface, key: &FragmentOutputKey) -> Result {
    for (location, attachment) in (0..).zip(&key.colors) {
        let Some(attachment) = attachment.as_ref().filter(|attachment| attachment.write_mask != 0) else {
            continue;
        };
        let is_read = |component: u32| {
            attachment.write_mask >> component & 1 != 0
                && attachment.format.component(CHANNELS[component as usize % 4]).is_some()
        };
        let mut has_output = false;
        for variable in interface.outputs.iter().filter(|variable| variable.index == 0) {
            let mut reads = Vec::new();
            for leaf in &variable.leaves {
                let is_here = leaf.location == location;
                reads.extend((0..leaf.count).map(|index| is_here && is_read(leaf.component + index)));
                has_output |= is_here;
            }
            if reads.contains(&true) {
                let place = (variable.variable, variable.member);
                cx.sanitize_output(interface.function, place, Reader::Attachment(location), |index| {
                    reads.get(index).copied().unwrap_or(false)
                })?;
            }
        }
        if !has_output {
            cx.sanitize_missing_output(interface.function, location)?;
        }
    }
    Ok(())
}

impl<'k> FragmentStage<'k> {
    fn fragment(&self) -> &Fragment<'k> {
        self.fragment.get().expect("made before the shader is lowered")
    }

    fn place(
        &self,
        cx: &mut Lowerer<'_, '_>,
        at: Option<InterpolateAt>,
        centroid: bool,
        sample: bool,
    ) -> InterpolationPoint {
        let fragment = self.fragment();
        match at {
            Some(InterpolateAt::Centroid) => fragment.at_centroid(&mut cx.b),
            Some(InterpolateAt::Sample(index)) => fragment.at_sample(&mut cx.b, index),
            Some(InterpolateAt::Offset(offset)) => fragment.at_offset(&mut cx.b, offset),
            Some(InterpolateAt::Vertex(_)) => fragment.at_center(),
            None if sample => fragment.at_default(&mut cx.b),
            None if centroid => fragment.at_centroid(&mut cx.b),
            None => fragment.at_default(&mut cx.b),
        }
    }

    /// A word of the inputs, of the type that interpolation gives.
    fn word(
        &self,
        cx: &mut Lowerer<'_, '_>,
        word: u32,
        place: &mut dyn FnMut(&mut Lowerer<'_, '_>) -> InterpolationPoint,
        vertex: u32,
    ) -> Value {
        let Some(input) = self.inputs.words.get(&word) else { return cx.b.i32(0) };
        let fragment = self.fragment();
        match input.way {
            Way::Flat | Way::PerPrimitive => fragment.flat(&mut cx.b, input.offset),
            Way::SmoothLine => cx.b.i32(0),
            Way::PerVertex => fragment.per_vertex(&mut cx.b, input.offset, vertex),
            Way::Perspective | Way::Linear => {
                let place = place(cx);
                let barycentric = fragment.barycentric(&mut cx.b, place, input.way == Way::Perspective);
                fragment.interpolate(&mut cx.b, input.offset, barycentric)
            }
        }
    }

    /// The scalars of an input's leaves at one place or vertex.
    fn part(
        &self,
        cx: &mut Lowerer<'_, '_>,
        part: &Variable,
        at: Option<InterpolateAt>,
        vertex: u32,
        value: &mut Scalars,
    ) -> Result {
        let how = part.interpolation;
        let mut known = None;
        let mut place = |cx: &mut Lowerer<'_, '_>| match known {
            Some(place) => place,
            None => *known.insert(self.place(cx, at, how.centroid, how.sample)),
        };
        for leaf in &part.leaves {
            let scalar = cx.type_scalars(leaf.scalar)?.first().copied().unwrap_or(Scalar::I32);
            let mut word = 4 * leaf.location + leaf.component;
            for _ in 0..leaf.count {
                value.push(value_of_words(cx, scalar, &mut |cx| {
                    word += 1;
                    self.word(cx, word - 1, &mut place, vertex)
                })?);
            }
        }
        Ok(())
    }

    /// The weights of vertices 1 and 2 at a place.
    fn weights(&self, cx: &mut Lowerer<'_, '_>, place: InterpolationPoint, perspective: bool) -> Scalars {
        let [_, i, j] = self.fragment().bary_coord(&mut cx.b, place, perspective);
        Scalars::from_slice(&[i, j])
    }

    fn distances(&self, cx: &mut Lowerer<'_, '_>, offsets: &[u32]) -> Scalars {
        let fragment = self.fragment();
        let place = fragment.at_default(&mut cx.b);
        let barycentric = fragment.barycentric(&mut cx.b, place, true);
        offsets.iter().map(|&offset| fragment.interpolate(&mut cx.b, offset, barycentric)).collect()
    }
}

impl Stage for FragmentStage<'_> {
    fn model(&self) -> Option<ExecutionModel> {
        Some(ExecutionModel::Fragment)
    }

    fn interface(&self) -> Option<&Interface> {
        Some(&self.interface)
    }

    fn built_in(&self, cx: &mut Lowerer<'_, '_>, variable: Id, built_in: BuiltIn) -> Result<Scalars> {
        let fragment = self.fragment();
        let scalar = match built_in {
            BuiltIn::FragCoord => return Ok(Scalars::from_slice(&fragment.frag_coord(&mut cx.b))),
            BuiltIn::PointCoord => return Ok(Scalars::from_slice(&fragment.point_coord(&mut cx.b))),
            BuiltIn::SamplePosition => {
                let index = fragment.sample_id(&mut cx.b);
                return Ok(Scalars::from_slice(&fragment.sample_position(&mut cx.b, index)));
            }
            BuiltIn::BaryCoordKHR | BuiltIn::BaryCoordNoPerspKHR => {
                let has = |decoration| cx.module.has_decoration(variable, decoration);
                let (centroid, sample) = (has(Decoration::Centroid), has(Decoration::Sample));
                let place = self.place(cx, None, centroid, sample);
                let perspective = built_in == BuiltIn::BaryCoordKHR;
                return Ok(Scalars::from_slice(&fragment.bary_coord(&mut cx.b, place, perspective)));
            }
            // Where inputs are: with an invocation for each sample, at the sample; those of samples ask for
            // that.
            BuiltIn::BaryCoordNoPerspAMD
            | BuiltIn::BaryCoordNoPerspSampleAMD
            | BuiltIn::BaryCoordSmoothAMD
            | BuiltIn::BaryCoordSmoothSampleAMD => {
                let place = fragment.at_default(&mut cx.b);
                let perspective =
                    matches!(built_in, BuiltIn::BaryCoordSmoothAMD | BuiltIn::BaryCoordSmoothSampleAMD);
                return Ok(self.weights(cx, place, perspective));
            }
            BuiltIn::BaryCoordNoPerspCentroidAMD | BuiltIn::BaryCoordSmoothCentroidAMD => {
                let place = fragment.at_centroid(&mut cx.b);
                return Ok(self.weights(cx, place, built_in == BuiltIn::BaryCoordSmoothCentroidAMD));
            }
            BuiltIn::BaryCoordPullModelAMD => {
                let weights = self.weights(cx, fragment.at_center(), true);
                let one = cx.b.f32(1.0);
                let mut model = Scalars::from_slice(&[fragment.inverse_w(&mut cx.b)]);
                model.extend(weights.iter().map(|&weight| cx.b.op(Opcode::FDiv, &[one, weight])));
                return Ok(model);
            }
            BuiltIn::ClipDistance => return Ok(self.distances(cx, &self.inputs.clip_distance)),
            BuiltIn::CullDistance => return Ok(self.distances(cx, &self.inputs.cull_distance)),
            BuiltIn::FrontFacing => fragment.front_facing(&mut cx.b),
            BuiltIn::SampleId => fragment.sample_id(&mut cx.b),
            BuiltIn::SampleMask => {
                let function = self.interface.function;
                let post_depth = cx.module.execution_mode(function, ExecutionMode::PostDepthCoverage);
                let b = &mut cx.b;
                let coverage =
                    if post_depth.is_some() { fragment.live_coverage(b) } else { fragment.coverage };
                fragment.sample_mask_of(b, coverage)
            }
            BuiltIn::HelperInvocation => {
                let (live, zero) = (fragment.live_coverage(&mut cx.b), cx.b.i32(0));
                cx.b.op(Opcode::IEq, &[live, zero])
            }
            BuiltIn::PrimitiveId => fragment.primitive_id(&mut cx.b),
            BuiltIn::Layer => fragment.layer(&mut cx.b),
            BuiltIn::ViewportIndex => fragment.viewport_index(&mut cx.b),
            BuiltIn::ViewIndex if !cx.layout.options.view_index_is_device_index => {
                fragment.view_index(&mut cx.b)
            }
            BuiltIn::FullyCoveredEXT => fragment.is_fully_covered(&mut cx.b),
            BuiltIn::ShadingRateKHR => fragment.shading_rate(&mut cx.b),
            BuiltIn::FragSizeEXT => return Ok(Scalars::from_slice(&fragment.size(&mut cx.b))),
            BuiltIn::FragInvocationCountEXT => fragment.invocation_count(&mut cx.b),
            other => return cx.common_built_in(other),
        };
        Ok(smallvec::smallvec![scalar])
    }

    fn user_input(
        &self,
        cx: &mut Lowerer<'_, '_>,
        parts: &[&Variable],
        at: Option<InterpolateAt>,
    ) -> Result<Scalars> {
        let mut value = Scalars::new();
        let vertices = match at {
            Some(InterpolateAt::Vertex(vertex)) => vertex..vertex + 1,
            _ if parts.iter().any(|part| part.is_arrayed) => 0..3,
            _ => 0..1,
        };
        for vertex in vertices {
            for part in parts {
                self.part(cx, part, at, vertex, &mut value)?;
            }
        }
        Ok(value)
    }

    fn set_helper(&self, cx: &mut Lowerer<'_, '_>, helper: Value) -> Result {
        let slot = *self.helper.get().expect("made before the shader is lowered");
        let zero = cx.b.i32(0);
        cx.b.slot_store(slot, zero, helper);
        self.sets_helper.set(true);
        Ok(())
    }

    fn is_helper(&self, cx: &mut Lowerer<'_, '_>) -> Result<Value> {
        let slot = *self.helper.get().expect("made before the shader is lowered");
        let zero = cx.b.i32(0);
        Ok(cx.b.slot_load(Scalar::I1, slot, zero))
    }

    fn may_write(&self, cx: &mut Lowerer<'_, '_>) -> Option<Value> {
        let helper = self.is_helper(cx).ok()?;
        Some(cx.b.op(Opcode::Not, &[helper]))
    }

    fn framebuffer_place(&self, cx: &mut Lowerer<'_, '_>) -> Result<[Value; 3]> {
        let fragment = self.fragment();
        Ok([fragment.x, fragment.y, fragment.attachment_layer(&mut cx.b)])
    }

    fn color_attachment(
        &self,
        cx: &mut Lowerer<'_, '_>,
        location: u32,
        sample: Value,
    ) -> Result<Option<[Value; 4]>> {
        Ok(pyro_fixed::color::load_attachment(&mut cx.b, self.fragment(), location, sample))
    }

    fn depth_stencil_attachment(
        &self,
        cx: &mut Lowerer<'_, '_>,
        stencil: bool,
        sample: Value,
    ) -> Result<Option<Value>> {
        let aspect = if stencil { pyro_image::Aspect::Stencil } else { pyro_image::Aspect::Depth };
        Ok(pyro_fixed::depth_stencil::load_attachment(&mut cx.b, self.fragment(), aspect, sample))
    }

    fn workgroup_barrier(&self, _: &mut Lowerer<'_, '_>, _: u64) -> Result {
        invalid("a barrier of a workgroup outside of a stage with workgroups")
    }
}

#[cfg(test)]
mod tests {
    use super::writes_memory;
    use pyro_spirv::Module;
    use pyro_spirv::asm::assemble;

    /// A module that does this with a buffer and a tensor, which is as far from valid as decoding lets it be.
    fn module(instruction: &str) -> Module {
        let text = format!(
            "; Version: 1.6\nOpCapability Shader\nOpMemoryModel Logical GLSL450\n\
             OpEntryPoint Fragment %main \"main\"\nOpExecutionMode %main OriginUpperLeft\n\
             %void = OpTypeVoid\n%fn = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n%zero = OpConstant %uint 0\n\
             %one = OpConstant %uint 1\n%four = OpConstant %uint 4\n%half = OpTypeFloat 16\n\
             %vector = OpTypeCooperativeVectorNV %half %four\n%tensor_type = OpTypeTensorARM %half %one\n\
             %p_half = OpTypePointer StorageBuffer %half\n%p_own = OpTypePointer Function %half\n\
             %p_tensor = OpTypePointer UniformConstant %tensor_type\n%v = OpConstantNull %vector\n\
             %h = OpConstantNull %half\n%place = OpVariable %p_half StorageBuffer\n\
             %tensors = OpVariable %p_tensor UniformConstant\n\
             %main = OpFunction %void None %fn\n%entry = OpLabel\n%own = OpVariable %p_own Function\n\
             %tensor = OpLoad %tensor_type %tensors\n{instruction}\nOpReturn\nOpFunctionEnd\n"
        );
        Module::decode(&assemble(&text).unwrap_or_else(|error| panic!("{error}\n{text}")))
            .expect("it decodes")
    }

    #[test]
    fn stores_of_every_kind_write_memory() {
        for instruction in [
            "OpStore %place %h",
            "OpCopyMemory %place %own",
            "OpCooperativeVectorStoreNV %place %zero %v",
            "OpCooperativeVectorOuterProductAccumulateNV %place %zero %v %v %zero %zero",
            "OpCooperativeVectorReduceSumAccumulateNV %place %zero %v",
            "OpCooperativeMatrixStoreKHR %place %v %zero",
            "OpTensorWriteARM %tensor %zero %h",
            "OpAtomicStore %place %one %zero %h",
        ] {
            assert!(writes_memory(&module(instruction)), "{instruction}");
        }
        for instruction in [
            "OpNop",
            "OpStore %own %h",
            "OpCopyMemory %own %place",
            "%x = OpCooperativeVectorLoadNV %vector %place %zero",
            "%x = OpTensorReadARM %half %tensor %zero",
            "%x = OpAtomicLoad %half %place %one %zero",
        ] {
            assert!(!writes_memory(&module(instruction)), "{instruction}");
        }
    }
}
