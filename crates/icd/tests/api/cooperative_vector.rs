//! Cooperative vectors: products of every listed kind beside sums in plain Rust, conversions of matrices on
//! host and device, what training adds to memory, and the ends of buffers.

use half::f16;
use pyro_random::Random;
use pyro_test_kit::Client;
use pyro_test_kit::compute::{Buffer, Compute};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{ComponentTypeKHR as Type, CooperativeVectorMatrixLayoutNV as Layout};
use vulkanalia::vk::{
    NvCooperativeVectorExtensionDeviceCommands as _, NvCooperativeVectorExtensionInstanceCommands as _,
};

const POINT: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
/// Invocations of a dispatch: a whole subgroup and a part of one.
const INVOCATIONS: usize = 24;
/// Words of each buffer.
const WORDS: usize = 1 << 16;

fn context() -> Compute {
    let extensions = [c"VK_NV_cooperative_vector", c"VK_EXT_shader_replicated_composites"];
    let mut core = vk::PhysicalDeviceFeatures2::builder()
        .features(vk::PhysicalDeviceFeatures { shader_int16: 1, ..Default::default() });
    let mut v11 = vk::PhysicalDeviceVulkan11Features::builder().storage_buffer_16bit_access(true);
    let mut v12 = vk::PhysicalDeviceVulkan12Features::builder()
        .storage_buffer_8bit_access(true)
        .shader_float16(true)
        .shader_int8(true)
        .vulkan_memory_model(true)
        .vulkan_memory_model_device_scope(true)
        .buffer_device_address(true);
    let mut vector = vk::PhysicalDeviceCooperativeVectorFeaturesNV::builder()
        .cooperative_vector(true)
        .cooperative_vector_training(true);
    v12.next = (&raw mut vector).cast();
    v11.next = (&raw mut v12).cast();
    core.next = (&raw mut v11).cast();
    Compute::new(vk::make_version(1, 3, 0), &extensions, (&raw mut core).cast())
}

/// Three buffers of words at bindings 0 to 2.
struct Bench {
    context: Compute,
    buffers: [Buffer; 3],
    layout: vk::PipelineLayout,
    set: vk::DescriptorSet,
}

impl Bench {
    fn new() -> Bench {
        let context = context();
        let bindings = [(vk::DescriptorType::STORAGE_BUFFER, 1); 3];
        let set_layout = context.set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &bindings);
        let (layout, set) = (context.layout(&[set_layout]), context.set(set_layout));
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        let buffers = [(); 3].map(|()| context.buffer_with(WORDS, usage));
        for (binding, buffer) in (0..).zip(buffers) {
            context.write_range(set, binding, buffer.buffer, 0);
        }
        Bench { context, buffers, layout, set }
    }

    #[allow(clippy::mut_from_ref)] // of mapped memory; each use ends before the next
    fn bytes(&self, binding: usize) -> &mut [u8] {
        unsafe { core::slice::from_raw_parts_mut(self.buffers[binding].words.cast(), WORDS * 4) }
    }

    fn limit(&self, binding: usize, bytes: u64) {
        let info =
            [vk::DescriptorBufferInfo { buffer: self.buffers[binding].buffer, offset: 0, range: bytes }];
        let write = vk::WriteDescriptorSet::builder()
            .dst_set(self.set)
            .dst_binding(binding as u32)
            .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
            .buffer_info(&info);
        unsafe { self.context.device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]) };
    }

    /// Runs a shader in which `%gid` is the invocation's number and `%p0` to `%p2` point to the buffers'
    /// arrays of words.
    fn run(&self, declarations: &str, body: &str) {
        let mut text = String::from(
            "; Version: 1.6
            OpCapability Shader OpCapability VulkanMemoryModel OpCapability VulkanMemoryModelDeviceScope
            OpCapability Int8 OpCapability Int16 OpCapability Float16
            OpCapability CooperativeVectorNV OpCapability CooperativeVectorTrainingNV
            OpExtension \"SPV_NV_cooperative_vector\"
            OpMemoryModel Logical Vulkan
            OpEntryPoint GLCompute %main \"main\" %id %v0 %v1 %v2
            OpExecutionMode %main LocalSize 24 1 1
            OpDecorate %id BuiltIn GlobalInvocationId
            OpDecorate %words ArrayStride 4 OpDecorate %block Block OpMemberDecorate %block 0 Offset 0\n",
        );
        for index in 0..3 {
            text += &format!("OpDecorate %v{index} DescriptorSet 0 OpDecorate %v{index} Binding {index}\n");
        }
        text += "%void = OpTypeVoid %fn = OpTypeFunction %void %bool = OpTypeBool
            %uint = OpTypeInt 32 0 %int = OpTypeInt 32 1 %byte = OpTypeInt 8 0 %sbyte = OpTypeInt 8 1
            %half = OpTypeFloat 16 %float = OpTypeFloat 32
            %uint3 = OpTypeVector %uint 3 %in_uint3 = OpTypePointer Input %uint3 %in_uint = OpTypePointer Input %uint
            %uint_0 = OpConstant %uint 0
            %words = OpTypeRuntimeArray %uint %block = OpTypeStruct %words
            %to_block = OpTypePointer StorageBuffer %block %to_words = OpTypePointer StorageBuffer %words
            %to_word = OpTypePointer StorageBuffer %uint
            %id = OpVariable %in_uint3 Input %true = OpConstantTrue %bool %false = OpConstantFalse %bool
            %v0 = OpVariable %to_block StorageBuffer %v1 = OpVariable %to_block StorageBuffer
            %v2 = OpVariable %to_block StorageBuffer\n";
        text += declarations;
        text += "%main = OpFunction %void None %fn %entry = OpLabel
            %to_gid = OpAccessChain %in_uint %id %uint_0 %gid = OpLoad %uint %to_gid
            %p0 = OpAccessChain %to_words %v0 %uint_0 %p1 = OpAccessChain %to_words %v1 %uint_0
            %p2 = OpAccessChain %to_words %v2 %uint_0\n";
        let pipeline =
            self.context.pipeline(self.layout, &lines(&format!("{text}{body}\nOpReturn OpFunctionEnd\n")));
        self.context.run(|commands| unsafe {
            let device = &self.context.device;
            device.cmd_bind_pipeline(commands, POINT, pipeline);
            device.cmd_bind_descriptor_sets(commands, POINT, self.layout, 0, &[self.set], &[]);
            device.cmd_dispatch(commands, 1, 1, 1);
        });
    }
}

/// One instruction a line.
fn lines(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut lines = String::new();
    for (index, word) in words.iter().enumerate() {
        let has_result = |at: usize| words.get(at + 1) == Some(&"=");
        let starts = has_result(index) || word.starts_with("Op") && (index == 0 || words[index - 1] != "=");
        lines += if starts && index > 2 { "\n" } else { " " };
        lines += word;
    }
    lines.trim().replace("; Version: 1.6", "; Version: 1.6\n")
}

fn size_of(ty: Type) -> usize {
    match ty {
        Type::FLOAT32 | Type::SINT32 | Type::UINT32 => 4,
        Type::FLOAT16 => 2,
        _ => 1,
    }
}

/// The type's name in the shaders.
fn name(ty: Type) -> &'static str {
    match ty {
        Type::FLOAT16 => "%half",
        Type::FLOAT32 => "%float",
        Type::SINT8 => "%sbyte",
        Type::UINT8 => "%byte",
        Type::SINT32 => "%int",
        _ => "%uint",
    }
}

fn is_float(ty: Type) -> bool {
    matches!(ty, Type::FLOAT16 | Type::FLOAT32 | Type::FLOAT8_E4M3_EXT | Type::FLOAT8_E5M2_EXT)
}

fn is_signed(ty: Type) -> bool {
    matches!(ty, Type::SINT8 | Type::SINT32 | Type::SINT8_PACKED_NV)
}

/// The bytes of a whole number.
fn encode(ty: Type, number: i64) -> Vec<u8> {
    match ty {
        Type::FLOAT32 => (number as f32).to_le_bytes().into(),
        Type::FLOAT16 => f16::from_f32(number as f32).to_bits().to_le_bytes().into(),
        // Numbers of few digits are halves with a shorter end.
        Type::FLOAT8_E5M2_EXT => vec![(f16::from_f32(number as f32).to_bits() >> 8) as u8],
        Type::FLOAT8_E4M3_EXT => {
            if number == 0 {
                return vec![0];
            }
            let bits = (number as f32).to_bits();
            let exponent = (bits >> 23 & 0xff) as i32 - 127 + 7;
            vec![((bits >> 31) as u8) << 7 | ((exponent as u8) << 3) | ((bits >> 20) & 7) as u8]
        }
        _ => number.to_le_bytes()[..size_of(ty)].to_vec(),
    }
}

fn decode(ty: Type, bytes: &[u8]) -> f64 {
    match ty {
        Type::FLOAT32 => f32::from_le_bytes(bytes.try_into().expect("four")).into(),
        Type::FLOAT16 => f16::from_bits(u16::from_le_bytes(bytes.try_into().expect("two"))).to_f64(),
        Type::SINT32 => i32::from_le_bytes(bytes.try_into().expect("four")).into(),
        _ => u32::from_le_bytes(bytes.try_into().expect("four")).into(),
    }
}

fn put(bytes: &mut [u8], at: usize, encoded: &[u8]) {
    bytes[at..at + encoded.len()].copy_from_slice(encoded);
}

fn address(bench: &Bench, binding: usize) -> u64 {
    let info = vk::BufferDeviceAddressInfo::builder().buffer(bench.buffers[binding].buffer);
    unsafe { bench.context.device.get_buffer_device_address(&info) }
}

/// A conversion from row-major order with this stride.
fn conversion(
    [from, to]: [Type; 2],
    [rows, columns]: [usize; 2],
    stride: usize,
    layout: Layout,
    size: &mut usize,
) -> vk::ConvertCooperativeVectorMatrixInfoNV {
    vk::ConvertCooperativeVectorMatrixInfoNV {
        src_size: rows * stride,
        dst_size: size,
        src_component_type: from,
        dst_component_type: to,
        num_rows: rows as u32,
        num_columns: columns as u32,
        src_layout: Layout::ROW_MAJOR,
        src_stride: stride,
        dst_layout: layout,
        dst_stride: 0,
        ..Default::default()
    }
}

/// A kind of product.
#[derive(Clone, Copy, Debug)]
struct Case {
    row: vk::CooperativeVectorPropertiesNV,
    rows: usize,
    columns: usize,
    layout: Layout,
    transpose: bool,
    with_bias: bool,
    /// Every invocation has its own matrix and bias.
    own: bool,
    on_device: bool,
}

/// A number that every product of the tests has room for.
fn small(random: &mut Random, ty: Type) -> i64 {
    match ty {
        Type::SINT8 => i64::from(random.bits() as i8),
        Type::UINT8 => (random.bits() & 255) as i64,
        _ => (random.bits() % 7) as i64 - 3,
    }
}

/// Whether four components of the input are in a word.
fn is_packed(row: &vk::CooperativeVectorPropertiesNV) -> bool {
    matches!(row.input_interpretation, Type::SINT8_PACKED_NV | Type::UINT8_PACKED_NV)
}

/// Writes the inputs of all invocations into buffer 0; gives them, brought into the range of bytes where they
/// are of a larger type, and the bytes from one to the next.
fn write_inputs(bench: &Bench, random: &mut Random, case: &Case) -> (Vec<Vec<i64>>, usize) {
    let &Case { row, columns, .. } = case;
    let (input, packed) = (row.input_type, is_packed(&row));
    let mut inputs = vec![vec![0; columns]; INVOCATIONS];
    let input_stride = if packed { columns.next_multiple_of(4) } else { columns * size_of(input) };
    let input_stride = input_stride.next_multiple_of(16);
    for (number, inputs) in inputs.iter_mut().enumerate() {
        for (index, found) in inputs.iter_mut().enumerate() {
            let at = number * input_stride;
            let is_bytes = !is_float(row.input_interpretation);
            let signed = is_signed(row.input_interpretation);
            let range = if signed { -128..=127 } else { 0..=255 };
            if packed {
                *found = if signed { i64::from(random.bits() as i8) } else { (random.bits() & 255) as i64 };
                bench.bytes(0)[at + index] = *found as u8;
                continue;
            }
            let value = match input {
                Type::SINT8 | Type::UINT8 => small(random, input),
                Type::SINT32 => (random.bits() % 1000) as i64 - 500,
                Type::UINT32 => (random.bits() % 1000) as i64,
                _ if is_bytes => (random.bits() % 600) as i64 - 300,
                _ => small(random, input),
            };
            put(bench.bytes(0), at + index * size_of(input), &encode(input, value));
            *found = if is_bytes { value.clamp(*range.start(), *range.end()) } else { value };
        }
    }
    (inputs, input_stride)
}

/// The matrices and biases in buffer 1.
struct Factors {
    /// The numbers of each matrix, row by row.
    matrices: Vec<Vec<i64>>,
    biases: Vec<Vec<i64>>,
    /// Bytes from one row or column to the next.
    stride: usize,
    /// Bytes of a matrix, which its bias follows, and of both.
    matrix_bytes: usize,
    set_bytes: usize,
}

/// Brings a matrix of rows into an optimal layout, at `start` of buffer 1.
fn convert_matrix(bench: &Bench, case: &Case, raw: &[u8], start: usize, optimal_size: usize) {
    let &Case { row, rows, columns, layout, transpose, on_device, .. } = case;
    let matrix = row.matrix_interpretation;
    let shape = if transpose { [columns, rows] } else { [rows, columns] };
    let row_stride = (shape[1] * size_of(matrix)).next_multiple_of(16);
    let mut size = optimal_size;
    let mut info = conversion([matrix; 2], shape, row_stride, layout, &mut size);
    if on_device {
        put(bench.bytes(2), 0, raw);
        info.src_data.device_address = address(bench, 2);
        info.dst_data.device_address = address(bench, 1) + start as u64;
        bench.context.run(|commands| unsafe {
            bench.context.device.cmd_convert_cooperative_vector_matrix_nv(commands, &[info]);
        });
    } else {
        info.src_data.host_address = raw.as_ptr().cast();
        info.dst_data.host_address = unsafe { bench.bytes(1).as_mut_ptr().add(start) }.cast();
        unsafe { bench.context.device.convert_cooperative_vector_matrix_nv(&info) }.expect("a conversion");
        assert_eq!(size, optimal_size);
    }
}

/// Writes matrices and biases into buffer 1.
fn write_factors(bench: &Bench, random: &mut Random, case: &Case) -> Factors {
    let &Case { row, rows, columns, layout, transpose, own, .. } = case;
    let matrix = row.matrix_interpretation;
    let sets = if own { INVOCATIONS } else { 1 };
    let shape = if transpose { [columns, rows] } else { [rows, columns] };
    let line = if layout == Layout::COLUMN_MAJOR { shape[0] } else { shape[1] };
    let stride = (line * size_of(matrix)).next_multiple_of(16);
    let row_stride = (shape[1] * size_of(matrix)).next_multiple_of(16);
    let is_optimal = matches!(layout, Layout::INFERENCING_OPTIMAL | Layout::TRAINING_OPTIMAL);
    let mut optimal_size = 0;
    if is_optimal {
        let info = conversion([matrix; 2], shape, row_stride, layout, &mut optimal_size);
        unsafe { bench.context.device.convert_cooperative_vector_matrix_nv(&info) }.expect("a size");
        assert_ne!(optimal_size, 0);
    }
    let matrix_bytes = optimal_size.max(shape[0].max(shape[1]) * stride).next_multiple_of(64);
    let set_bytes = matrix_bytes + (rows * 4).next_multiple_of(64);
    let (mut matrices, mut biases) = (Vec::new(), Vec::new());
    for set in 0..sets {
        let start = set * set_bytes;
        let mut raw = vec![0u8; shape[0] * row_stride];
        let mut numbers = vec![0; rows * columns];
        for row in 0..shape[0] {
            for column in 0..shape[1] {
                let number = small(random, matrix);
                numbers[if transpose { column * columns + row } else { row * columns + column }] = number;
                let at = match layout {
                    Layout::COLUMN_MAJOR => column * stride + row * size_of(matrix),
                    _ => row * row_stride + column * size_of(matrix),
                };
                match is_optimal {
                    true => put(&mut raw, at, &encode(matrix, number)),
                    false => put(bench.bytes(1), start + at, &encode(matrix, number)),
                }
            }
        }
        if is_optimal {
            convert_matrix(bench, case, &raw, start, optimal_size);
        }
        let bias: Vec<i64> = (0..rows)
            .map(|index| {
                let number = (random.bits() % 99) as i64;
                let ty = row.bias_interpretation;
                put(bench.bytes(1), start + matrix_bytes + index * size_of(ty), &encode(ty, number));
                number
            })
            .collect();
        matrices.push(numbers);
        biases.push(bias);
    }
    Factors { matrices, biases, stride, matrix_bytes, set_bytes }
}

/// Declarations and body of the shader that multiplies.
fn product_shader(case: &Case, factors: &Factors, [input_stride, result_stride]: [usize; 2]) -> [String; 2] {
    let &Case { row, rows, columns, layout, transpose, with_bias, own, .. } = case;
    let &Factors { stride, matrix_bytes, set_bytes, .. } = factors;
    let (input, matrix, packed) = (row.input_type, row.matrix_interpretation, is_packed(&row));
    let count = if packed { columns.div_ceil(4) } else { columns };
    let declarations = format!(
        "%count = OpConstant %uint {count} %rows = OpConstant %uint {rows} %columns = OpConstant %uint {columns}
        %X = OpTypeCooperativeVectorNV {} %count
        %Y = OpTypeCooperativeVectorNV {} %rows
        %layout = OpConstant %uint {} %stride = OpConstant %uint {stride}
        %input_kind = OpConstant %uint {} %matrix_kind = OpConstant %uint {} %bias_kind = OpConstant %uint {}
        %input_stride = OpConstant %uint {input_stride} %result_stride = OpConstant %uint {result_stride}
        %set_bytes = OpConstant %uint {} %matrix_bytes = OpConstant %uint {matrix_bytes}\n",
        name(input),
        name(row.result_type),
        layout.as_raw(),
        row.input_interpretation.as_raw(),
        matrix.as_raw(),
        row.bias_interpretation.as_raw(),
        if own { set_bytes } else { 0 },
    );
    let mut signs = Vec::new();
    if is_signed(input) {
        signs.push("MatrixBSignedComponentsKHR");
    }
    if is_signed(row.result_type) {
        signs.push("MatrixResultSignedComponentsKHR");
    }
    let (op, bias) = match with_bias {
        true => ("OpCooperativeVectorMatrixMulAddNV", "%p1 %bias_at %bias_kind"),
        false => ("OpCooperativeVectorMatrixMulNV", ""),
    };
    let body = format!(
        "%x_at = OpIMul %uint %gid %input_stride
        %x = OpCooperativeVectorLoadNV %X %p0 %x_at
        %set_at = OpIMul %uint %gid %set_bytes
        %bias_at = OpIAdd %uint %set_at %matrix_bytes
        %y = {op} %Y %x %input_kind %p1 %set_at %matrix_kind {bias} %rows %columns %layout %{transpose} %stride {}
        %y_at = OpIMul %uint %gid %result_stride
        OpCooperativeVectorStoreNV %p2 %y_at %y\n",
        signs.join("|")
    );
    [declarations, body]
}

fn check_product(bench: &Bench, random: &mut Random, case: Case) {
    let Case { row, rows, columns, with_bias, own, .. } = case;
    let (inputs, input_stride) = write_inputs(bench, random, &case);
    let factors = write_factors(bench, random, &case);
    let result_stride = rows * size_of(row.result_type);
    bench.bytes(2).fill(0xee);
    let [declarations, body] = product_shader(&case, &factors, [input_stride, result_stride]);
    bench.run(&declarations, &body);
    let Factors { matrices, biases, .. } = factors;
    for (number, input) in inputs.iter().enumerate() {
        let set = if own { number } else { 0 };
        for (index, &bias) in biases[set].iter().enumerate() {
            let line = &matrices[set][index * columns..][..columns];
            let products: i64 = line.iter().zip(input).map(|(a, b)| a * b).sum();
            let sum = products + if with_bias { bias } else { 0 };
            let expected = match row.result_type {
                Type::UINT32 => f64::from(sum as u32),
                _ => sum as f64,
            };
            let size = size_of(row.result_type);
            let at = number * result_stride + index * size;
            let found = decode(row.result_type, &bench.bytes(2)[at..at + size]);
            assert_eq!(found, expected, "element {index} of invocation {number}: {case:?}");
        }
    }
    assert_eq!(bench.bytes(2)[INVOCATIONS * result_stride], 0xee);
}

fn listed(bench: &Bench) -> Vec<vk::CooperativeVectorPropertiesNV> {
    let Client { instance, physical_device, .. } = &**bench.context;
    unsafe { instance.get_physical_device_cooperative_vector_properties_nv(*physical_device) }
        .expect("a list")
}

const LAYOUTS: [Layout; 4] =
    [Layout::ROW_MAJOR, Layout::COLUMN_MAJOR, Layout::INFERENCING_OPTIMAL, Layout::TRAINING_OPTIMAL];

#[test]
fn products_of_all_listed_types() {
    let bench = Bench::new();
    let mut random = Random::new(31);
    let list = listed(&bench);
    let has = |types: [Type; 5]| {
        list.iter().any(|row| {
            [
                row.input_type,
                row.input_interpretation,
                row.matrix_interpretation,
                row.bias_interpretation,
                row.result_type,
            ] == types
        })
    };
    assert!(has([Type::FLOAT16; 5]) && has([Type::FLOAT32; 5]));
    assert!(has([Type::FLOAT16, Type::FLOAT8_E4M3_EXT, Type::FLOAT8_E4M3_EXT, Type::FLOAT16, Type::FLOAT16]));
    assert!(has([Type::UINT32, Type::SINT8_PACKED_NV, Type::SINT8, Type::SINT32, Type::SINT32]));
    let sizes = [[5, 40], [16, 16], [7, 3], [1, 9], [12, 1]];
    for (index, &row) in list.iter().enumerate() {
        let is_narrow = matches!(row.matrix_interpretation, Type::FLOAT8_E4M3_EXT | Type::FLOAT8_E5M2_EXT);
        for (place, layout) in LAYOUTS.into_iter().enumerate() {
            let transpose = row.transpose != 0;
            if place < 2 && (is_narrow || transpose) {
                continue;
            }
            let [rows, columns] = sizes[(index + place) % 5];
            let with_bias = (index + place) % 3 != 0;
            let own = (index + place) % 4 == 0;
            let case =
                Case { row, rows, columns, layout, transpose, with_bias, own, on_device: index % 2 == 0 };
            check_product(&bench, &mut random, case);
        }
    }
}

#[test]
fn products_of_large_matrices() {
    let bench = Bench::new();
    let mut random = Random::new(32);
    let list = listed(&bench);
    for (input, matrix) in
        [(Type::FLOAT16, Type::FLOAT16), (Type::SINT8, Type::SINT8), (Type::UINT8, Type::UINT8)]
    {
        let is_row = |row: &&vk::CooperativeVectorPropertiesNV| {
            row.input_type == input
                && row.input_interpretation == matrix
                && row.matrix_interpretation == matrix
                && row.transpose == 0
        };
        let row = *list.iter().rfind(is_row).expect("it is listed");
        for layout in LAYOUTS {
            for [rows, columns] in [[100, 70], [67, 128]] {
                let case = Case {
                    row,
                    rows,
                    columns,
                    layout,
                    transpose: false,
                    with_bias: true,
                    own: false,
                    on_device: false,
                };
                check_product(&bench, &mut random, case);
            }
        }
    }
}

#[test]
fn training_adds_to_memory() {
    let bench = Bench::new();
    let mut random = Random::new(33);
    for (result, [rows, columns], own) in [
        (Type::FLOAT16, [3, 5], false),
        (Type::FLOAT32, [3, 5], true),
        (Type::FLOAT32, [40, 17], false),
        (Type::FLOAT16, [8, 33], true),
    ] {
        let mut size = 0;
        let stride = columns * size_of(result);
        let info = conversion([result; 2], [rows, columns], stride, Layout::TRAINING_OPTIMAL, &mut size);
        unsafe { bench.context.device.convert_cooperative_vector_matrix_nv(&info) }.expect("a size");
        let (x_bytes, y_bytes) = ((rows * 2).next_multiple_of(16), (columns * 2).next_multiple_of(16));
        let mut numbers = [vec![0i64; INVOCATIONS * rows], vec![0i64; INVOCATIONS * columns]];
        for number in 0..INVOCATIONS {
            for (part, count, start, stride) in
                [(0, rows, 0, x_bytes), (1, columns, INVOCATIONS * x_bytes, y_bytes)]
            {
                for index in 0..count {
                    let value = (random.bits() % 5) as i64 - 2;
                    numbers[part][number * count + index] = value;
                    put(bench.bytes(0), start + number * stride + 2 * index, &encode(Type::FLOAT16, value));
                }
            }
        }
        bench.bytes(1).fill(0);
        let sum_start = if own { size * INVOCATIONS } else { size };
        let declarations = format!(
            "%rows = OpConstant %uint {rows} %columns = OpConstant %uint {columns}
            %X = OpTypeCooperativeVectorNV %half %rows %Y = OpTypeCooperativeVectorNV %half %columns
            %x_bytes = OpConstant %uint {x_bytes} %y_bytes = OpConstant %uint {y_bytes}
            %y_start = OpConstant %uint {} %layout = OpConstant %uint 3 %kind = OpConstant %uint {}
            %set_bytes = OpConstant %uint {} %sum_start = OpConstant %uint {sum_start}\n",
            INVOCATIONS * x_bytes,
            result.as_raw(),
            if own { size } else { 0 },
        );
        bench.run(
            &declarations,
            "%x_at = OpIMul %uint %gid %x_bytes %x = OpCooperativeVectorLoadNV %X %p0 %x_at
            %y_from = OpIMul %uint %gid %y_bytes %y_at = OpIAdd %uint %y_from %y_start
            %y = OpCooperativeVectorLoadNV %Y %p0 %y_at
            %set_at = OpIMul %uint %gid %set_bytes
            OpCooperativeVectorOuterProductAccumulateNV %p1 %set_at %x %y %layout %kind
            OpCooperativeVectorReduceSumAccumulateNV %p1 %sum_start %y\n",
        );
        for set in 0..if own { INVOCATIONS } else { 1 } {
            let members = if own { set..set + 1 } else { 0..INVOCATIONS };
            let mut found = vec![0u8; rows * columns * size_of(result)];
            let mut found_size = found.len();
            let info = vk::ConvertCooperativeVectorMatrixInfoNV {
                src_size: size,
                src_layout: Layout::TRAINING_OPTIMAL,
                src_stride: 0,
                dst_layout: Layout::ROW_MAJOR,
                dst_stride: stride,
                src_data: vk::DeviceOrHostAddressConstKHR {
                    host_address: unsafe { bench.bytes(1).as_ptr().add(set * size) }.cast(),
                },
                dst_data: vk::DeviceOrHostAddressKHR { host_address: found.as_mut_ptr().cast() },
                ..conversion([result; 2], [rows, columns], stride, Layout::ROW_MAJOR, &mut found_size)
            };
            unsafe { bench.context.device.convert_cooperative_vector_matrix_nv(&info) }
                .expect("a conversion");
            for row in 0..rows {
                for column in 0..columns {
                    let products = members
                        .clone()
                        .map(|one| numbers[0][one * rows + row] * numbers[1][one * columns + column]);
                    let at = row * stride + column * size_of(result);
                    let found = decode(result, &found[at..at + size_of(result)]);
                    assert_eq!(found, products.sum::<i64>() as f64, "{result:?} {own} at {row}, {column}");
                }
            }
        }
        for column in 0..columns {
            let sum: i64 = (0..INVOCATIONS).map(|one| numbers[1][one * columns + column]).sum();
            let at = sum_start + 2 * column;
            assert_eq!(decode(Type::FLOAT16, &bench.bytes(1)[at..at + 2]), sum as f64, "column {column}");
        }
    }
}

#[test]
fn matrices_are_converted() {
    let bench = Bench::new();
    let device = &bench.context.device;
    let mut random = Random::new(34);
    for [from, to] in [
        [Type::FLOAT32, Type::FLOAT16],
        [Type::FLOAT32, Type::FLOAT8_E4M3_EXT],
        [Type::FLOAT16, Type::FLOAT8_E5M2_EXT],
        [Type::FLOAT16, Type::FLOAT16],
        [Type::SINT8, Type::SINT8],
    ] {
        for layout in LAYOUTS {
            let [rows, columns] = [5, 7];
            let numbers: Vec<i64> = (0..35).map(|_| (random.bits() % 9) as i64 - 4).collect();
            let stride = columns * size_of(from);
            let source: Vec<u8> = numbers.iter().flat_map(|&number| encode(from, number)).collect();
            let mut size = 0;
            let mut info = conversion([from, to], [rows, columns], stride, layout, &mut size);
            info.dst_stride = 32;
            unsafe { device.convert_cooperative_vector_matrix_nv(&info) }.expect("a size");
            // The same on host and device.
            let mut target = vec![0u8; size];
            info.src_data.host_address = source.as_ptr().cast();
            info.dst_data.host_address = target.as_mut_ptr().cast();
            let mut less = size - 1;
            info.dst_size = &mut less;
            let convert = device.commands().convert_cooperative_vector_matrix_nv;
            assert_eq!(unsafe { convert(device.handle(), &info) }, vk::Result::INCOMPLETE);
            info.dst_size = &mut size;
            unsafe { device.convert_cooperative_vector_matrix_nv(&info) }.expect("a conversion");
            put(bench.bytes(0), 0, &source);
            bench.bytes(1)[..target.len()].fill(0);
            let mut on_device = info;
            on_device.src_data.device_address = address(&bench, 0);
            on_device.dst_data.device_address = address(&bench, 1);
            bench.context.run(|commands| unsafe {
                device.cmd_convert_cooperative_vector_matrix_nv(commands, &[on_device]);
            });
            assert_eq!(&bench.bytes(1)[..target.len()], &target[..], "{from:?} to {to:?}, {layout:?}");
            // And back, as the type that it became.
            let mut back = vec![0u8; rows * columns * size_of(to)];
            let mut back_size = back.len();
            let info = vk::ConvertCooperativeVectorMatrixInfoNV {
                src_size: size,
                src_layout: layout,
                src_stride: 32,
                dst_stride: columns * size_of(to),
                src_data: vk::DeviceOrHostAddressConstKHR { host_address: target.as_ptr().cast() },
                dst_data: vk::DeviceOrHostAddressKHR { host_address: back.as_mut_ptr().cast() },
                ..conversion([to; 2], [rows, columns], 0, Layout::ROW_MAJOR, &mut back_size)
            };
            unsafe { device.convert_cooperative_vector_matrix_nv(&info) }.expect("a conversion");
            let expected: Vec<u8> = numbers.iter().flat_map(|&number| encode(to, number)).collect();
            assert_eq!(back, expected, "{from:?} to {to:?}, {layout:?}");
        }
    }
}

#[test]
fn vectors_end_with_their_buffers() {
    let bench = Bench::new();
    for index in 0..WORDS {
        bench.buffers[0].put(index, (index as f32 + 1.0).to_bits());
    }
    bench.bytes(2).fill(0);
    // Vectors of invocations 0 to 9 are there, the tenth in part.
    bench.limit(0, 40 * 4 + 8);
    bench.limit(2, 60 * 4 + 8);
    bench.run(
        "%count = OpConstant %uint 4 %V = OpTypeCooperativeVectorNV %float %count
        %uint_16 = OpConstant %uint 16 %f_2 = OpConstant %float 2 %twos = OpConstantComposite %V %f_2 %f_2 %f_2 %f_2\n",
        "%at = OpIMul %uint %gid %uint_16
        %x = OpCooperativeVectorLoadNV %V %p0 %at
        %y = OpFAdd %V %x %twos
        OpCooperativeVectorStoreNV %p2 %at %y\n",
    );
    for index in 0..4 * INVOCATIONS {
        let expected = match index {
            0..40 => index as f32 + 3.0,
            40..60 => 2.0,
            _ => 0.0,
        };
        assert_eq!(f32::from_bits(bench.buffers[2].words()[index]), expected, "element {index}");
    }
}
