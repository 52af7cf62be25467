//! The second extension of cooperative matrices: sizes and scopes that are flexible, reductions, conversions,
//! functions of elements, and tensor layouts and views beside the specification's functions in plain Rust.

use pyro_random::Random;
use pyro_test_kit::Client;
use pyro_test_kit::matrices::{Bench, STORE, Shape, check_product, of_workgroup, text};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{ComponentTypeKHR as Type, NvCooperativeMatrix2ExtensionInstanceCommands as _};

const FLOATS: [Type; 4] = [Type::FLOAT16, Type::FLOAT16, Type::FLOAT32, Type::FLOAT32];
/// By whom matrices are shared: a subgroup, or a workgroup of so many invocations.
const SCOPES: [Option<u32>; 4] = [None, Some(16), Some(64), Some(128)];

#[test]
fn products_of_flexible_sizes() {
    let bench = Bench::new();
    let Client { instance, physical_device, .. } = &**bench.context;
    let list = unsafe {
        instance.get_physical_device_cooperative_matrix_flexible_dimensions_properties_nv(*physical_device)
    }
    .expect("a list");
    let mut second = vk::PhysicalDeviceCooperativeMatrix2PropertiesNV::default();
    let mut properties = vk::PhysicalDeviceProperties2::builder().push_next(&mut second);
    unsafe { instance.get_physical_device_properties2(*physical_device, &mut properties) };
    let largest = second.cooperative_matrix_flexible_dimensions_max_dimension as usize;
    assert!(largest >= 256 && second.cooperative_matrix_workgroup_scope_max_workgroup_size >= 128);
    let mut random = Random::new(21);
    let sizes = [[1, 1, 1], [2, 3, 1], [3, 2, 4], [1, 4, 2], [2, 2, 3]];
    for (index, row) in list.iter().enumerate() {
        let steps = [row.m_granularity, row.n_granularity, row.k_granularity];
        let size = std::array::from_fn(|place| sizes[index % 5][place] * steps[place] as usize);
        let types = [row.a_type, row.b_type, row.c_type, row.result_type];
        let by_columns = std::array::from_fn(|place| index >> place & 1 != 0);
        let workgroup = (row.scope == vk::ScopeKHR::WORKGROUP).then_some(row.workgroup_invocations);
        assert_eq!(workgroup.is_none(), row.scope == vk::ScopeKHR::SUBGROUP);
        let saturating = row.saturating_accumulation != 0;
        check_product(&bench, &mut random, size, types, saturating, by_columns, None, workgroup);
    }
    let bytes = [Type::SINT8, Type::SINT8, Type::SINT32, Type::SINT32];
    for (workgroup, size) in
        [(None, [largest, 16, 32]), (None, [16, largest, 16]), (Some(256), [64, 64, largest])]
    {
        check_product(&bench, &mut random, size, FLOATS, false, [false; 4], None, workgroup);
        check_product(&bench, &mut random, size, bytes, false, [false; 4], None, workgroup);
    }
    // Sizes and workgroups that are no multiples of each other.
    for (workgroup, size) in [(Some(48), [16, 32, 32]), (Some(32), [48, 16, 8]), (Some(64), [8, 8, 8])] {
        check_product(&bench, &mut random, size, FLOATS, false, [false, true, true, false], None, workgroup);
        check_product(&bench, &mut random, size, bytes, true, [false; 4], None, workgroup);
    }
    // Subgroups that are larger than the workgroup, and smaller ones.
    for subgroup in [8, 64] {
        check_product(&bench, &mut random, [32; 3], FLOATS, false, [false; 4], Some(subgroup), Some(32));
    }
}

/// A matrix of small whole numbers at binding 2, row by row.
fn numbers(bench: &Bench, random: &mut Random, count: usize) -> Vec<f32> {
    (0..count)
        .map(|index| {
            let number = (random.bits() % 201) as f32 - 100.0;
            bench.put(2, 4, index, number.to_bits().into());
            number
        })
        .collect()
}

/// A shader that may use all of the extension.
fn with_capabilities(text: &str) -> String {
    let capabilities = [
        "CooperativeMatrixReductionsNV",
        "CooperativeMatrixConversionsNV",
        "CooperativeMatrixPerElementOperationsNV",
        "CooperativeMatrixTensorAddressingNV",
        "CooperativeMatrixBlockLoadsNV",
        "TensorAddressingNV",
    ];
    let capabilities = capabilities.map(|name| format!("OpCapability {name} ")).concat();
    text.replace("OpCapability Shader ", &format!("OpCapability Shader {capabilities}")).replace(
        "OpMemoryModel",
        "OpExtension \"SPV_NV_cooperative_matrix2\" OpExtension \"SPV_NV_tensor_addressing\" OpMemoryModel",
    )
}

fn shape(rows: usize, columns: usize) -> Shape {
    Shape { rows, columns, by_columns: false, stride: columns }
}

/// Runs a shader on a matrix at binding 2 of the first size whose result at binding 3 has the second, and has
/// it back.
fn run(
    bench: &Bench,
    sizes: [[usize; 2]; 2],
    declarations: &str,
    body: &str,
    functions: &str,
    workgroup: Option<u32>,
) -> Vec<f32> {
    let [from, to] = sizes.map(|[rows, columns]| shape(rows, columns));
    bench.fill(3, 0xee);
    let mut text = text(FLOATS, &[shape(16, 16), shape(16, 16), from, to], declarations, body);
    text = with_capabilities(&text);
    text += functions;
    if let Some(invocations) = workgroup {
        text = of_workgroup(&text).replace("LocalSize 16", &format!("LocalSize {invocations}"));
    }
    bench.run(&text, None);
    (0..to.rows * to.columns).map(|index| f32::from_bits(bench.get(3, 4, index) as u32)).collect()
}

const LOAD: &str = "%x = OpCooperativeMatrixLoadKHR %m2 %p2 %layout2 %stride2\n";
/// A matrix type of the result's size.
const RESULT: &str = "%m4 = OpTypeCooperativeMatrixKHR %k1 %uint_3 %rows3 %columns3 %use2\n";

#[test]
fn rows_columns_and_squares_are_reduced() {
    let bench = Bench::new();
    let mut random = Random::new(22);
    let sizes = [
        ("Row", [32, 48], [32, 16]),
        ("Column", [48, 32], [16, 32]),
        ("Row|Column", [32, 32], [16, 48]),
        ("2x2", [32, 64], [16, 32]),
        // Rows that are no whole components.
        ("Row", [4, 24], [4, 8]),
        ("Column", [5, 8], [2, 8]),
        ("Row|Column", [4, 8], [8, 8]),
        ("2x2", [8, 8], [4, 4]),
    ];
    for workgroup in SCOPES {
        for (mode, from, to) in sizes {
            let x = numbers(&bench, &mut random, from[0] * from[1]);
            for is_sum in [true, false] {
                let combined = match is_sum {
                    true => "%both = OpFAdd %k1 %left %right\n",
                    false => {
                        "%is_less = OpFOrdLessThan %bool %left %right
                        %both = OpSelect %k1 %is_less %right %left\n"
                    }
                };
                let functions = format!(
                    "%combine = OpFunction %k1 None %binary
                    %left = OpFunctionParameter %k1
                    %right = OpFunctionParameter %k1
                    %combine_entry = OpLabel
                    {combined}OpReturnValue %both OpFunctionEnd\n"
                );
                let declarations = format!("{RESULT}%binary = OpTypeFunction %k1 %k1 %k1\n");
                let body = format!("{LOAD}%r = OpCooperativeMatrixReduceNV %m4 %x {mode} %combine\n{STORE}");
                let found = run(&bench, [from, to], &declarations, &body, &functions, workgroup);
                let all = |rows: &[usize], columns: &[usize]| {
                    let values = rows
                        .iter()
                        .flat_map(|&row| columns.iter().map(move |&column| (row, column)))
                        .map(|(row, column)| x[row * from[1] + column]);
                    if is_sum { values.sum() } else { values.fold(f32::MIN, f32::max) }
                };
                let (rows, columns): (Vec<_>, Vec<_>) = ((0..from[0]).collect(), (0..from[1]).collect());
                for (index, &found) in found.iter().enumerate() {
                    let (row, column) = (index / to[1], index % to[1]);
                    let expected = match mode {
                        "Row" => all(&[row], &columns),
                        "Column" => all(&rows, &[column]),
                        "2x2" => all(&[2 * row, 2 * row + 1], &[2 * column, 2 * column + 1]),
                        _ => all(&rows, &columns),
                    };
                    assert_eq!(found, expected, "{mode} of {from:?} at {row}, {column}, {workgroup:?}");
                }
            }
        }
    }
}

#[test]
fn matrices_are_transposed_and_change_their_use() {
    let bench = Bench::new();
    let mut random = Random::new(23);
    for workgroup in SCOPES {
        for [rows, columns] in [[32, 16], [48, 32], [4, 8]] {
            let x = numbers(&bench, &mut random, rows * columns);
            let declarations = "%m4 = OpTypeCooperativeMatrixKHR %k0 %uint_3 %rows3 %columns3 %use1
                %m5 = OpTypeCooperativeMatrixKHR %k1 %uint_3 %rows3 %columns3 %use1\n";
            let body =
                format!("{LOAD}%t = OpCooperativeMatrixTransposeNV %m4 %x %r = OpFConvert %m5 %t\n{STORE}");
            let sizes = [[rows, columns], [columns, rows]];
            let found = run(&bench, sizes, declarations, &body, "", workgroup);
            for (index, &found) in found.iter().enumerate() {
                let (row, column) = (index / rows, index % rows);
                assert_eq!(found, x[column * columns + row], "{sizes:?} at {row}, {column}, {workgroup:?}");
            }
            // Both ways of changing the use: with the type, and alone.
            let declarations = "%m4 = OpTypeCooperativeMatrixKHR %k0 %uint_3 %rows3 %columns3 %use0
                %m5 = OpTypeCooperativeMatrixKHR %k1 %uint_3 %rows3 %columns3 %use0\n";
            let body = format!(
                "{LOAD}%h = OpFConvert %m4 %x
                %w = OpFConvert %m5 %h
                %c = OpCooperativeMatrixConvertNV %m5 %x
                %r = OpFAdd %m5 %w %c\n{STORE}"
            );
            let found = run(&bench, [[rows, columns]; 2], declarations, &body, "", workgroup);
            let twice: Vec<f32> = x.iter().map(|x| 2.0 * x).collect();
            assert_eq!(found, twice, "{workgroup:?}");
        }
    }
}

#[test]
fn functions_are_called_for_each_element() {
    let bench = Bench::new();
    let mut random = Random::new(24);
    // A branch, the element's place, another matrix's element and a number for all.
    let functions = "%each = OpFunction %k1 None %element
        %row = OpFunctionParameter %uint
        %column = OpFunctionParameter %uint
        %one = OpFunctionParameter %k1
        %other = OpFunctionParameter %k1
        %more = OpFunctionParameter %k1
        %each_entry = OpLabel
        %is_above = OpULessThan %bool %row %column
        OpSelectionMerge %each_end None
        OpBranchConditional %is_above %above %each_end
        %above = OpLabel
        %negated = OpFNegate %k1 %one
        OpReturnValue %negated
        %each_end = OpLabel
        %line = OpIMul %uint %row %uint_64
        %place = OpIAdd %uint %line %column
        %number = OpConvertUToF %k1 %place
        %sum = OpFAdd %k1 %number %other
        %all = OpFAdd %k1 %sum %more
        OpReturnValue %all OpFunctionEnd\n";
    let declarations = "%element = OpTypeFunction %k1 %uint %uint %k1 %k1 %k1 %f_half = OpConstant %k1 0.5\n";
    let body = format!(
        "{LOAD}%y = OpFAdd %m2 %x %x
        %r = OpCooperativeMatrixPerElementOpNV %m2 %x %each %y %f_half\n{STORE}"
    );
    for workgroup in SCOPES {
        for [rows, columns] in [[32, 16], [20, 32], [5, 6]] {
            let x = numbers(&bench, &mut random, rows * columns);
            let found = run(&bench, [[rows, columns]; 2], declarations, &body, functions, workgroup);
            for (index, &found) in found.iter().enumerate() {
                let (row, column) = (index / columns, index % columns);
                let expected = match row < column {
                    true => -x[index],
                    false => (row * 64 + column) as f32 + 2.0 * x[index] + 0.5,
                };
                assert_eq!(found, expected, "at {row}, {column}, {workgroup:?}");
            }
        }
    }
}

/// `VK_EXT_cooperative_matrix_maintenance1` has the same instructions under newer names, and other
/// capabilities.
#[test]
fn newer_names_are_the_same_instructions() {
    let bench = Bench::new();
    let mut random = Random::new(25);
    let [rows, columns] = [32, 16];
    let functions = "%each = OpFunction %k1 None %element
        %row = OpFunctionParameter %uint
        %column = OpFunctionParameter %uint
        %one = OpFunctionParameter %k1
        %each_entry = OpLabel
        %number = OpConvertUToF %k1 %row
        %sum = OpFAdd %k1 %number %one
        OpReturnValue %sum OpFunctionEnd
        %combine = OpFunction %k1 None %binary
        %left = OpFunctionParameter %k1
        %right = OpFunctionParameter %k1
        %combine_entry = OpLabel
        %both = OpFAdd %k1 %left %right
        OpReturnValue %both OpFunctionEnd\n";
    let declarations = "%m4 = OpTypeCooperativeMatrixKHR %k1 %uint_3 %rows3 %columns3 %use2
        %m5 = OpTypeCooperativeMatrixKHR %k1 %uint_3 %rows3 %columns3 %use0
        %element = OpTypeFunction %k1 %uint %uint %k1
        %binary = OpTypeFunction %k1 %k1 %k1\n";
    let body = format!(
        "{LOAD}%e = OpCooperativeMatrixPerElementOpEXT %m2 %x %each
        %s = OpCooperativeMatrixReduceEXT %m4 %e Row %combine
        %a = OpCooperativeMatrixConvertUseEXT %m5 %s
        %r = OpFAdd %m5 %a %a\n{STORE}"
    );
    let x = numbers(&bench, &mut random, rows * columns);
    let [from, to] = [[rows, columns]; 2].map(|[rows, columns]| shape(rows, columns));
    bench.fill(3, 0xee);
    let names = ["Reductions", "Conversions", "PerElementOperations"];
    let capabilities = names.map(|name| format!("OpCapability CooperativeMatrix{name}EXT ")).concat();
    let text = text(FLOATS, &[shape(16, 16), shape(16, 16), from, to], declarations, &body)
        .replace("OpCapability Shader ", &format!("OpCapability Shader {capabilities}"))
        .replace("OpMemoryModel", "OpExtension \"SPV_EXT_cooperative_matrix_maintenance1\" OpMemoryModel");
    bench.run(&(text + functions), None);
    for index in 0..rows * columns {
        let row = index / columns;
        let line: f32 = x[row * columns..][..columns].iter().map(|x| x + row as f32).sum();
        assert_eq!(f32::from_bits(bench.get(3, 4, index) as u32), 2.0 * line, "{index}");
    }
}

/// The specification's tensor layout.
#[derive(Clone)]
struct Layout {
    mode: u32,
    block: Vec<u32>,
    size: Vec<u32>,
    stride: Vec<u32>,
    offset: Vec<i32>,
    span: Vec<u32>,
}

/// The specification's tensor view that has dimensions.
struct View {
    size: Vec<u32>,
    permutation: Vec<usize>,
    /// Offset and span of rows, and of columns.
    clip: [u32; 4],
}

/// Where an element is.
#[derive(Debug, PartialEq)]
enum Found {
    Clipped,
    Outside,
    /// Its number in memory, and the coordinates of its block and in it.
    At(u32, Vec<u32>, Vec<u32>),
}

impl Layout {
    /// `matrixCoordToTensorElement`, `matrixCoordToTensorElementWithView`
    fn find(
        &self,
        view: Option<&View>,
        mut row: u32,
        mut column: u32,
        columns: u32,
        is_store: bool,
    ) -> Found {
        let mut width = columns;
        if let Some(View { clip: [first_row, rows, first_column, columns], .. }) = view {
            let is_inside = |at: u32, first: u32, span: u32| at >= first && at - first < span;
            if !is_inside(row, *first_row, *rows) || !is_inside(column, *first_column, *columns) {
                return Found::Clipped;
            }
            (row, column, width) = (row - first_row, column - first_column, width.min(*columns));
        }
        let mut index = row * width + column;
        if let Some(view) = view {
            let mut at = vec![0; view.size.len()];
            for &place in view.permutation.iter().rev() {
                at[place] = index % view.size[place];
                index /= view.size[place];
            }
            index = at.iter().zip(&view.size).fold(0, |index, (at, size)| index * size + at);
        }
        let mut at = vec![0; self.span.len()];
        for (at, span) in at.iter_mut().zip(&self.span).rev() {
            *at = index % span;
            index /= span;
        }
        let (mut number, mut blocks, mut inner) = (0, Vec::new(), Vec::new());
        for (place, at) in at.into_iter().enumerate() {
            let size = self.size[place] as i32;
            let mut at = at as i32 + self.offset[place];
            if at < 0 || at >= size {
                match (self.mode, is_store) {
                    (1, _) | (_, true) => return Found::Outside,
                    (2, _) => at = at.clamp(0, size - 1),
                    (3, _) => at = at.rem_euclid(size),
                    _ => {
                        at = at.rem_euclid(2 * size - 2);
                        at = if at >= size { 2 * size - 2 - at } else { at };
                    }
                }
            }
            let at = at as u32;
            number += at / self.block[place] * self.stride[place];
            blocks.push(at / self.block[place]);
            inner.push(at % self.block[place]);
        }
        Found::At(number, blocks, inner)
    }

    /// The constants and instructions that make `%layout`.
    fn text(&self) -> (String, String) {
        let mut declarations = format!(
            "%tensor_dim = OpConstant %uint {} %tensor_mode = OpConstant %uint {}
            %tensor_layout = OpTypeTensorLayoutNV %tensor_dim %tensor_mode %tensor_value = OpConstant %uint 0x42f60000\n",
            self.size.len(),
            self.mode
        );
        let mut list = |name: &str, numbers: &[u32]| {
            let mut ids = String::new();
            for (index, number) in numbers.iter().enumerate() {
                declarations += &format!("%{name}{index} = OpConstant %uint {number}\n");
                ids += &format!(" %{name}{index}");
            }
            ids
        };
        let slice: Vec<u32> = self.offset.iter().zip(&self.span).flat_map(|(&a, &b)| [a as u32, b]).collect();
        let [block, size, stride, slice] = [
            list("tensor_block", &self.block),
            list("tensor_size", &self.size),
            list("tensor_stride", &self.stride),
            list("tensor_slice", &slice),
        ];
        let body = format!(
            "%layout_a = OpCreateTensorLayoutNV %tensor_layout
            %layout_b = OpTensorLayoutSetBlockSizeNV %tensor_layout %layout_a{block}
            %layout_c = OpTensorLayoutSetDimensionNV %tensor_layout %layout_b{size}
            %layout_d = OpTensorLayoutSetStrideNV %tensor_layout %layout_c{stride}
            %layout_e = OpTensorLayoutSetClampValueNV %tensor_layout %layout_d %tensor_value
            OpStore %layout_variable %layout_e
            %layout_f = OpLoad %tensor_layout %layout_variable
            %layout = OpTensorLayoutSliceNV %tensor_layout %layout_f{slice}\n"
        );
        declarations += "%to_layout = OpTypePointer Function %tensor_layout\n";
        (declarations, format!("%layout_variable = OpVariable %to_layout Function\nOpNop\n{body}"))
    }
}

impl View {
    fn text(&self) -> (String, String) {
        let mut declarations = String::from("%view_dimensions = OpConstantTrue %bool\n");
        let mut list = |name: &str, numbers: &[u32]| {
            let mut ids = String::new();
            for (index, number) in numbers.iter().enumerate() {
                declarations += &format!("%{name}{index} = OpConstant %uint {number}\n");
                ids += &format!(" %{name}{index}");
            }
            ids
        };
        let order: Vec<u32> = self.permutation.iter().map(|&place| place as u32).collect();
        let [count, size, order, clip] = [
            list("view_dim", &[self.size.len() as u32]),
            list("view_size", &self.size),
            list("view_order", &order),
            list("view_clip", &self.clip),
        ];
        declarations += &format!("%tensor_view = OpTypeTensorViewNV{count} %view_dimensions{order}\n");
        let body = format!(
            "%view_a = OpCreateTensorViewNV %tensor_view
            %view_b = OpTensorViewSetDimensionNV %tensor_view %view_a{size}
            %view = OpTensorViewSetClipNV %tensor_view %view_b{clip}\n"
        );
        (declarations, body)
    }
}

fn layouts(mode: u32) -> [Layout; 2] {
    let ones = |count| vec![1; count];
    [
        Layout {
            mode,
            block: ones(2),
            size: vec![20, 24],
            stride: vec![30, 1],
            offset: vec![-3, 13],
            span: vec![16, 16],
        },
        Layout {
            mode,
            block: ones(3),
            size: vec![5, 6, 7],
            stride: vec![50, 8, 1],
            offset: vec![3, -2, 5],
            span: vec![4, 8, 8],
        },
    ]
}

#[test]
fn tensors_are_loaded_and_stored_by_layouts_and_views() {
    let bench = Bench::new();
    let mut random = Random::new(25);
    let x = numbers(&bench, &mut random, 1024);
    let view = View { size: vec![8, 4, 8], permutation: vec![2, 0, 1], clip: [2, 13, 1, 14] };
    for workgroup in [None, Some(64)] {
        for (mode, has_view) in [(1, false), (2, false), (3, false), (4, false), (1, true), (3, true)] {
            for layout in layouts(mode) {
                let view = has_view.then_some(&view);
                let (mut declarations, mut setup) = layout.text();
                let operands = if let Some(view) = view {
                    let (more, body) = view.text();
                    declarations += &more;
                    setup += &body;
                    "TensorView %view"
                } else {
                    "None"
                };
                declarations += "%f_7 = OpConstant %k1 7 %before = OpConstantComposite %m2 %f_7\n";
                let body = format!(
                    "{setup}%r = OpCooperativeMatrixLoadTensorNV %m2 %p2 %before %layout None {operands}\n{STORE}"
                );
                let found = run(&bench, [[16, 16]; 2], &declarations, &body, "", workgroup);
                for (index, &found) in found.iter().enumerate() {
                    let expected = match layout.find(view, index as u32 / 16, index as u32 % 16, 16, false) {
                        Found::Clipped => 7.0,
                        Found::Outside => 123.0,
                        Found::At(number, ..) => x[number as usize],
                    };
                    assert_eq!(found, expected, "element {index}, mode {mode}, {has_view}, {workgroup:?}");
                }
                // Stored: outside nothing, wherever loads would be.
                let body =
                    format!("{setup}{LOAD}OpCooperativeMatrixStoreTensorNV %p3 %x %layout None {operands}\n");
                let found = run(&bench, [[16, 16], [32, 32]], &declarations, &body, "", workgroup);
                let mut expected = vec![f32::from_bits(0xeeee_eeee); found.len()];
                for index in 0..256 {
                    if let Found::At(number, ..) = layout.find(view, index / 16, index % 16, 16, true) {
                        expected[number as usize] = x[index as usize];
                    }
                }
                let bits = |list: &[f32]| list.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&found), bits(&expected), "mode {mode}, {has_view}, {workgroup:?}");
            }
        }
    }
}

/// How four elements in a row are the bytes of a word, each with the block's other word added, and what
/// depends on the block's place: the types that the functions have.
const DECODING_TYPES: &str =
    "%pair = OpTypeStruct %uint %uint %to_pair = OpTypePointer PhysicalStorageBuffer %pair
    %to_word = OpTypePointer PhysicalStorageBuffer %uint
    %two = OpTypeArray %uint %uint_2
    %decode_type = OpTypeFunction %k1 %to_pair %two %two
    %k1_4 = OpTypeVector %k1 4 %decode_vector_type = OpTypeFunction %k1_4 %to_pair %two %two
    %uint_8 = OpConstant %uint 8 %uint_24 = OpConstant %uint 24 %uint_255 = OpConstant %uint 255
    %f_7 = OpConstant %k1 7 %before = OpConstantComposite %m2 %f_7\n";

/// A function that decodes an element.
const DECODE: &str = "%decode = OpFunction %k1 None %decode_type
    %block = OpFunctionParameter %to_pair
    %block_place = OpFunctionParameter %two
    %inner_place = OpFunctionParameter %two
    %decode_entry = OpLabel
    %to_first = OpAccessChain %to_word %block %uint_0
    %first = OpLoad %uint %to_first Aligned 4
    %to_second = OpAccessChain %to_word %block %uint_1
    %second = OpLoad %uint %to_second Aligned 4
    %inner = OpCompositeExtract %uint %inner_place 1
    %shift = OpIMul %uint %inner %uint_8
    %shifted = OpShiftRightLogical %uint %first %shift
    %byte = OpBitwiseAnd %uint %shifted %uint_255
    %low = OpBitwiseAnd %uint %second %uint_255
    %block_row = OpCompositeExtract %uint %block_place 0
    %block_column = OpCompositeExtract %uint %block_place 1
    %places = OpIMul %uint %block_row %block_column
    %sum = OpIAdd %uint %byte %low
    %all = OpIAdd %uint %sum %places
    %decoded = OpConvertUToF %k1 %all
    OpReturnValue %decoded OpFunctionEnd\n";

/// A function that decodes the four elements of a block, by calls of the other.
const DECODE_VECTOR: &str = "%decode_vector = OpFunction %k1_4 None %decode_vector_type
    %v_block = OpFunctionParameter %to_pair
    %v_block_place = OpFunctionParameter %two
    %v_inner_place = OpFunctionParameter %two
    %decode_vector_entry = OpLabel
    %v_p1 = OpCompositeInsert %two %uint_1 %v_inner_place 1
    %v_p2 = OpCompositeInsert %two %uint_2 %v_inner_place 1
    %v_p3 = OpCompositeInsert %two %uint_3 %v_inner_place 1
    %v_0 = OpFunctionCall %k1 %decode %v_block %v_block_place %v_inner_place
    %v_1 = OpFunctionCall %k1 %decode %v_block %v_block_place %v_p1
    %v_2 = OpFunctionCall %k1 %decode %v_block %v_block_place %v_p2
    %v_3 = OpFunctionCall %k1 %decode %v_block %v_block_place %v_p3
    %v_all = OpCompositeConstruct %k1_4 %v_0 %v_1 %v_2 %v_3
    OpReturnValue %v_all OpFunctionEnd\n";

/// Blocks of one row and four columns.
fn layout_of_blocks() -> Layout {
    Layout {
        mode: 1,
        block: vec![1, 4],
        size: vec![18, 64],
        stride: vec![17, 1],
        offset: vec![4, 8],
        span: vec![16, 32],
    }
}

/// A shader that loads a matrix of 16 rows and 32 columns in blocks, with these tensor addressing operands.
fn decoding_text(operands: &str, functions: &str, workgroup: Option<u32>) -> String {
    let (mut declarations, setup) = layout_of_blocks().text();
    declarations += DECODING_TYPES;
    let body = format!(
        "{setup}%r = OpCooperativeMatrixLoadTensorNV %m2 %p2 %before %layout None {operands}\n{STORE}"
    );
    let [from, to] = [shape(16, 32); 2];
    let mut text = text(FLOATS, &[shape(16, 16), shape(16, 16), from, to], &declarations, &body)
        .replace("OpCapability Shader ", "OpCapability Shader OpCapability PhysicalStorageBufferAddresses ")
        .replace("OpMemoryModel Logical", "OpMemoryModel PhysicalStorageBuffer64")
        .replace(
            "OpDecorate %a0 ",
            "OpDecorate %pair Block OpMemberDecorate %pair 0 Offset 0 OpMemberDecorate %pair 1 Offset 4
            OpDecorate %a0 ",
        );
    text = with_capabilities(&text) + functions;
    if operands.contains("Vector") {
        text = text
            .replace(
                "OpCapability TensorAddressingNV ",
                "OpCapability TensorAddressingNV OpCapability CooperativeMatrixDecodeVectorNV ",
            )
            .replace(
                "OpMemoryModel",
                "OpExtension \"SPV_NV_cooperative_matrix_decode_vector\" OpMemoryModel",
            );
    }
    match workgroup {
        Some(invocations) => of_workgroup(&text).replace("LocalSize 16", &format!("LocalSize {invocations}")),
        None => text,
    }
}

#[test]
fn blocks_are_decoded() {
    let bench = Bench::new();
    let mut random = Random::new(26);
    let words: Vec<u32> = (0..1024)
        .map(|index| {
            let word = random.bits() as u32;
            bench.put(2, 4, index, word.into());
            word
        })
        .collect();
    let layout = layout_of_blocks();
    let both = [DECODE, DECODE_VECTOR].concat();
    for (operands, functions) in
        [("DecodeFunc %decode", DECODE), ("DecodeFunc|DecodeVectorFunc %decode %decode_vector", &both)]
    {
        for workgroup in [None, Some(32)] {
            bench.fill(3, 0);
            bench.run(&decoding_text(operands, functions, workgroup), None);
            for index in 0..512 {
                let found = f32::from_bits(bench.get(3, 4, index) as u32);
                let expected = match layout.find(None, index as u32 / 32, index as u32 % 32, 32, false) {
                    Found::At(number, block, inner) => {
                        let [first, second] = [0, 1].map(|word| words[2 * number as usize + word]);
                        let byte = first >> (8 * inner[1]) & 255;
                        (byte + (second & 255) + block[0] * block[1]) as f32
                    }
                    _ => 123.0,
                };
                assert_eq!(found, expected, "element {index}, {operands}, {workgroup:?}");
            }
        }
    }
}

/// What cannot be decoded is refused, and nothing runs.
#[test]
fn functions_that_do_not_decode_are_refused() {
    let bench = Bench::new();
    let both = [DECODE, DECODE_VECTOR].concat();
    // What the functions are by which no element is decoded, only strict checking says.
    for (operands, is_accepted) in [
        ("DecodeFunc|DecodeVectorFunc %decode %decode_vector", true),
        ("DecodeVectorFunc %decode_vector", false),
        ("DecodeFunc|DecodeVectorFunc %decode_vector %decode_vector", false),
        ("DecodeFunc|DecodeVectorFunc %decode_vector %decode", false),
        ("DecodeFunc|DecodeVectorFunc %f_7 %decode_vector", false),
        ("DecodeFunc|DecodeVectorFunc %decode %f_7", true),
        ("DecodeFunc|DecodeVectorFunc %decode %decode", true),
    ] {
        let text = decoding_text(operands, &both, None);
        assert_eq!(bench.accepts(&text), is_accepted, "{operands}");
    }
}
