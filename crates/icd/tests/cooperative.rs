//! Cooperative matrices: what is listed, products of every listed type beside sums in plain Rust, matrices as values, and
//! the ends of buffers.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks)] // every Vulkan call is; handles are made here and alive

#[path = "support/compute.rs"]
mod compute;
mod support;

use compute::{Buffer, Compute};
use pyro_random::Random;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::NvCooperativeMatrixExtensionInstanceCommands as _;
use vulkanalia::vk::{ComponentTypeKHR as Type, KhrCooperativeMatrixExtensionInstanceCommands as _};

const POINT: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
/// Bytes of each of the four buffers.
const BYTES: usize = 16384;

/// A device with cooperative matrices and all types of numbers.
fn context() -> Compute {
    let extensions = [
        c"VK_KHR_cooperative_matrix",
        c"VK_KHR_shader_bfloat16",
        c"VK_EXT_shader_float8",
        c"VK_NV_cooperative_matrix",
    ];
    let mut core = vk::PhysicalDeviceFeatures2::builder().features(vk::PhysicalDeviceFeatures {
        shader_int16: 1,
        shader_float64: 1,
        ..Default::default()
    });
    let mut v11 = vk::PhysicalDeviceVulkan11Features::builder().storage_buffer_16bit_access(true);
    let mut v12 = vk::PhysicalDeviceVulkan12Features::builder()
        .storage_buffer_8bit_access(true)
        .shader_float16(true)
        .shader_int8(true)
        .vulkan_memory_model(true);
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
    v11.next = (&raw mut v12).cast();
    v12.next = (&raw mut v13).cast();
    v13.next = (&raw mut matrix).cast();
    matrix.next = (&raw mut bfloat).cast();
    bfloat.next = (&raw mut float8).cast();
    core.next = (&raw mut v11).cast();
    Compute::new(vk::make_version(1, 3, 0), &extensions, (&raw mut core).cast())
}

/// How a type is written in assembly.
fn type_text(ty: Type) -> &'static str {
    match ty {
        Type::FLOAT16 => "OpTypeFloat 16",
        Type::FLOAT32 => "OpTypeFloat 32",
        Type::FLOAT64 => "OpTypeFloat 64",
        Type::BFLOAT16 => "OpTypeFloat 16 BFloat16KHR",
        Type::FLOAT8_E4M3_EXT => "OpTypeFloat 8 Float8E4M3EXT",
        Type::FLOAT8_E5M2_EXT => "OpTypeFloat 8 Float8E5M2EXT",
        Type::SINT8 => "OpTypeInt 8 1",
        Type::UINT8 => "OpTypeInt 8 0",
        Type::SINT32 => "OpTypeInt 32 1",
        _ => "OpTypeInt 32 0",
    }
}

fn bytes_of(ty: Type) -> usize {
    match ty {
        Type::FLOAT64 => 8,
        Type::FLOAT32 | Type::SINT32 | Type::UINT32 => 4,
        Type::FLOAT16 | Type::BFLOAT16 => 2,
        _ => 1,
    }
}

/// The bits of a number that a type can hold exactly: of floats with `digits` bits behind the first, 0 in the middle of the
/// exponents from -`bias`.
fn encode(ty: Type, number: f64) -> u64 {
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
struct Shape {
    rows: usize,
    columns: usize,
    by_columns: bool,
    /// Elements from one line to the next.
    stride: usize,
}

impl Shape {
    fn place(&self, row: usize, column: usize) -> usize {
        if self.by_columns { column * self.stride + row } else { row * self.stride + column }
    }
}

/// A shader of one subgroup on four buffers at bindings 0 to 3, of `%t0` to `%t3`, with matrix types `%m0` to `%m3` and
/// pointers to the first elements `%p0` to `%p3`. `declarations` come before the function.
fn text(types: [Type; 4], shapes: &[Shape; 4], declarations: &str, body: &str) -> String {
    let mut kinds: Vec<&str> = Vec::new();
    let mut text = String::from(
        "; Version: 1.6
        OpCapability Shader OpCapability CooperativeMatrixKHR OpCapability VulkanMemoryModel
        OpCapability Int8 OpCapability Int16 OpCapability Float16 OpCapability Float64
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
fn lines(text: &str) -> String {
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
struct Bench {
    context: Compute,
    buffers: [Buffer; 4],
    layout: vk::PipelineLayout,
    set: vk::DescriptorSet,
}

impl Bench {
    fn new() -> Bench {
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

    /// Writes a number of `size` bytes as an element.
    fn put(&self, binding: usize, size: usize, index: usize, bits: u64) {
        let buffer = &self.buffers[binding];
        assert!((index + 1) * size <= BYTES);
        for byte in 0..size {
            let byte_address = unsafe { buffer.words.cast::<u8>().add(index * size + byte) };
            unsafe { byte_address.write_volatile((bits >> (8 * byte)) as u8) };
        }
    }

    fn get(&self, binding: usize, size: usize, index: usize) -> u64 {
        let at = |byte| unsafe {
            self.buffers[binding].words.cast::<u8>().add(index * size + byte).read_volatile()
        };
        (0..size).map(|byte| u64::from(at(byte)) << (8 * byte)).sum()
    }

    /// All bytes of a buffer become `byte`.
    fn fill(&self, binding: usize, byte: u8) {
        (0..BYTES / 4).for_each(|index| self.buffers[binding].put(index, u32::from(byte) * 0x0101_0101));
    }

    fn run(&self, text: &str, subgroup: Option<u32>) {
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

const LOADS: &str = "%a = OpCooperativeMatrixLoadKHR %m0 %p0 %layout0 %stride0
    %b = OpCooperativeMatrixLoadKHR %m1 %p1 %layout1 %stride1
    %c = OpCooperativeMatrixLoadKHR %m2 %p2 %layout2 %stride2\n";
const STORE: &str = "OpCooperativeMatrixStoreKHR %p3 %r %layout3 %stride3\n";

fn is_signed(ty: Type) -> bool {
    matches!(ty, Type::SINT8 | Type::SINT32)
}

fn is_integer(ty: Type) -> bool {
    matches!(ty, Type::SINT8 | Type::UINT8 | Type::SINT32 | Type::UINT32)
}

/// The operands of a product in assembly.
fn operands(types: [Type; 4], saturating: bool) -> String {
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

fn shapes([m, n, k]: [usize; 3], by_columns: [bool; 4], extra: usize) -> [Shape; 4] {
    let sizes = [(m, k), (k, n), (m, n), (m, n)];
    std::array::from_fn(|index| {
        let (rows, columns) = sizes[index];
        let line = if by_columns[index] { rows } else { columns };
        Shape { rows, columns, by_columns: by_columns[index], stride: line + extra }
    })
}

/// Multiplies random integers as these types and compares with sums in 64 bits.
fn check_product(
    bench: &Bench,
    random: &mut Random,
    size: [usize; 3],
    types: [Type; 4],
    saturating: bool,
    by_columns: [bool; 4],
    subgroup: Option<u32>,
) {
    let shapes = shapes(size, by_columns, 8);
    let whole =
        |ty: Type, bits: u64| if is_signed(ty) { i64::from(bits as i8) } else { (bits & 0xff) as i64 };
    let mut numbers: [Vec<i64>; 3] = Default::default();
    for (binding, numbers) in numbers.iter_mut().enumerate() {
        let (ty, shape) = (types[binding], shapes[binding]);
        for row in 0..shape.rows {
            for column in 0..shape.columns {
                let bits = random.bits();
                let small = (bits >> 8) as i64 & 0xffff;
                let number = match ty {
                    Type::SINT8 | Type::UINT8 => whole(ty, bits),
                    // Near the ends, so that sums overflow.
                    Type::SINT32 if bits & 1 != 0 => i64::from(i32::MAX) - small,
                    Type::SINT32 => i64::from(i32::MIN) + small,
                    Type::UINT32 if bits & 1 != 0 => i64::from(u32::MAX) - small,
                    Type::UINT32 => small,
                    _ => (bits % 7) as i64 - 3,
                };
                bench.put(binding, bytes_of(ty), shape.place(row, column), encode(ty, number as f64));
                numbers.push(number);
            }
        }
    }
    bench.fill(3, 0xee);
    let operands = if is_integer(types[0]) { operands(types, saturating) } else { String::new() };
    let body = format!("{LOADS}%r = OpCooperativeMatrixMulAddKHR %m3 %a %b %c {operands}\n{STORE}");
    // Subgroups are full.
    let workgroup = format!("LocalSize {} 1 1", subgroup.unwrap_or(16).max(16));
    let text = text(types, &shapes, "", &body).replace("LocalSize 16 1 1", &workgroup);
    bench.run(&text, subgroup);
    let [m, n, k] = size;
    let [a, b, c] = &numbers;
    for row in 0..m {
        for column in 0..n {
            let products = (0..k).map(|index| a[row * k + index] * b[index * n + column]);
            let sum = c[row * n + column] + products.sum::<i64>();
            let expected = match types[3] {
                Type::SINT32 if saturating => sum.clamp(i32::MIN.into(), i32::MAX.into()) as u32 as u64,
                Type::UINT32 if saturating => sum.clamp(0, u32::MAX.into()) as u64,
                Type::SINT32 | Type::UINT32 => sum as u32 as u64,
                ty => encode(ty, sum as f64),
            };
            let found = bench.get(3, bytes_of(types[3]), shapes[3].place(row, column));
            assert_eq!(
                found, expected,
                "{types:?} {size:?} at {row}, {column}, saturating {saturating}, by columns {by_columns:?}"
            );
        }
    }
    // Between the lines nothing is written.
    let line = if by_columns[3] { m } else { n };
    assert_eq!(bench.get(3, bytes_of(types[3]), line) & 0xff, 0xee);
}

fn listed(bench: &Bench) -> Vec<vk::CooperativeMatrixPropertiesKHR> {
    let Compute { instance, physical_device, .. } = &bench.context;
    unsafe { instance.get_physical_device_cooperative_matrix_properties_khr(*physical_device) }
        .expect("a list")
}

#[test]
fn products_of_all_listed_types() {
    let bench = Bench::new();
    let mut random = Random::new(1);
    let list = listed(&bench);
    assert!(list.len() > 10);
    for (index, row) in list.iter().enumerate() {
        let types = [row.a_type, row.b_type, row.c_type, row.result_type];
        let size = [row.m_size, row.n_size, row.k_size].map(|size| size as usize);
        assert_eq!(row.scope, vk::ScopeKHR::SUBGROUP);
        for turn in 0..2 {
            let by_columns = std::array::from_fn(|place| (index + turn * 15) >> place & 1 != 0);
            check_product(
                &bench,
                &mut random,
                size,
                types,
                row.saturating_accumulation != 0,
                by_columns,
                None,
            );
        }
    }
}

#[test]
fn products_of_other_sizes_and_in_other_subgroups() {
    let bench = Bench::new();
    let mut random = Random::new(2);
    let sizes = [[16, 32, 8], [8, 8, 8], [4, 16, 12], [32, 16, 4], [5, 3, 7], [8, 32, 16]];
    let of_floats = [Type::FLOAT16, Type::FLOAT16, Type::FLOAT32, Type::FLOAT32];
    let of_bytes = [Type::SINT8, Type::UINT8, Type::SINT32, Type::SINT32];
    for (index, size) in sizes.into_iter().enumerate() {
        let by_columns = std::array::from_fn(|place| index >> place & 1 != 0);
        check_product(&bench, &mut random, size, of_floats, false, by_columns, None);
        check_product(&bench, &mut random, size, of_bytes, index % 2 == 0, by_columns, None);
    }
    for subgroup in [4, 8, 32, 64] {
        check_product(
            &bench,
            &mut random,
            [16; 3],
            of_floats,
            false,
            [false, true, false, true],
            Some(subgroup),
        );
        check_product(
            &bench,
            &mut random,
            [16; 3],
            of_bytes,
            false,
            [true, false, true, false],
            Some(subgroup),
        );
    }
}

#[test]
fn sums_have_their_order() {
    let bench = Bench::new();
    let mut random = Random::new(3);
    let types = [Type::FLOAT32; 4];
    let shapes = shapes([16; 3], [false; 4], 0);
    let mut numbers = [[0f32; 256]; 3];
    for (binding, numbers) in numbers.iter_mut().enumerate() {
        for (index, number) in numbers.iter_mut().enumerate() {
            *number = random.bits() as i32 as f32 / 65_537.0;
            bench.put(binding, 4, index, number.to_bits().into());
        }
    }
    let body = format!("{LOADS}%r = OpCooperativeMatrixMulAddKHR %m3 %a %b %c\n{STORE}");
    bench.run(&text(types, &shapes, "", &body), None);
    let [a, b, c] = &numbers;
    for row in 0..16 {
        for column in 0..16 {
            let start = c[row * 16 + column];
            let sum = (0..16).fold(start, |sum, k| a[row * 16 + k].mul_add(b[k * 16 + column], sum));
            assert_eq!(bench.get(3, 4, row * 16 + column) as u32, sum.to_bits(), "at {row}, {column}");
        }
    }
}

/// Runs a body on matrices of `f32` and of the first type; gives the result's elements.
fn run_values(bench: &Bench, declarations: &str, body: &str) -> Vec<f32> {
    let types = [Type::FLOAT32, Type::FLOAT16, Type::FLOAT32, Type::FLOAT32];
    let shapes = shapes([16; 3], [false; 4], 0);
    for index in 0..256 {
        bench.put(0, 4, index, (index as f32).to_bits().into());
        bench.put(1, 2, index, encode(Type::FLOAT16, index as f64));
        bench.put(2, 4, index, (1000.0 - index as f32).to_bits().into());
    }
    bench.fill(3, 0);
    bench.run(&text(types, &shapes, declarations, &format!("{body}\n{STORE}")), None);
    (0..256).map(|index| f32::from_bits(bench.get(3, 4, index) as u32)).collect()
}

#[test]
fn matrices_are_values() {
    let bench = Bench::new();
    // Conversion to half and back, sums, quotients, factors.
    let found = run_values(
        &bench,
        "%f_3 = OpConstant %k0 3 %splat = OpConstantComposite %m3 %f_3 %zero = OpConstantNull %m3\n
        %half_c = OpTypeCooperativeMatrixKHR %k1 %uint_3 %uint_16 %uint_16 %uint_2\n",
        "%c = OpCooperativeMatrixLoadKHR %m2 %p2 %layout2 %stride2
        %half = OpFConvert %half_c %c
        %wide = OpFConvert %m3 %half
        %tripled = OpMatrixTimesScalar %m3 %wide %f_3
        %sum = OpFAdd %m3 %tripled %splat
        %less = OpFNegate %m3 %sum
        %rest = OpFSub %m3 %zero %less
        %r = OpFDiv %m3 %rest %splat\n",
    );
    for (index, &found) in found.iter().enumerate() {
        // Halves hold all integers up to 2048.
        assert_eq!(found, 1001.0 - index as f32, "element {index}");
    }
    // Each element by its number, in a loop over a variable; the length is that of all lanes together.
    let found = run_values(
        &bench,
        "%f_2 = OpConstant %k0 2 %local = OpTypePointer Function %m3 %local_element = OpTypePointer Function %k0
        %pair = OpTypeArray %m3 %uint_2 %pairs = OpTypePointer Function %pair %count_pointer = OpTypePointer Function %uint
        %record = OpTypeStruct %uint %m3 %fn_m = OpTypeFunction %m3 %m3 %local
        %twice = OpFunction %m3 None %fn_m %parameter = OpFunctionParameter %m3 %by_pointer = OpFunctionParameter %local
        %twice_entry = OpLabel %loaded = OpLoad %m3 %by_pointer %both = OpFAdd %m3 %parameter %loaded
        OpReturnValue %both OpFunctionEnd\n",
        "%variable = OpVariable %local Function
        %array = OpVariable %pairs Function
        %counter = OpVariable %count_pointer Function
        OpNop
        %c = OpCooperativeMatrixLoadKHR %m2 %p2 %layout2 %stride2
        OpStore %variable %c
        OpStore %counter %uint_0
        %length = OpCooperativeMatrixLengthKHR %uint %m3
        OpBranch %header
        %header = OpLabel
        OpLoopMerge %behind %latch None
        OpBranch %test
        %test = OpLabel
        %i = OpLoad %uint %counter
        %more = OpULessThan %bool %i %length
        OpBranchConditional %more %inside %behind
        %inside = OpLabel
        %element = OpAccessChain %local_element %variable %i
        %old = OpLoad %k0 %element
        %new = OpFMul %k0 %old %f_2
        OpStore %element %new
        OpBranch %latch
        %latch = OpLabel
        %next = OpIAdd %uint %i %uint_1
        OpStore %counter %next
        OpBranch %header
        %behind = OpLabel
        %doubled = OpLoad %m3 %variable
        %second = OpAccessChain %local %array %uint_1
        OpStore %second %doubled
        %from_array = OpLoad %m3 %second
        %added = OpFunctionCall %m3 %twice %from_array %variable
        %first = OpCompositeExtract %k0 %c 0
        %inserted = OpCompositeInsert %m3 %first %added 0
        %made = OpCompositeConstruct %record %uint_1 %inserted
        %part = OpCompositeExtract %m3 %made 1
        %is_long = OpIEqual %bool %length %uint_16
        OpSelectionMerge %join None
        OpBranchConditional %is_long %one %other
        %one = OpLabel
        OpBranch %join
        %other = OpLabel
        OpBranch %join
        %join = OpLabel
        %r = OpPhi %m3 %part %one %c %other\n",
    );
    let once = found.iter().enumerate().filter(|(index, value)| **value == 1000.0 - *index as f32).count();
    let four =
        found.iter().enumerate().filter(|(index, value)| **value == 4.0 * (1000.0 - *index as f32)).count();
    // One element of each lane was replaced.
    assert_eq!((once, four), (16, 240));
}

#[test]
fn matrices_pass_through_workgroup_memory() {
    let bench = Bench::new();
    // Vectors of four words: strides count these.
    let found = run_values(
        &bench,
        "%words = OpConstant %uint 5\n",
        "%c = OpCooperativeMatrixLoadKHR %m2 %p2 %layout2 %stride2
        %start = OpAccessChain %shared_words %shared %uint_16
        OpCooperativeMatrixStoreKHR %start %c %uint_1 %words
        OpControlBarrier %uint_2 %uint_2 %uint_0
        %back = OpCooperativeMatrixLoadKHR %m3 %start %uint_0 %words
        %r = OpFAdd %m3 %back %back\n",
    );
    for row in 0..16 {
        for column in 0..16 {
            let transposed = 1000.0 - (column * 16 + row) as f32;
            assert_eq!(found[row * 16 + column], 2.0 * transposed, "at {row}, {column}");
        }
    }
}

#[test]
fn elements_outside_of_buffers_read_zero_and_stay() {
    let bench = Bench::new();
    let types = [Type::SINT8, Type::FLOAT16, Type::FLOAT32, Type::FLOAT32];
    for by_columns in [false, true] {
        for (source, size) in [(0, 1), (1, 2), (2, 4)] {
            let shapes = shapes([16; 3], [by_columns; 4], 0);
            let inside = 100;
            for index in 0..256 {
                bench.put(source, size, index, encode(types[source], 1.0));
            }
            bench.limit(source, (inside * size) as u64);
            bench.limit(3, (inside * 4 + 40) as u64);
            bench.fill(3, 0);
            let convert = if source == 0 { "OpConvertSToF" } else { "OpFConvert" };
            let (declared, converted) = match source {
                2 => (String::new(), "%r = OpFAdd %m2 %x %one\n".to_owned()),
                _ => (
                    format!("%m4 = OpTypeCooperativeMatrixKHR %k2 %uint_3 %uint_16 %uint_16 %use{source}\n"),
                    format!(
                        "%w = {convert} %m4 %x\n%one4 = OpCompositeConstruct %m4 %f_1\n%r = OpFAdd %m4 %w %one4\n"
                    ),
                ),
            };
            let declarations =
                format!("%f_1 = OpConstant %k2 1 %one = OpConstantComposite %m2 %f_1\n{declared}");
            let body = format!(
                "%x = OpCooperativeMatrixLoadKHR %m{source} %p{source} %layout{source} %stride{source}\n{converted}{STORE}"
            );
            bench.run(&text(types, &shapes, &declarations, &body), None);
            for index in 0..256 {
                let expected: f32 = match index {
                    _ if index < inside => 2.0,
                    _ if index < inside + 10 => 1.0,
                    _ => 0.0,
                };
                let found = bench.get(3, 4, index) as u32;
                assert_eq!(found, expected.to_bits(), "element {index} of {:?}", types[source]);
            }
            bench.limit(source, vk::WHOLE_SIZE);
        }
    }
}

#[test]
fn products_of_the_first_extension() {
    let bench = Bench::new();
    let Compute { instance, physical_device, .. } = &bench.context;
    let list = unsafe { instance.get_physical_device_cooperative_matrix_properties_nv(*physical_device) };
    let list = list.expect("a list");
    let is_listed = |types: [Type; 4]| {
        list.iter().any(|row| [row.a_type, row.b_type, row.c_type, row.d_type] == types && row.m_size == 16)
    };
    let types = [Type::FLOAT16, Type::FLOAT16, Type::FLOAT32, Type::FLOAT32];
    assert!(is_listed(types) && is_listed([Type::SINT8, Type::SINT8, Type::SINT32, Type::SINT32]));
    let mut random = Random::new(4);
    let shapes = shapes([16; 3], [false, true, false, true], 0);
    let mut numbers: [Vec<i64>; 3] = Default::default();
    for (binding, numbers) in numbers.iter_mut().enumerate() {
        for row in 0..16 {
            for column in 0..16 {
                let number = (random.bits() % 9) as i64 - 4;
                let place = shapes[binding].place(row, column);
                bench.put(binding, bytes_of(types[binding]), place, encode(types[binding], number as f64));
                numbers.push(number);
            }
        }
    }
    let text = text(
        types,
        &shapes,
        "%true = OpConstantTrue %bool %false = OpConstantFalse %bool\n",
        "%a = OpCooperativeMatrixLoadNV %m0 %p0 %stride0 %false
        %b = OpCooperativeMatrixLoadNV %m1 %p1 %stride1 %true
        %c = OpCooperativeMatrixLoadNV %m2 %p2 %stride2 %false
        %length = OpCooperativeMatrixLengthNV %uint %m2
        %is_right = OpIEqual %bool %length %uint_16
        %scale = OpSelect %k1 %is_right %f_1 %f_0
        %product = OpCooperativeMatrixMulAddNV %m3 %a %b %c
        %r = OpMatrixTimesScalar %m3 %product %scale
        OpCooperativeMatrixStoreNV %p3 %r %stride3 %true\n",
    );
    // The types of the first extension have no use.
    let mut text = text.replace(
        "OpCapability CooperativeMatrixKHR",
        "OpCapability CooperativeMatrixNV\nOpCapability CooperativeMatrixKHR",
    );
    for index in 0..4 {
        text = text.replace(&format!("%columns{index} %use{index}"), &format!("%columns{index}"));
    }
    let text = text
        .replace("OpTypeCooperativeMatrixKHR", "OpTypeCooperativeMatrixNV")
        .replace("SPV_KHR_cooperative_matrix", "SPV_NV_cooperative_matrix")
        .replace("%m1 = OpTypeCooperativeMatrixNV %k0 %uint_3 %rows1 %columns1\n", "\n")
        .replace("%m1", "%m0")
        .replace(
            "%true = OpConstantTrue",
            "%f_0 = OpConstant %k1 0\n%f_1 = OpConstant %k1 1\n%true = OpConstantTrue",
        );
    bench.run(&text, None);
    let [a, b, c] = &numbers;
    for row in 0..16 {
        for column in 0..16 {
            let products = (0..16).map(|k| a[row * 16 + k] * b[k * 16 + column]);
            let sum = (c[row * 16 + column] + products.sum::<i64>()) as f32;
            assert_eq!(
                bench.get(3, 4, shapes[3].place(row, column)) as u32,
                sum.to_bits(),
                "at {row}, {column}"
            );
        }
    }
}

#[test]
fn lists_are_cut_where_there_is_no_room() {
    let bench = Bench::new();
    let whole = listed(&bench);
    let Compute { instance, physical_device, .. } = &bench.context;
    let query = instance.commands().get_physical_device_cooperative_matrix_properties_khr;
    let mut some = [vk::CooperativeMatrixPropertiesKHR::default(); 2];
    let mut count = 2;
    let result = unsafe { query(*physical_device, &raw mut count, some.as_mut_ptr()) };
    assert_eq!((result, count), (vk::Result::INCOMPLETE, 2));
    assert_eq!(some[1].a_type, whole[1].a_type);
    let mut stages = vk::PhysicalDeviceCooperativeMatrixPropertiesKHR::default();
    let mut properties = vk::PhysicalDeviceProperties2::builder().push_next(&mut stages);
    unsafe { instance.get_physical_device_properties2(*physical_device, &mut properties) };
    assert_eq!(stages.cooperative_matrix_supported_stages, vk::ShaderStageFlags::COMPUTE);
}
