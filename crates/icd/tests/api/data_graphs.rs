//! Data graphs: whole graphs of tensor operators, sessions, caches and identifiers, graphs that are refused.

mod descriptors;

use crate::tensors::Tensor;
use pyro_spirv::asm::assemble;
use pyro_test_kit::compute::Compute;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{ArmDataGraphExtensionDeviceCommands as _, ArmDataGraphExtensionInstanceCommands as _};

const V1_3: u32 = vk::make_version(1, 3, 0);
const POINT: vk::PipelineBindPoint = vk::PipelineBindPoint::DATA_GRAPH_ARM;

fn context() -> Compute {
    let mut tensors = vk::PhysicalDeviceTensorFeaturesARM::builder().tensors(true).tensor_non_packed(true);
    let mut graphs = vk::PhysicalDeviceDataGraphFeaturesARM::builder()
        .data_graph(true)
        .data_graph_specialization_constants(true)
        .data_graph_shader_module(true);
    graphs.next = (&raw mut tensors).cast();
    let extensions = [
        c"VK_ARM_tensors",
        c"VK_ARM_data_graph",
        c"VK_ARM_data_graph_instruction_set_tosa",
        c"VK_KHR_maintenance5",
        c"VK_KHR_deferred_host_operations",
    ];
    Compute::new(V1_3, &extensions, (&raw mut graphs).cast())
}

/// A tensor's dimensions and strides, with its description.
#[derive(Clone)]
struct Shape {
    format: vk::Format,
    dimensions: Vec<i64>,
    strides: Vec<i64>,
}

impl Shape {
    fn new(format: vk::Format, dimensions: &[i64], strides: &[i64]) -> Shape {
        Shape { format, dimensions: dimensions.to_vec(), strides: strides.to_vec() }
    }

    fn tensor(&self, context: &Compute) -> Tensor {
        Tensor::of(context, &self.description())
    }

    fn description(&self) -> vk::TensorDescriptionARM {
        vk::TensorDescriptionARM {
            tiling: vk::TensorTilingARM::LINEAR,
            format: self.format,
            dimension_count: self.dimensions.len() as u32,
            dimensions: self.dimensions.as_ptr(),
            strides: if self.strides.is_empty() { std::ptr::null() } else { self.strides.as_ptr() },
            usage: vk::TensorUsageFlagsARM::DATA_GRAPH,
            ..Default::default()
        }
    }
}

fn allocate(context: &Compute, size: u64) -> (vk::DeviceMemory, *mut u8) {
    let info = vk::MemoryAllocateInfo::builder().allocation_size(size);
    unsafe {
        let memory = context.device.allocate_memory(&info, None).expect("memory");
        let bytes = context.device.map_memory(memory, 0, vk::WHOLE_SIZE, Default::default()).expect("mapped");
        (memory, bytes.cast())
    }
}

/// What every graph here begins with.
const PREAMBLE: &str = "; Version: 1.6
    OpCapability Shader
    OpCapability GraphARM
    OpCapability TensorsARM
    OpCapability Int8
    OpCapability Int16
    OpCapability VulkanMemoryModel
    OpExtension \"SPV_ARM_graph\"
    OpExtension \"SPV_ARM_tensors\"
    %tosa = OpExtInstImport \"TOSA.001000.1\"
    OpMemoryModel Logical Vulkan
    OpDecorate %in DescriptorSet 0
    OpDecorate %in Binding 0
    OpDecorate %out DescriptorSet 0
    OpDecorate %out Binding 1
    OpDecorate %shift SpecId 3
    %i8 = OpTypeInt 8 0
    %i32 = OpTypeInt 32 0
    %bool = OpTypeBool
    %true = OpConstantTrue %bool
    %false = OpConstantFalse %bool
    %c0 = OpConstant %i32 0
    %c1 = OpConstant %i32 1
    %c2 = OpConstant %i32 2
    %c3 = OpConstant %i32 3
    %c4 = OpConstant %i32 4
    %c5 = OpConstant %i32 5
    %c8 = OpConstant %i32 8
    %c1024 = OpConstant %i32 1073741824
    %b0 = OpConstant %i8 0
    %b3 = OpConstant %i8 3
    %shift = OpSpecConstant %i8 36
    %a1 = OpTypeArray %i32 %c1
    %a3 = OpTypeArray %i32 %c3
    %a4 = OpTypeArray %i32 %c4
    %s1 = OpConstantComposite %a1 %c1
    %s2 = OpConstantComposite %a1 %c2
    %s3 = OpConstantComposite %a1 %c3
    %s4 = OpConstantComposite %a1 %c4
    %pair = OpTypeTensorARM %i32 %c1 %s2
    %triple = OpTypeTensorARM %i32 %c1 %s3
    %four = OpTypeTensorARM %i32 %c1 %s4
    %word = OpTypeTensorARM %i32 %c1 %s1
    %byte = OpTypeTensorARM %i8 %c1 %s1
    %ones = OpConstantComposite %pair %c1 %c1
    %twos = OpConstantComposite %pair %c2 %c2
    %pads = OpConstantComposite %four %c1 %c1 %c1 %c1
    %none = OpConstantNull %four
    %zero_word = OpConstantComposite %word %c0
    %scale = OpConstantComposite %word %c1024
    %zero = OpConstantComposite %byte %b0
    %point = OpConstantComposite %byte %b3
    %shifts = OpSpecConstantComposite %byte %shift
    %S = OpConstantComposite %a4 %c1 %c4 %c4 %c2
    %T = OpTypeTensorARM %i8 %c4 %S
    %SW = OpConstantComposite %a4 %c3 %c3 %c3 %c2
    %W = OpTypeTensorARM %i8 %c4 %SW
    %SA = OpConstantComposite %a4 %c1 %c4 %c4 %c3
    %A = OpTypeTensorARM %i32 %c4 %SA
    %R = OpTypeTensorARM %i8 %c4 %SA
    %SP = OpConstantComposite %a4 %c1 %c2 %c2 %c3
    %P = OpTypeTensorARM %i8 %c4 %SP
    %SO = OpConstantComposite %a3 %c4 %c3 %c1
    %O = OpTypeTensorARM %i8 %c3 %SO
    %shape = OpConstantComposite %triple %c4 %c3 %c1
    %pt = OpTypePointer UniformConstant %T
    %po = OpTypePointer UniformConstant %O
    %in = OpVariable %pt UniformConstant
    %out = OpVariable %po UniformConstant
    %weight = OpGraphConstantARM %W 5
    %bias = OpGraphConstantARM %triple 7
    %G = OpTypeGraphARM 1 %T %O
    OpGraphEntryPointARM %graph \"main\" %in %out
    %graph = OpGraphARM %G
    %x = OpGraphInputARM %T %c0\n";

/// A convolution, scaled to bytes, pooled, and in another shape.
const BODY: &str =
    "%sums = OpExtInst %A %tosa CONV2D %pads %ones %ones %c1 %false %x %weight %bias %point %zero
    %scaled = OpExtInst %R %tosa RESCALE %true %c1 %false %false %false %sums %scale %shifts %zero_word %point
    %pooled = OpExtInst %P %tosa MAX_POOL2D %twos %twos %none %c1 %scaled
    %y = OpExtInst %O %tosa RESHAPE %pooled %shape
    OpGraphSetOutputARM %y %c0
    OpGraphEndARM\n";

fn words(body: &str) -> Vec<u32> {
    let text = format!("{PREAMBLE}{body}");
    assemble(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// What the pipelines of these tests are made from.
struct Made {
    input: Shape,
    output: Shape,
    weight: (Shape, Vec<u8>),
    bias: (Shape, Vec<u8>),
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
}

impl Made {
    fn new(context: &Compute) -> Made {
        let tensor = vk::DescriptorType::TENSOR_ARM;
        let set_layout = context.set_layout(Default::default(), &[(tensor, 1), (tensor, 1)]);
        // The weights' rows are apart, as are the input's.
        let weight = (0..3 * 64).map(|at| if at % 64 < 54 { (at * 7 % 23) as u8 } else { 0xee }).collect();
        let bias = [-700_i32, 0, 900].iter().flat_map(|value| value.to_le_bytes()).collect();
        Made {
            input: Shape::new(vk::Format::R8_SINT, &[1, 4, 4, 2], &[64, 16, 3, 1]),
            output: Shape::new(vk::Format::R8_SINT, &[4, 3, 1], &[]),
            weight: (Shape::new(vk::Format::R8_SINT, &[3, 3, 3, 2], &[64, 18, 6, 1]), weight),
            bias: (Shape::new(vk::Format::R32_SINT, &[3], &[]), bias),
            set_layout,
            layout: context.layout(&[set_layout]),
        }
    }

    /// Creates a pipeline of a module in the chain, with the shift that is given.
    fn pipeline(
        &self,
        context: &Compute,
        body: &str,
        shift: Option<i8>,
        flags: vk::PipelineCreateFlags2,
        cache: vk::PipelineCache,
    ) -> Result<(vk::Pipeline, bool), vk::ErrorCode> {
        let words = words(body);
        let module = vk::ShaderModuleCreateInfo {
            code_size: words.len() * 4,
            code: words.as_ptr(),
            ..Default::default()
        };
        let entry = vk::SpecializationMapEntry { constant_id: 3, offset: 0, size: 1 };
        let shift_byte = shift.unwrap_or(0);
        let specialization = vk::SpecializationInfo {
            map_entry_count: u32::from(shift.is_some()),
            map_entries: &entry,
            data_size: 1,
            data: (&raw const shift_byte).cast(),
        };
        let descriptions = [self.weight.0.description(), self.bias.0.description()];
        let constants = [(5, &self.weight.1), (7, &self.bias.1)];
        let constants: Vec<_> = constants
            .iter()
            .zip(&descriptions)
            .map(|((id, bytes), description)| vk::DataGraphPipelineConstantARM {
                next: (&raw const *description).cast(),
                id: *id,
                constant_data: bytes.as_ptr().cast(),
                ..Default::default()
            })
            .collect();
        let mut feedback = vk::PipelineCreationFeedback::default();
        let feed_back = vk::PipelineCreationFeedbackCreateInfo {
            next: (&raw const module).cast(),
            pipeline_creation_feedback: &mut feedback,
            ..Default::default()
        };
        let graph = vk::DataGraphPipelineShaderModuleCreateInfoARM {
            next: (&raw const feed_back).cast(),
            name: c"main".as_ptr(),
            specialization_info: &specialization,
            constant_count: 2,
            constants: constants.as_ptr(),
            ..Default::default()
        };
        let made = self.create(context, (&raw const graph).cast(), flags, cache, false);
        let hit = vk::PipelineCreationFeedbackFlags::APPLICATION_PIPELINE_CACHE_HIT;
        made.map(|pipeline| (pipeline, feedback.flags.contains(hit)))
    }

    fn create(
        &self,
        context: &Compute,
        next: *const std::ffi::c_void,
        flags: vk::PipelineCreateFlags2,
        cache: vk::PipelineCache,
        is_named: bool,
    ) -> Result<vk::Pipeline, vk::ErrorCode> {
        let descriptions = [self.input.description(), self.output.description()];
        let resources = [0, 1].map(|binding| vk::DataGraphPipelineResourceInfoARM {
            next: (&raw const descriptions[binding as usize]).cast(),
            descriptor_set: 0,
            binding,
            ..Default::default()
        });
        let info = vk::DataGraphPipelineCreateInfoARM {
            next,
            flags,
            layout: self.layout,
            resource_info_count: if is_named { 0 } else { 2 },
            resource_infos: if is_named { std::ptr::null() } else { resources.as_ptr() },
            ..Default::default()
        };
        let none = vk::DeferredOperationKHR::null();
        let made = unsafe { context.device.create_data_graph_pipelines_arm(none, cache, &[info], None) };
        made.map(|(pipelines, code)| match code {
            vk::SuccessCode::SUCCESS => Ok(pipelines[0]),
            _ => Err(vk::ErrorCode::UNKNOWN),
        })?
    }

    /// What the graph gives, by the definitions of its operators.
    fn expected(&self, input: &[u8], shift: u32) -> Vec<u8> {
        let at = |y: i32, x: i32, c: i32| match (0..4).contains(&y) && (0..4).contains(&x) {
            true => i32::from(input[(y * 16 + x * 3 + c) as usize] as i8) - 3,
            false => 0,
        };
        let weight =
            |o: i32, y: i32, x: i32, c: i32| i32::from(self.weight.1[(o * 64 + y * 18 + x * 6 + c) as usize]);
        let bias = [-700, 0, 900];
        let scaled = |y: i32, x: i32, o: i32| {
            let mut sum = bias[o as usize];
            for (ky, kx) in (0..3).flat_map(|ky| (0..3).map(move |kx| (ky, kx))) {
                sum += (0..2).map(|c| at(y + ky - 1, x + kx - 1, c) * weight(o, ky, kx, c)).sum::<i32>();
            }
            let scaled = (i64::from(sum) * (1 << 30) + (1 << (shift - 1))) >> shift;
            (scaled + 3).clamp(-128, 127) as i8
        };
        let mut output = Vec::new();
        for (y, x, o) in (0..2).flat_map(|y| (0..2).flat_map(move |x| (0..3).map(move |o| (y, x, o)))) {
            let four = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(dy, dx)| scaled(2 * y + dy, 2 * x + dx, o));
            output.push(four.into_iter().max().expect("four") as u8);
        }
        output
    }
}

/// Creates a session with memory.
fn session(context: &Compute, pipeline: vk::Pipeline) -> (vk::DataGraphPipelineSessionARM, vk::DeviceMemory) {
    let device = &context.device;
    let info =
        vk::DataGraphPipelineSessionCreateInfoARM { data_graph_pipeline: pipeline, ..Default::default() };
    unsafe {
        let session = device.create_data_graph_pipeline_session_arm(&info, None).expect("a session");
        let of = vk::DataGraphPipelineSessionBindPointRequirementsInfoARM { session, ..Default::default() };
        let points = device.get_data_graph_pipeline_session_bind_point_requirements_arm(&of).expect("points");
        assert_eq!(points.len(), 1);
        assert_eq!(points[0].bind_point, vk::DataGraphPipelineSessionBindPointARM::TRANSIENT);
        assert_eq!(points[0].num_objects, 1);
        let of = vk::DataGraphPipelineSessionMemoryRequirementsInfoARM {
            session,
            bind_point: points[0].bind_point,
            object_index: 0,
            ..Default::default()
        };
        let mut needs = vk::MemoryRequirements2::default();
        device.get_data_graph_pipeline_session_memory_requirements_arm(&of, &mut needs);
        let (memory, _) = allocate(context, needs.memory_requirements.size);
        let bind = vk::BindDataGraphPipelineSessionMemoryInfoARM {
            session,
            bind_point: points[0].bind_point,
            memory,
            ..Default::default()
        };
        device.bind_data_graph_pipeline_session_memory_arm(&[bind]).expect("bound");
        assert!(device.bind_data_graph_pipeline_session_memory_arm(&[bind]).is_err());
        (session, memory)
    }
}

/// Writes the tensors to the bindings of a set.
fn write(context: &Compute, set: vk::DescriptorSet, tensors: &[Tensor]) {
    for (binding, tensor) in tensors.iter().enumerate() {
        let views = vk::WriteDescriptorSetTensorARM {
            tensor_view_count: 1,
            tensor_views: &tensor.view,
            ..Default::default()
        };
        let write = vk::WriteDescriptorSet {
            next: (&raw const views).cast(),
            dst_set: set,
            dst_binding: binding as u32,
            descriptor_count: 1,
            descriptor_type: vk::DescriptorType::TENSOR_ARM,
            ..Default::default()
        };
        unsafe { context.device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]) };
    }
}

/// Runs a pipeline on an input, and gives the bytes of the output.
fn run(context: &Compute, made: &Made, pipeline: vk::Pipeline, input: &[u8]) -> Vec<u8> {
    let device = &context.device;
    let tensors = [made.input.tensor(context), made.output.tensor(context)];
    tensors[0].fill(input.iter().copied());
    let set = context.set_of(made.set_layout, &[(vk::DescriptorType::TENSOR_ARM, 2)]);
    write(context, set, &tensors);
    let (session, memory) = session(context, pipeline);
    context.run(|commands| unsafe {
        device.cmd_bind_pipeline(commands, POINT, pipeline);
        device.cmd_bind_descriptor_sets(commands, POINT, made.layout, 0, &[set], &[]);
        device.cmd_dispatch_data_graph_arm(commands, session, None);
    });
    let output = tensors[1].read(12);
    unsafe {
        device.destroy_data_graph_pipeline_session_arm(session, None);
        device.free_memory(memory, None);
    }
    tensors.into_iter().for_each(|tensor| tensor.destroy(context));
    output
}

fn picture(seed: usize) -> Vec<u8> {
    (0..64).map(|at| (at * 37 + seed * 11) as u8).collect()
}

#[test]
fn whole_graphs_give_what_their_operators_do() {
    let context = context();
    let made = Made::new(&context);
    for shift in [None, Some(33), Some(38)] {
        let no_flags = vk::PipelineCreateFlags2::empty();
        let none = vk::PipelineCache::null();
        let (pipeline, is_hit) = made.pipeline(&context, BODY, shift, no_flags, none).expect("a pipeline");
        assert!(!is_hit);
        for seed in 0..3 {
            let input = picture(seed);
            let found = run(&context, &made, pipeline, &input);
            assert_eq!(found, made.expected(&input, shift.unwrap_or(36) as u32), "{shift:?}");
        }
        unsafe { context.device.destroy_pipeline(pipeline, None) };
    }
}

/// What is asked of a property: how many bytes it has, and they.
fn property(
    context: &Compute,
    pipeline: vk::Pipeline,
    which: vk::DataGraphPipelinePropertyARM,
) -> (bool, Vec<u8>) {
    let info = vk::DataGraphPipelineInfoARM { data_graph_pipeline: pipeline, ..Default::default() };
    let mut query =
        vec![vk::DataGraphPipelinePropertyQueryResultARM { property: which, ..Default::default() }];
    unsafe {
        context.device.get_data_graph_pipeline_properties_arm(&info, &mut query).expect("a size");
        let mut bytes = vec![0; query[0].data_size];
        query[0].data = bytes.as_mut_ptr().cast();
        context.device.get_data_graph_pipeline_properties_arm(&info, &mut query).expect("bytes");
        (query[0].is_text != 0, bytes)
    }
}

#[test]
fn caches_know_graphs_by_their_identifiers() {
    let context = context();
    let made = Made::new(&context);
    let device = &context.device;
    let cache = unsafe { device.create_pipeline_cache(&Default::default(), None) }.expect("a cache");
    let must_hit = vk::PipelineCreateFlags2::FAIL_ON_PIPELINE_COMPILE_REQUIRED;
    let no_flags = vk::PipelineCreateFlags2::empty();
    assert!(made.pipeline(&context, BODY, None, must_hit, cache).is_err());
    let (first, is_hit) = made.pipeline(&context, BODY, None, no_flags, cache).expect("a pipeline");
    assert!(!is_hit);
    let (second, is_hit) = made.pipeline(&context, BODY, None, must_hit, cache).expect("a pipeline");
    assert!(is_hit);
    // Other values of constants are another pipeline.
    assert!(made.pipeline(&context, BODY, Some(30), must_hit, cache).is_err());
    let (is_text, log) = property(&context, first, vk::DataGraphPipelinePropertyARM::CREATION_LOG);
    assert!(is_text && String::from_utf8_lossy(&log).contains("CONV2D: i32_t [1, 4, 4, 3]"));
    let (is_text, identifier) = property(&context, first, vk::DataGraphPipelinePropertyARM::IDENTIFIER);
    assert!(!is_text);
    // In another cache, from its data.
    let data = unsafe { device.get_pipeline_cache_data(cache) }.expect("data");
    let info = vk::PipelineCacheCreateInfo {
        initial_data_size: data.len(),
        initial_data: data.as_ptr().cast(),
        ..Default::default()
    };
    let other = unsafe { device.create_pipeline_cache(&info, None) }.expect("a cache");
    let named = |identifier: &[u8], cache| {
        let info = vk::DataGraphPipelineIdentifierCreateInfoARM {
            identifier_size: identifier.len() as u32,
            identifier: identifier.as_ptr(),
            ..Default::default()
        };
        made.create(&context, (&raw const info).cast(), must_hit, cache, true)
    };
    let third = named(&identifier, other).expect("a pipeline of the cache");
    let input = picture(5);
    assert_eq!(run(&context, &made, third, &input), made.expected(&input, 36));
    let mut wrong = identifier.clone();
    wrong[4] = if wrong[4] == b'0' { b'1' } else { b'0' };
    assert!(named(&wrong, other).is_err());
    assert!(named(&identifier[..7], other).is_err());
    assert!(named(&identifier, vk::PipelineCache::null()).is_err());
    unsafe {
        [first, second, third].into_iter().for_each(|pipeline| device.destroy_pipeline(pipeline, None));
        [cache, other].into_iter().for_each(|cache| device.destroy_pipeline_cache(cache, None));
    }
}

/// Graphs that break a rule of an operator, of the module, or do not fit what the application says.
#[test]
fn bad_graphs_are_refused() {
    let context = context();
    let mut made = Made::new(&context);
    let refuses = |made: &Made, body: &str| {
        let no_flags = vk::PipelineCreateFlags2::empty();
        made.pipeline(&context, body, None, no_flags, vk::PipelineCache::null()).is_err()
    };
    assert!(!refuses(&made, BODY));
    for (from, to) in [
        ("%twos %twos %none", "%twos %ones %none"),
        ("%twos %twos %none", "%twos %twos %pads"),
        ("MAX_POOL2D %twos", "MAX_POOL2D %none"),
        ("%none %c1 %scaled", "%none %c3 %scaled"),
        ("%none %c1 %scaled", "%none %x %scaled"),
        ("%pads %ones %ones %c1 %false %x", "%pads %ones %ones %c2 %false %x"),
        ("%pads %ones %ones %c1 %false %x", "%pads %ones %ones %c1 %false %weight"),
        ("%false %x %weight %bias", "%false %x %weight"),
        ("%false %x %weight %bias", "%false %x %weight %weight"),
        ("RESHAPE %pooled %shape", "RESHAPE %pooled %twos"),
        ("RESHAPE %pooled %shape", "RESHAPE %scaled %shape"),
        ("RESHAPE %pooled %shape", "RESHAPE %pooled %y"),
        ("OpExtInst %P %tosa MAX_POOL2D", "OpExtInst %R %tosa MAX_POOL2D"),
        ("OpExtInst %P %tosa MAX_POOL2D %twos %twos %none %c1 %scaled", "OpExtInst %P %tosa 99 %scaled"),
        ("OpGraphSetOutputARM %y %c0", "OpGraphSetOutputARM %y %c1"),
        ("OpGraphSetOutputARM %y %c0", "OpGraphSetOutputARM %pooled %c0"),
        ("OpGraphSetOutputARM %y %c0\n", ""),
        ("OpGraphSetOutputARM %y %c0", "OpGraphSetOutputARM %y %c0\nOpGraphSetOutputARM %y %c0"),
        ("%y = OpExtInst", "%z = OpUndef %O\n%y = OpExtInst"),
    ] {
        let body = BODY.replace(from, to);
        assert_ne!(body, BODY);
        assert!(refuses(&made, &body), "{body}");
    }
    made.weight.0.dimensions[0] = 2;
    assert!(refuses(&made, BODY));
    made.weight.0.dimensions[0] = 3;
    made.input.format = vk::Format::R16_SINT;
    made.input.strides.clear();
    assert!(refuses(&made, BODY));
}

#[test]
fn dispatches_want_a_session_of_the_pipeline() {
    let context = context();
    let made = Made::new(&context);
    let device = &context.device;
    let pipeline = || {
        let no_flags = vk::PipelineCreateFlags2::empty();
        made.pipeline(&context, BODY, None, no_flags, vk::PipelineCache::null()).expect("a pipeline").0
    };
    let [one, other] = [pipeline(), pipeline()];
    let (own, memory) = session(&context, one);
    let info = vk::DataGraphPipelineSessionCreateInfoARM { data_graph_pipeline: one, ..Default::default() };
    let unbound = unsafe { device.create_data_graph_pipeline_session_arm(&info, None) }.expect("a session");
    for (bound, session, is_fine) in
        [(Some(one), own, true), (Some(other), own, false), (None, own, false), (Some(one), unbound, false)]
    {
        let is_recorded = unsafe {
            let commands = context.command_buffer();
            device.begin_command_buffer(commands, &Default::default()).expect("begins");
            if let Some(pipeline) = bound {
                device.cmd_bind_pipeline(commands, POINT, pipeline);
            }
            device.cmd_dispatch_data_graph_arm(commands, session, None);
            device.end_command_buffer(commands).is_ok()
        };
        assert_eq!(is_recorded, is_fine);
    }
    unsafe {
        [own, unbound]
            .into_iter()
            .for_each(|session| device.destroy_data_graph_pipeline_session_arm(session, None));
        [one, other].into_iter().for_each(|pipeline| device.destroy_pipeline(pipeline, None));
        device.free_memory(memory, None);
    }
}

#[test]
fn queue_families_say_which_operators_they_run() {
    let context = context();
    let (instance, device) = (&context.instance, context.physical_device);
    let families = unsafe { instance.get_physical_device_queue_family_properties(device) };
    for (number, family) in families.iter().enumerate() {
        let runs = family.queue_flags.contains(vk::QueueFlags::DATA_GRAPH_ARM);
        assert_eq!(runs, family.queue_flags.contains(vk::QueueFlags::COMPUTE));
        let found = unsafe {
            instance.get_physical_device_queue_family_data_graph_properties_arm(device, number as u32)
        };
        let found = found.expect("properties");
        assert_eq!(found.len(), usize::from(runs));
        for one in found {
            assert_eq!(one.operation.name.to_string_lossy(), "TOSA.001000.1");
            assert_eq!((one.engine.is_foreign, one.engine.type_.as_raw()), (vk::FALSE, 0));
        }
    }
}
