//! Cooperative matrices: what is listed, products of every listed type beside sums in plain Rust, matrices as
//! values, and the ends of buffers.

use pyro_random::Random;
use pyro_test_kit::Client;
use pyro_test_kit::matrices::{Bench, LOADS, STORE, bytes_of, check_product, encode, shapes, text};
use pyro_util::fused::FusedMulAdd as _;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::NvCooperativeMatrixExtensionInstanceCommands as _;
use vulkanalia::vk::{ComponentTypeKHR as Type, KhrCooperativeMatrixExtensionInstanceCommands as _};

fn listed(bench: &Bench) -> Vec<vk::CooperativeMatrixPropertiesKHR> {
    let Client { instance, physical_device, .. } = &**bench.context;
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
        check_product(&bench, &mut random, size, of_floats, false, by_columns, None, None);
        check_product(&bench, &mut random, size, of_bytes, index % 2 == 0, by_columns, None, None);
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
            None,
        );
        check_product(
            &bench,
            &mut random,
            [16; 3],
            of_bytes,
            false,
            [true, false, true, false],
            Some(subgroup),
            None,
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
            let sum = (0..16).fold(start, |sum, k| a[row * 16 + k].fused_mul_add(b[k * 16 + column], sum));
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
fn matrices_of_arrays_have_dynamic_indices() {
    let bench = Bench::new();
    // Three sums into two matrices in turn, as often as memory says: twice the first and once the second.
    let found = run_values(
        &bench,
        "%pair = OpTypeArray %m3 %uint_2 %pairs = OpTypePointer Function %pair
        %local = OpTypePointer Function %m3
        %zero = OpConstantNull %pair %count_pointer = OpTypePointer Function %uint\n",
        "%array = OpVariable %pairs Function
        %counter = OpVariable %count_pointer Function
        OpNop
        OpStore %array %zero
        OpStore %counter %uint_0
        %c = OpCooperativeMatrixLoadKHR %m2 %p2 %layout2 %stride2
        %place = OpAccessChain %ep0 %v0 %uint_0 %uint_3
        %number = OpLoad %k0 %place
        %count = OpConvertFToU %uint %number
        OpBranch %header
        %header = OpLabel
        OpLoopMerge %behind %latch None
        OpBranch %test
        %test = OpLabel
        %i = OpLoad %uint %counter
        %more = OpULessThan %bool %i %count
        OpBranchConditional %more %inside %behind
        %inside = OpLabel
        %index = OpBitwiseAnd %uint %i %uint_1
        %matrix = OpAccessChain %local %array %index
        %old = OpLoad %m3 %matrix
        %new = OpFAdd %m3 %old %c
        OpStore %matrix %new
        OpBranch %latch
        %latch = OpLabel
        %next = OpIAdd %uint %i %uint_1
        OpStore %counter %next
        OpBranch %header
        %behind = OpLabel
        %start = OpISub %uint %count %uint_3
        %last = OpISub %uint %count %uint_2
        %first_place = OpAccessChain %local %array %start
        %first = OpLoad %m3 %first_place
        %second_place = OpAccessChain %local %array %last
        %second = OpLoad %m3 %second_place
        %square = OpFMul %m3 %first %first
        %r = OpFSub %m3 %square %second\n",
    );
    for (index, &found) in found.iter().enumerate() {
        let number = 1000.0 - index as f32;
        assert_eq!(found, 4.0 * number * number - number, "element {index}");
    }
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
    let Client { instance, physical_device, .. } = &**bench.context;
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
fn property_arrays_are_truncated_with_incomplete() {
    let bench = Bench::new();
    let whole = listed(&bench);
    let Client { instance, physical_device, .. } = &**bench.context;
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
