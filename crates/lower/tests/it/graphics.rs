//! The vertex and fragment stages: a vertex shader's columns, and a fragment shader's attachments.
#![allow(unsafe_code)] // kernels are called with records

use crate::support::checked::checked;
use crate::support::{address, interpreter, layout, shader, storage};
use pyro_abi::graphics::{
    AttachmentRecord, DrawContext, FragmentSubgroup, Interpolation, Plane, PrimitiveSetup, VertexSubgroup,
};
use pyro_abi::{Exit, Kernel, PipelineLayout, SetHeader};
use pyro_fixed::state::{
    ColorAttachmentKey, CompareOp, InputRate, StencilFaceKey, StencilOp, VertexAttribute, VertexBuffer,
};
use pyro_fixed::{FragmentOutputKey, Variant, VertexInputState};
use pyro_image::Format;
use pyro_lower::{Shader, StageRequest, VaryingLayout, lower};
use pyro_spirv::Module;

fn modules() -> [Module; 2] {
    ["graphics.vert", "graphics.frag"].map(|name| Module::decode(&shader(name)).expect("it decodes"))
}

fn outputs(modules: &[Module; 2]) -> VaryingLayout {
    let [vertex, fragment] = modules.each_ref().map(checked);
    VaryingLayout::new((&vertex, "main"), Some((&fragment, "main"))).expect("they link")
}

#[test]
fn vertices() {
    let modules = modules();
    let outputs = outputs(&modules);
    // Position, point size; two coordinates, tag, linear, and six of the block.
    assert_eq!(outputs.layout.columns, 4 + 1 + 2 + 1 + 1 + 6);
    assert_eq!((outputs.layout.point_size, outputs.layout.clip_distance.1), (Some(4), 0));
    let attribute =
        |location, format, offset, rate| VertexAttribute { location, binding: 0, format, offset, rate };
    let input = VertexInputState {
        attributes: vec![
            attribute(2, Format::R32_UINT, 0, InputRate::Instance { divisor: 1 }),
            attribute(0, Format::R32G32B32_SFLOAT, 0, InputRate::Vertex),
            attribute(1, Format::R32G32_SFLOAT, 12, InputRate::Vertex),
        ],
    };
    let floats: Vec<f32> = (0..40).map(|index| index as f32).collect();
    let tags: Vec<u32> = (0..8).map(|index| 11 * index).collect();
    for lanes in [4u32, 8, 16, 64] {
        let push_layout = PipelineLayout { push_constant_bytes: 16, ..PipelineLayout::default() };
        let checked = checked(&modules[0]);
        let shader = Shader { checked: &checked, entry_point: "main", layout: &push_layout, tiles: false };
        let stage = StageRequest::Vertex { input: &input, outputs: &outputs };
        let kernel = interpreter(lower(&shader, lanes, &stage).expect("it lowers"));
        let mut draw = Box::new(DrawContext::default());
        for (record, attribute) in draw.attributes.iter_mut().zip(&input.attributes) {
            let (address, size, stride) = match attribute.location {
                2 => (address(&tags), 32, 4),
                _ => (address(&floats), 160, 20),
            };
            *record = VertexInputState::record(attribute, VertexBuffer { address, size, stride });
        }
        draw.dispatch.push_constants[4..8].copy_from_slice(&0.5f32.to_le_bytes());
        let columns = vec![0u32; (outputs.layout.columns * lanes) as usize];
        let mut subgroup =
            Box::new(VertexSubgroup { outputs: address(&columns), ..VertexSubgroup::default() });
        subgroup.subgroup.active_lanes = 0b0111;
        subgroup.base_instance = 3;
        for lane in 0..4 {
            subgroup.vertex_index[lane] = 5 + lane as u32;
            subgroup.instance_index[lane] = 4;
        }
        // SAFETY: all addresses are those of what lives here, and large enough.
        let exit = unsafe { kernel.run(&draw.dispatch, &mut subgroup.subgroup) };
        assert_eq!(exit, Exit::Done);
        let column = |column: u32, lane: u32| columns[(column * lanes + lane) as usize];
        let float = |at, lane| f32::from_bits(column(at, lane));
        let position = |lane| [0, 1, 2, 3].map(|at| float(at, lane));
        assert_eq!(position(0), [25.0, 26.5, 27.0, 1.0]);
        assert_eq!(position(1), [-1.0; 4]);
        assert_eq!(position(2), [35.0, 36.5, 37.0, 1.0]);
        assert_eq!(position(3), [0.0; 4], "an inactive lane");
        assert_eq!(float(4, 0), 5.5);
        let at = |word: u32| outputs.columns[&word];
        assert_eq!([float(at(0), 2), float(at(1), 2)], [38.0, 39.0]);
        assert_eq!((column(at(4), 0), float(at(6), 0)), (44 + 400, 3.0));
        assert_eq!([12, 13, 16, 17, 20, 21].map(|word| float(at(word), 2)), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(float(at(12), 1), 0.0);
        assert!(!outputs.columns.contains_key(&8));
    }
}

/// Values of an input at the three vertices, as the setup has them.
fn words(way: Interpolation, values: [f32; 3]) -> Vec<f32> {
    match way {
        Interpolation::Flat => vec![values[0]],
        Interpolation::PerVertex => values.to_vec(),
        _ => vec![values[0], values[1] - values[0], values[2] - values[0]],
    }
}

#[test]
fn fragments() {
    let modules = modules();
    let outputs = outputs(&modules);
    let mut key = FragmentOutputKey { samples: 1, ..FragmentOutputKey::default() };
    let color = |format| Some(ColorAttachmentKey { format, blend: None, write_mask: 15 });
    key.colors[0] = color(Format::R32G32B32A32_SFLOAT);
    key.colors[1] = color(Format::R32G32_UINT);
    let buffers = [storage(vec![0; 9])];
    let set_layout = layout(&buffers);
    let checked = checked(&modules[1]);
    for (lanes, packed) in [(8u32, false), (8, true), (16, true), (64, false)] {
        let variant = if packed { Variant::PackedQuads } else { Variant::SinglePrimitive };
        let shader = Shader { checked: &checked, entry_point: "main", layout: &set_layout, tiles: false };
        let stage = StageRequest::Fragment { key: &key, variant, inputs: &outputs };
        let found = lower(&shader, lanes, &stage).expect("it lowers");
        let setup_layout = found.setup.clone();
        let kernel = interpreter(found);
        // Two primitives of 512 bytes: the second is for quad 1 of packed functions.
        let mut memory = vec![0f32; 256];
        for primitive in 0..2 {
            let plane = |value, dx, dy| Plane { value, dx, dy };
            let setup = PrimitiveSetup {
                front_facing: 1 - primitive as u32,
                inverse_w: plane(2.0, 0.0, 0.0),
                perspective_i: plane(0.0, 0.5, 0.0),
                perspective_j: plane(0.0, 0.0, 1.0),
                linear_i: plane(0.0, 1.0, 0.0),
                linear_j: plane(0.0, 0.0, 1.0),
                depth_greatest: 1.0,
                ..PrimitiveSetup::default()
            };
            // SAFETY: plain data of 128 bytes.
            let bytes: [f32; 32] = unsafe { std::mem::transmute(setup) };
            memory[128 * primitive..][..32].copy_from_slice(&bytes);
            // coordinate: (100 + x / 4, y * 11); tag; linear: x; block.
            let values: [(Interpolation, [f32; 3]); 10] = [
                (Interpolation::Perspective, [100.0, 101.0, 100.0]),
                (Interpolation::Perspective, [0.0, 0.0, 22.0]),
                (Interpolation::Flat, [f32::from_bits(77 + primitive as u32), 0.0, 0.0]),
                (Interpolation::Linear, [0.0, 1.0, 0.25]),
                (Interpolation::Perspective, [1.0, 1.0, 1.0]),
                (Interpolation::Perspective, [2.0, 2.0, 2.0]),
                (Interpolation::Flat, [3.0, 0.0, 0.0]),
                (Interpolation::Flat, [4.0, 0.0, 0.0]),
                (Interpolation::Flat, [5.0, 0.0, 0.0]),
                (Interpolation::Flat, [6.0, 0.0, 0.0]),
            ];
            assert_eq!(setup_layout.varyings().len(), values.len());
            for (index, ((way, values), varying)) in values.iter().zip(setup_layout.varyings()).enumerate() {
                assert_eq!(varying.interpolation, *way, "component {index}");
                assert!(varying.column.is_some(), "component {index}");
                let start = 128 * primitive + setup_layout.offset(index) as usize / 4;
                let words = words(*way, *values);
                memory[start..start + words.len()].copy_from_slice(&words);
            }
        }
        let mut draw = Box::new(DrawContext::default());
        let (colors, facts) = (vec![-1f32; 4 * 8], vec![99u32; 2 * 8]);
        draw.colors[0] =
            AttachmentRecord { address: address(&colors), row_pitch: 64, ..AttachmentRecord::default() };
        draw.colors[1] =
            AttachmentRecord { address: address(&facts), row_pitch: 32, ..AttachmentRecord::default() };
        let counts = vec![0u32; 9];
        let mut set = vec![0u64; 4];
        set[0] = size_of::<SetHeader>() as u64 + 16;
        set[2..4].copy_from_slice(&[address(&counts), 36]);
        draw.dispatch.sets[0] = address(&set);
        let mut subgroup =
            Box::new(FragmentSubgroup { setup: address(&memory), ..FragmentSubgroup::default() });
        subgroup.subgroup.active_lanes = 0xff;
        for lane in 0..8usize {
            subgroup.x[lane] = (lane / 4 * 2 + lane % 2) as u32;
            subgroup.y[lane] = (lane % 4 / 2) as u32;
            subgroup.coverage[lane] = u32::from(lane != 2);
            subgroup.primitives[lane] = 512 * (lane as u32 / 4);
        }
        // SAFETY: all addresses are those of what lives here, and large enough.
        let exit = unsafe { kernel.run(&draw.dispatch, &mut subgroup.subgroup) };
        assert_eq!(exit, Exit::Done);
        let mut lived = 0;
        for (x, y) in (0..8).map(|pixel| (pixel % 4, pixel / 4)) {
            let pixel = y * 4 + x;
            let primitive = if packed { x / 2 } else { 0 };
            let linear = x as f32 + y as f32 * 0.25;
            let covered = (x, y) != (0, 1);
            let first = covered && linear <= 2.9;
            let coordinate = [100.0 + x as f32 * 0.25, 11.0 * y as f32];
            lived += u32::from(first);
            assert_eq!(counts[1 + pixel], if first { 77 + primitive as u32 } else { 0 }, "({x}, {y})");
            let color: [f32; 4] = std::array::from_fn(|index| colors[pixel * 4 + index]);
            if first && coordinate[1] <= 10.0 {
                let derivatives = 0.25 + 2.5;
                let want = [coordinate[0] + 1000.0, coordinate[1] + 2000.0, derivatives + 5.0, 2.0 + 6.0];
                assert_eq!(color, want, "({x}, {y}) of {lanes} lanes");
                assert_eq!(facts[pixel * 2..][..2], [x as u32 + 30, 7 + primitive as u32]);
            } else {
                assert_eq!(color, [-1.0; 4], "({x}, {y}) of {lanes} lanes");
                assert_eq!(facts[pixel * 2..][..2], [99, 99]);
            }
        }
        assert_eq!(counts[0], lived);
    }
}

/// One quad of one primitive at (2, 0): interpolation at an offset, demotion, an image sampled implicitly.
#[test]
fn places_and_helpers() {
    let module = Module::decode(&shader("places.frag")).expect("it decodes");
    let functions = crate::support::image::Functions::new();
    let (image, sampler) = (functions.image(3, &mut []), crate::support::image::sampler(2));
    let pair = [crate::support::image::address(&*image), crate::support::image::address(&*sampler)];
    let mut key = FragmentOutputKey { samples: 1, ..FragmentOutputKey::default() };
    let format = Format::R32G32B32A32_SFLOAT;
    key.colors[0] = Some(ColorAttachmentKey { format, blend: None, write_mask: 15 });
    let kind = pyro_abi::DescriptorKind::CombinedImageSampler;
    let layout = layout(&[storage(vec![0; 8]), crate::support::image::descriptors(kind, &[pair])]);
    let checked = checked(&module);
    let shader = Shader { checked: &checked, entry_point: "main", layout: &layout, tiles: false };
    let mut outputs = VaryingLayout::default();
    outputs.columns.extend([(0, 4), (1, 5)]);
    for lanes in [4, 16] {
        let stage = StageRequest::Fragment { key: &key, variant: Variant::SinglePrimitive, inputs: &outputs };
        let found = lower(&shader, lanes, &stage).expect("it lowers");
        assert_eq!(found.setup.varyings()[1].column, Some(5));
        let kernel = interpreter(found);
        let mut memory = vec![0f32; 128];
        let plane = |value, dx, dy| Plane { value, dx, dy };
        let setup = PrimitiveSetup {
            ref_x: 2,
            inverse_w: plane(1.0, 0.0, 0.0),
            perspective_i: plane(0.0, 1.0, 0.0),
            perspective_j: plane(0.0, 0.0, 1.0),
            depth_greatest: 1.0,
            ..PrimitiveSetup::default()
        };
        // SAFETY: plain data of 128 bytes.
        let bytes: [f32; 32] = unsafe { std::mem::transmute(setup) };
        memory[..32].copy_from_slice(&bytes);
        // x from 2 on, and y.
        memory[32..38].copy_from_slice(&[2.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        let mut draw = Box::new(DrawContext::default());
        let (colors, wrote) = (vec![-1f32; 4 * 8], vec![0u32; 8]);
        draw.colors[0] =
            AttachmentRecord { address: address(&colors), row_pitch: 64, ..AttachmentRecord::default() };
        let set = [48, 0, address(&wrote), 32, pair[0], pair[1]];
        draw.dispatch.sets[0] = address(&set);
        let mut subgroup =
            Box::new(FragmentSubgroup { setup: address(&memory), ..FragmentSubgroup::default() });
        let scratch = vec![0u64; kernel.info().scratch_bytes as usize / 8 + 8];
        subgroup.subgroup.scratch = address(&scratch).next_multiple_of(64);
        subgroup.subgroup.active_lanes = 0xf;
        for lane in 0..4usize {
            subgroup.x[lane] = 2 + lane as u32 % 2;
            subgroup.y[lane] = lane as u32 / 2;
            subgroup.coverage[lane] = 1;
        }
        // SAFETY: all addresses are those of what lives here, and large enough.
        let exit = unsafe { kernel.run(&draw.dispatch, &mut subgroup.subgroup) };
        assert_eq!(exit, Exit::Done);
        for y in 0..2 {
            let color: [f32; 4] = std::array::from_fn(|index| colors[(y * 4 + 2) * 4 + index]);
            // Operation 0, implicit; operation 2, explicit; of sampler row 2.
            let want = [2.25, y as f32 + 0.5, 9.0 - 4.0, 2.0 + 22.0 * 1000.0];
            assert_eq!(color, want, "{lanes} lanes");
            assert_eq!(colors[(y * 4 + 3) * 4], -1.0, "a demoted fragment");
        }
        assert_eq!(wrote[2..4], [1, 0]);
    }
}

/// A shader that does something with `FragCoord.x` as `%x`, an integer.
fn column_shader(writes_mask: bool, body: &str) -> Module {
    let (variable, interface, decoration) = match writes_mask {
        false => ("", "", ""),
        true => (
            "%out_array = OpTypePointer Output %array\n%out = OpVariable %out_array Output",
            " %out",
            "OpDecorate %out BuiltIn SampleMask",
        ),
    };
    let text = format!(
        "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main \"main\" %place{interface}
OpExecutionMode %main OriginUpperLeft
OpDecorate %place BuiltIn FragCoord
{decoration}
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%zero = OpConstant %int 0
%one = OpConstant %int 1
%size = OpConstant %int 1
%array = OpTypeArray %int %size
%out_int = OpTypePointer Output %int
%in_vec4 = OpTypePointer Input %vec4
%place = OpVariable %in_vec4 Input
{variable}
%main = OpFunction %void None %fn
%entry = OpLabel
%at = OpLoad %vec4 %place
%column = OpCompositeExtract %float %at 0
%x = OpConvertFToS %int %column
%odd = OpBitwiseAnd %int %x %one
%is_odd = OpIEqual %bool %odd %one
{body}
OpReturn
OpFunctionEnd"
    );
    Module::decode(&pyro_spirv::asm::assemble(&text).unwrap_or_else(|error| panic!("{error}")))
        .expect("it decodes")
}

/// Where every fragment fails the stencil test and failing replaces it, samples that the shader takes keep
/// theirs.
#[test]
fn failing_stencil_tests_wait_for_what_the_shader_takes() {
    let mut key = FragmentOutputKey {
        samples: 1,
        depth_stencil_format: Some(Format::S8_UINT),
        ..FragmentOutputKey::default()
    };
    let face = StencilFaceKey {
        fail_op: StencilOp::Replace,
        pass_op: StencilOp::Keep,
        depth_fail_op: StencilOp::Keep,
        compare_op: CompareOp::Never,
    };
    key.depth_stencil.stencil = Some([face; 2]);
    let discard = "OpSelectionMerge %rest None\nOpBranchConditional %is_odd %gone %rest\n%gone = OpLabel\nOpKill\n%rest = OpLabel";
    let other = discard.replace("%gone %rest\n", "%rest %gone\n");
    let mask = "%place_of_mask = OpAccessChain %out_int %out %zero\nOpStore %place_of_mask %odd";
    let layout = layout(&[]);
    for (writes_mask, body, want) in [
        (false, "", [9u8; 4]),
        (false, discard, [9, 1, 9, 1]),
        (false, &*other, [1, 9, 1, 9]),
        (true, mask, [1, 9, 1, 9]),
    ] {
        let module = column_shader(writes_mask, body);
        let checked = checked(&module);
        let shader = Shader { checked: &checked, entry_point: "main", layout: &layout, tiles: false };
        let inputs = &VaryingLayout::default();
        let stage = StageRequest::Fragment { key: &key, variant: Variant::SinglePrimitive, inputs };
        let kernel = interpreter(lower(&shader, 16, &stage).expect("it lowers"));
        let memory = vec![0u32; 64];
        let stencil = vec![1u8; 16];
        let mut draw = Box::new(DrawContext::default());
        draw.depth_stencil =
            AttachmentRecord { address: address(&stencil), row_pitch: 4, ..AttachmentRecord::default() };
        for face in &mut draw.stencil {
            (face.compare_mask, face.write_mask, face.reference) = (255, 255, 9);
        }
        let mut subgroup =
            Box::new(FragmentSubgroup { setup: address(&memory), ..FragmentSubgroup::default() });
        subgroup.subgroup.active_lanes = 0xffff;
        for lane in 0..16usize {
            subgroup.x[lane] = (lane / 4 % 2 * 2 + lane % 2) as u32;
            subgroup.y[lane] = (lane / 8 * 2 + lane % 4 / 2) as u32;
            subgroup.coverage[lane] = 1;
        }
        // SAFETY: all addresses are those of what lives here, and large enough.
        let exit = unsafe { kernel.run(&draw.dispatch, &mut subgroup.subgroup) };
        assert_eq!(exit, Exit::Done);
        for row in stencil.chunks_exact(4) {
            assert_eq!(row, want, "{body}");
        }
    }
}
