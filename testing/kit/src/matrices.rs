//! Shaders with cooperative matrices on four buffers, and products beside sums in plain Rust.

use crate::compute::{Buffer, Compute};
use pyro_random::Random;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::ComponentTypeKHR as Type;

/// The bind point.
pub const POINT: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
/// Bytes of each of the four buffers.
pub const BYTES: usize = 1 << 19;

/// `VkPhysicalDeviceCooperativeMatrixDecodeVectorFeaturesNV`, which the bindings lack.
#[repr(C)]
struct DecodeVectorFeatures {
    s_type: vk::StructureType,
    next: *mut std::ffi::c_void,
    is_on: vk::Bool32,
}

/// A device with cooperative matrices and all types of numbers.
pub fn context() -> Compute {
    let extensions = [
        c"VK_KHR_cooperative_matrix",
        c"VK_KHR_shader_bfloat16",
        c"VK_EXT_shader_float8",
        c"VK_NV_cooperative_matrix",
        c"VK_NV_cooperative_matrix2",
        c"VK_NV_cooperative_matrix_decode_vector",
        c"VK_QCOM_cooperative_matrix_conversion",
    ];
    let mut core = vk::PhysicalDeviceFeatures2::builder().features(vk::PhysicalDeviceFeatures {
        shader_int16: 1,
        shader_int64: 1,
        shader_float64: 1,
        ..Default::default()
    });
    let mut v11 = vk::PhysicalDeviceVulkan11Features::builder().storage_buffer_16bit_access(true);
    let mut v12 = vk::PhysicalDeviceVulkan12Features::builder()
        .storage_buffer_8bit_access(true)
        .shader_float16(true)
        .shader_int8(true)
        .vulkan_memory_model(true)
        .buffer_device_address(true);
    let mut v13 = vk::PhysicalDeviceVulkan13Features::builder().subgroup_size_control(true);
    let mut matrix = vk::PhysicalDeviceCooperativeMatrixFeaturesKHR::builder()
        .cooperative_matrix(true)
        .cooperative_matrix_robust_buffer_access(true);
    let mut bfloat = vk::PhysicalDeviceShaderBfloat16FeaturesKHR::builder()
        .shader_b_float16_type(true)
        .shader_b_float16_cooperative_matrix(true);
    let mut float8 = vk::PhysicalDeviceShaderFloat8FeaturesEXT::builder()
        .shader_float8(true)
        .shader_float8_cooperative_matrix(true);
    let mut second = vk::PhysicalDeviceCooperativeMatrix2FeaturesNV::builder()
        .cooperative_matrix_workgroup_scope(true)
        .cooperative_matrix_flexible_dimensions(true)
        .cooperative_matrix_reductions(true)
        .cooperative_matrix_conversions(true)
        .cooperative_matrix_per_element_operations(true)
        .cooperative_matrix_tensor_addressing(true)
        .cooperative_matrix_block_loads(true);
    let mut decode_vector = DecodeVectorFeatures {
        s_type: vk::StructureType::from_raw(1_000_689_000),
        next: std::ptr::null_mut(),
        is_on: 1,
    };
    let mut arrays = vk::PhysicalDeviceCooperativeMatrixConversionFeaturesQCOM::builder()
        .cooperative_matrix_conversion(true);
    decode_vector.next = (&raw mut arrays).cast();
    second.next = (&raw mut decode_vector).cast();
    float8.next = (&raw mut second).cast();
    v11.next = (&raw mut v12).cast();
    v12.next = (&raw mut v13).cast();
    v13.next = (&raw mut matrix).cast();
    matrix.next = (&raw mut bfloat).cast();
    bfloat.next = (&raw mut float8).cast();
    core.next = (&raw mut v11).cast();
    Compute::new(vk::make_version(1, 3, 0), &extensions, (&raw mut core).cast())
}

/// How a type is written in assembly.
pub fn type_text(ty: Type) -> &'static str {
    match ty {
        Type::FLOAT16 => "OpTypeFloat 16",
        Type::FLOAT32 => "OpTypeFloat 32",
        Type::FLOAT64 => "OpTypeFloat 64",
        Type::BFLOAT16 => "OpTypeFloat 16 BFloat16KHR",
        Type::FLOAT8_E4M3_EXT => "OpTypeFloat 8 Float8E4M3EXT",
        Type::FLOAT8_E5M2_EXT => "OpTypeFloat 8 Float8E5M2EXT",
        Type::SINT8 => "OpTypeInt 8 1",
        Type::UINT8 => "OpTypeInt 8 0",
        Type::SINT16 => "OpTypeInt 16 1",
        Type::UINT16 => "OpTypeInt 16 0",
        Type::SINT32 => "OpTypeInt 32 1",
        Type::SINT64 => "OpTypeInt 64 1",
        Type::UINT64 => "OpTypeInt 64 0",
        _ => "OpTypeInt 32 0",
    }
}

/// Bytes of a component.
pub fn bytes_of(ty: Type) -> usize {
    match ty {
        Type::FLOAT64 | Type::SINT64 | Type::UINT64 => 8,
        Type::FLOAT32 | Type::SINT32 | Type::UINT32 => 4,
        Type::FLOAT16 | Type::BFLOAT16 | Type::SINT16 | Type::UINT16 => 2,
        _ => 1,
    }
}

/// The bits of a number that a type can hold exactly: of floats with `digits` bits behind the first, 0 in the
/// middle of the exponents from -`bias`.
pub fn encode(ty: Type, number: f64) -> u64 {
    let small = |digits: u32, bias: i64, bits: u32| {
        if number == 0.0 {
            return 0;
        }
        let wide = number.to_bits();
        let exponent = (wide >> 52 & 0x7ff) as i64 - 1023;
        assert_eq!(wide & ((1 << (52 - digits)) - 1), 0, "{number} has too many digits");
        assert!(exponent > -bias && exponent <= bias + 1, "{number} is too large or small");
        (wide >> 63) << (bits - 1)
            | ((exponent + bias) as u64) << digits
            | (wide >> (52 - digits) & ((1 << digits) - 1))
    };
    match ty {
        Type::FLOAT16 => small(10, 15, 16),
        Type::BFLOAT16 => small(7, 127, 16),
        Type::FLOAT8_E4M3_EXT => small(3, 7, 8),
        Type::FLOAT8_E5M2_EXT => small(2, 15, 8),
        Type::FLOAT32 => u64::from((number as f32).to_bits()),
        Type::FLOAT64 => number.to_bits(),
        _ => number as i64 as u64,
    }
}

/// A matrix operand: its type's name in assembly, its size, and how it lies in memory.
#[derive(Clone, Copy)]
pub struct Shape {
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// Column-major storage.
    pub by_columns: bool,
    /// Elements from one line to the next.
    pub stride: usize,
}

impl Shape {
    /// The index of an element in memory.
    pub fn place(&self, row: usize, column: usize) -> usize {
        if self.by_columns { column * self.stride + row } else { row * self.stride + column }
    }
}

/// A shader of one subgroup on four buffers at bindings 0 to 3, of `%t0` to `%t3`, with matrix types `%m0` to
/// `%m3` and pointers to the first elements `%p0` to `%p3`. `declarations` come before the function.
pub fn text(types: [Type; 4], shapes: &[Shape; 4], declarations: &str, body: &str) -> String {
    let mut kinds: Vec<&str> = Vec::new();
    let mut text = String::from(
        "; Version: 1.6
        OpCapability Shader OpCapability CooperativeMatrixKHR OpCapability VulkanMemoryModel
        OpCapability Int8 OpCapability Int16 OpCapability Int64 OpCapability Float16 OpCapability Float64
        OpCapability StorageBuffer8BitAccess OpCapability StorageBuffer16BitAccess
        OpCapability BFloat16TypeKHR OpCapability BFloat16CooperativeMatrixKHR
        OpCapability Float8EXT OpCapability Float8CooperativeMatrixEXT
        OpExtension \"SPV_KHR_cooperative_matrix\" OpExtension \"SPV_KHR_bfloat16\" OpExtension \"SPV_EXT_float8\"
        OpMemoryModel Logical Vulkan
        OpEntryPoint GLCompute %main \"main\" %v0 %v1 %v2 %v3 %shared
        OpExecutionMode %main LocalSize 16 1 1\n",
    );
    for (index, ty) in types.iter().enumerate() {
        text += &format!(
            "OpDecorate %a{index} ArrayStride {} OpDecorate %s{index} Block OpMemberDecorate %s{index} 0 Offset 0
            OpDecorate %v{index} DescriptorSet 0 OpDecorate %v{index} Binding {index}\n",
            bytes_of(*ty)
        );
    }
    text += "%void = OpTypeVoid %fn = OpTypeFunction %void %bool = OpTypeBool
        %uint = OpTypeInt 32 0 %uint_0 = OpConstant %uint 0 %uint_1 = OpConstant %uint 1 %uint_2 = OpConstant %uint 2
        %uint_3 = OpConstant %uint 3 %uint_16 = OpConstant %uint 16 %uint_64 = OpConstant %uint 64
        %uint_256 = OpConstant %uint 256
        %word4 = OpTypeVector %uint 4 %list4 = OpTypeArray %word4 %uint_256
        %shared_list = OpTypePointer Workgroup %list4 %shared_words = OpTypePointer Workgroup %word4
        %shared = OpVariable %shared_list Workgroup\n";
    for (index, (ty, shape)) in types.iter().zip(shapes).enumerate() {
        let kind = type_text(*ty);
        let name = match kinds.iter().position(|known| *known == kind) {
            Some(known) => known,
            None if kind == "OpTypeInt 32 0" => usize::MAX,
            None => {
                text += &format!("%k{} = {kind}\n", kinds.len());
                kinds.push(kind);
                kinds.len() - 1
            }
        };
        let kind = if name == usize::MAX { "%uint".to_owned() } else { format!("%k{name}") };
        // The result is of the type of what is added.
        let matrix = match index {
            3 => String::new(),
            _ => format!(
                "%m{index} = OpTypeCooperativeMatrixKHR {kind} %uint_3 %rows{index} %columns{index} %use{index}"
            ),
        };
        text += &format!(
            "%rows{index} = OpConstant %uint {} %columns{index} = OpConstant %uint {}
            %stride{index} = OpConstant %uint {} %layout{index} = OpConstant %uint {}
            %use{index} = OpConstant %uint {}
            {matrix}
            %a{index} = OpTypeRuntimeArray {kind} %s{index} = OpTypeStruct %a{index}
            %sp{index} = OpTypePointer StorageBuffer %s{index} %ep{index} = OpTypePointer StorageBuffer {kind}
            %v{index} = OpVariable %sp{index} StorageBuffer\n",
            shape.rows,
            shape.columns,
            shape.stride,
            u32::from(shape.by_columns),
            index.min(2),
        );
    }
    text += declarations;
    // Variables of the function come first, up to an `OpNop`.
    let (variables, body) = body.split_once("OpNop").unwrap_or(("", body));
    text += &format!("%main = OpFunction %void None %fn %entry = OpLabel {variables}\n");
    for index in 0..4 {
        text += &format!("%p{index} = OpAccessChain %ep{index} %v{index} %uint_0 %uint_0\n");
    }
    assert_eq!(types[2], types[3]);
    format!("{text}{body}\nOpReturn OpFunctionEnd\n").replace("%m3", "%m2")
}

/// One instruction a line.
pub fn lines(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let mut words: Vec<&str> = Vec::new();
        for word in line.split_whitespace() {
            let starts = word.starts_with("Op") && !words.is_empty();
            if starts {
                // A result belongs to the operation behind it.
                let keep = if words.ends_with(&["="]) { words.len() - 2 } else { words.len() };
                if keep > 0 {
                    lines.push(words[..keep].join(" "));
                }
                words.drain(..keep);
            }
            words.push(word);
        }
        lines.push(words.join(" "));
    }
    lines.join("\n")
}

/// A set of four buffers, and what is needed to run shaders on it.
pub struct Bench {
    /// The device.
    pub context: Compute,
    /// The buffers at bindings 0 to 3.
    pub buffers: [Buffer; 4],
    /// The pipeline layout.
    pub layout: vk::PipelineLayout,
    /// The descriptor set of the buffers.
    pub set: vk::DescriptorSet,
}

impl Bench {
    /// A device with the features, and zeros in the buffers.
    pub fn new() -> Bench {
        let context = context();
        let bindings = [(vk::DescriptorType::STORAGE_BUFFER, 1); 4];
        let set_layout = context.set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &bindings);
        let (layout, set) = (context.layout(&[set_layout]), context.set(set_layout));
        let buffers = [(); 4].map(|()| context.buffer(BYTES / 4));
        for (binding, buffer) in (0..).zip(buffers) {
            context.write_range(set, binding, buffer.buffer, 0);
        }
        Bench { context, buffers, layout, set }
    }

    /// Binds a buffer up to so many bytes.
    pub fn limit(&self, binding: usize, bytes: u64) {
        let info =
            [vk::DescriptorBufferInfo { buffer: self.buffers[binding].buffer, offset: 0, range: bytes }];
        let write = vk::WriteDescriptorSet::builder()
            .dst_set(self.set)
            .dst_binding(binding as u32)
            .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
            .buffer_info(&info);
        unsafe { self.context.device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]) };
    }

    /// Writes a number of `size` bytes as an element.
    pub fn put(&self, binding: usize, size: usize, index: usize, bits: u64) {
        let buffer = &self.buffers[binding];
        assert!((index + 1) * size <= BYTES);
        for byte in 0..size {
            let byte_address = unsafe { buffer.words.cast::<u8>().add(index * size + byte) };
            unsafe { byte_address.write_volatile((bits >> (8 * byte)) as u8) };
        }
    }

    /// An element of a buffer: `index` in units of `size` bytes.
    pub fn get(&self, binding: usize, size: usize, index: usize) -> u64 {
        let at = |byte| unsafe {
            self.buffers[binding].words.cast::<u8>().add(index * size + byte).read_volatile()
        };
        (0..size).map(|byte| u64::from(at(byte)) << (8 * byte)).sum()
    }

    /// All bytes of a buffer become `byte`.
    pub fn fill(&self, binding: usize, byte: u8) {
        (0..BYTES / 4).for_each(|index| self.buffers[binding].put(index, u32::from(byte) * 0x0101_0101));
    }

    /// Whether a pipeline is made of a shader.
    pub fn accepts(&self, text: &str) -> bool {
        let module = self.context.shader_module(&lines(text));
        let stage = vk::PipelineShaderStageCreateInfo::builder()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(b"main\0");
        let info = vk::ComputePipelineCreateInfo::builder().stage(stage).layout(self.layout).build();
        let device = &self.context.device;
        unsafe {
            let made = device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
            device.destroy_shader_module(module, None);
            let Ok((pipelines, _)) = made else { return false };
            pipelines.iter().for_each(|&pipeline| device.destroy_pipeline(pipeline, None));
            true
        }
    }

    /// Runs a shader of one workgroup, with a required subgroup size if one is given.
    pub fn run(&self, text: &str, subgroup: Option<u32>) {
        let flags = vk::PipelineShaderStageCreateFlags::empty();
        let pipeline = self.context.staged_pipeline(self.layout, &lines(text), flags, subgroup);
        self.context.run(|commands| unsafe {
            let device = &self.context.device;
            device.cmd_bind_pipeline(commands, POINT, pipeline);
            device.cmd_bind_descriptor_sets(commands, POINT, self.layout, 0, &[self.set], &[]);
            device.cmd_dispatch(commands, 1, 1, 1);
        });
    }
}

/// Loads of the operands A, B and C.
pub const LOADS: &str = "%a = OpCooperativeMatrixLoadKHR %m0 %p0 %layout0 %stride0
    %b = OpCooperativeMatrixLoadKHR %m1 %p1 %layout1 %stride1
    %c = OpCooperativeMatrixLoadKHR %m2 %p2 %layout2 %stride2\n";
/// The store of the result.
pub const STORE: &str = "OpCooperativeMatrixStoreKHR %p3 %r %layout3 %stride3\n";

/// Whether the component type is signed.
pub fn is_signed(ty: Type) -> bool {
    matches!(ty, Type::SINT8 | Type::SINT16 | Type::SINT32 | Type::SINT64)
}

/// Whether the component type is an integer.
pub fn is_integer(ty: Type) -> bool {
    is_signed(ty) || matches!(ty, Type::UINT8 | Type::UINT16 | Type::UINT32 | Type::UINT64)
}

/// The operands of a product in assembly.
pub fn operands(types: [Type; 4], saturating: bool) -> String {
    let names = [
        "MatrixASignedComponentsKHR",
        "MatrixBSignedComponentsKHR",
        "MatrixCSignedComponentsKHR",
        "MatrixResultSignedComponentsKHR",
    ];
    let mut set: Vec<&str> =
        types.iter().zip(names).filter(|(ty, _)| is_signed(**ty)).map(|(_, name)| name).collect();
    if saturating {
        set.push("SaturatingAccumulationKHR");
    }
    set.join("|")
}

/// The shapes of A, B, C and the result of a product, with `extra` elements after each row or column.
pub fn shapes([m, n, k]: [usize; 3], by_columns: [bool; 4], extra: usize) -> [Shape; 4] {
    let sizes = [(m, k), (k, n), (m, n), (m, n)];
    std::array::from_fn(|index| {
        let (rows, columns) = sizes[index];
        let line = if by_columns[index] { rows } else { columns };
        Shape { rows, columns, by_columns: by_columns[index], stride: line + extra }
    })
}

/// The least and the greatest number of an integer type.
fn ends(ty: Type) -> (i128, i128) {
    let bits = 8 * bytes_of(ty) as u32;
    if is_signed(ty) { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

/// The number that bits are as an integer type.
fn integer(ty: Type, bits: i128) -> i128 {
    let (least, greatest) = ends(ty);
    least + bits.rem_euclid(greatest - least + 1)
}

/// A number near one of the ends of an integer type, so that sums overflow.
fn near_an_end(ty: Type, bits: u64) -> i128 {
    let (least, greatest) = ends(ty);
    let far = i128::from(bits >> 8 & 0xffff).min(greatest / 2);
    if bits & 1 == 0 { least + far } else { greatest - far }
}

/// A number rounded to so many binary digits behind the first, halves to even.
fn rounded(number: f64, digits: u32) -> f64 {
    if number == 0.0 {
        return number;
    }
    let unit = 2.0_f64.powi(number.abs().log2().floor() as i32 - digits as i32);
    (number / unit).round_ties_even() * unit
}

/// Multiplies random integers as these types and compares with sums in 128 bits; by a subgroup, or a
/// workgroup of so many invocations.
#[allow(clippy::too_many_arguments)] // each is a way in which products differ
pub fn check_product(
    bench: &Bench,
    random: &mut Random,
    size: [usize; 3],
    types: [Type; 4],
    saturating: bool,
    by_columns: [bool; 4],
    subgroup: Option<u32>,
    workgroup: Option<u32>,
) {
    let shapes = shapes(size, by_columns, 8);
    let mut numbers: [Vec<i128>; 3] = Default::default();
    for (binding, numbers) in numbers.iter_mut().enumerate() {
        let (ty, shape) = (types[binding], shapes[binding]);
        let is_sum = binding == 2;
        for row in 0..shape.rows {
            for column in 0..shape.columns {
                let bits = random.bits();
                let (number, stored) = if is_integer(ty) {
                    let number = if is_sum { near_an_end(ty, bits) } else { integer(ty, bits.into()) };
                    (number, number as u64)
                } else {
                    let number = (bits % 7) as i128 - 3;
                    (number, encode(ty, number as f64))
                };
                bench.put(binding, bytes_of(ty), shape.place(row, column), stored);
                numbers.push(number);
            }
        }
    }
    bench.fill(3, 0xee);
    let operands = if is_integer(types[0]) { operands(types, saturating) } else { String::new() };
    let body = format!("{LOADS}%r = OpCooperativeMatrixMulAddKHR %m3 %a %b %c {operands}\n{STORE}");
    // Subgroups are full.
    let invocations = workgroup.unwrap_or(subgroup.unwrap_or(16).max(16));
    let mut text =
        text(types, &shapes, "", &body).replace("LocalSize 16 1 1", &format!("LocalSize {invocations} 1 1"));
    if workgroup.is_some() {
        text = of_workgroup(&text);
    }
    bench.run(&text, subgroup);
    let [m, n, k] = size;
    let [a, b, c] = &numbers;
    for row in 0..m {
        for column in 0..n {
            // Those of 64 bits wrap.
            let sum = (0..k).fold(c[row * n + column], |sum, index| {
                sum.wrapping_add(a[row * k + index].wrapping_mul(b[index * n + column]))
            });
            let expected = match types[3] {
                ty if is_integer(ty) => {
                    let (least, greatest) = ends(ty);
                    let sum = if saturating { sum.clamp(least, greatest) } else { sum };
                    sum as u64 & u64::MAX >> (64 - 8 * bytes_of(ty))
                }
                Type::FLOAT8_E4M3_EXT => encode(types[3], rounded(sum as f64, 3)),
                Type::FLOAT8_E5M2_EXT => encode(types[3], rounded(sum as f64, 2)),
                ty => encode(ty, sum as f64),
            };
            let found = bench.get(3, bytes_of(types[3]), shapes[3].place(row, column));
            assert_eq!(
                found, expected,
                "{types:?} {size:?} at {row}, {column}, saturating {saturating}, by columns {by_columns:?}, {workgroup:?}"
            );
        }
    }
    // Between the lines nothing is written.
    let line = if by_columns[3] { m } else { n };
    assert_eq!(bench.get(3, bytes_of(types[3]), line) & 0xff, 0xee);
}

/// The same shader with matrices that a workgroup shares.
pub fn of_workgroup(text: &str) -> String {
    text.replace("%uint_3 %rows", "%uint_2 %rows")
}
