//! Floats of 4 to 16 bits in shaders: dot products with a wider accumulator
//! (`VK_VALVE_shader_mixed_float_dot_product`), and OCP's microscaling formats
//! (`VK_EXT_shader_ocp_microscaling_types`).

use pyro_driver::registry_supplement as new;
use pyro_test_kit::compute::{Compute, shader};
use std::ptr::from_mut;
use vulkanalia::prelude::v1_3::*;

/// Runs a shader once for each invocation over a buffer that holds these words first.
fn run(context: &Compute, text: &str, invocations: u32, words: &[u32]) -> Vec<u32> {
    let buffer = context.buffer(words.len());
    words.iter().enumerate().for_each(|(index, &word)| buffer.put(index, word));
    let flags = vk::DescriptorSetLayoutCreateFlags::empty();
    let set_layout = context.set_layout(flags, &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let (set, layout) = (context.set(set_layout), context.layout(&[set_layout]));
    context.write(set, buffer.buffer);
    let pipeline = context.pipeline(layout, text);
    let point = vk::PipelineBindPoint::COMPUTE;
    context.run(|commands| unsafe {
        context.device.cmd_bind_pipeline(commands, point, pipeline);
        context.device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
        context.device.cmd_dispatch(commands, invocations, 1, 1);
    });
    buffer.words()
}

fn with(text: &str, capabilities: &str, extensions: &str, types: &str) -> String {
    text.replace("OpCapability Shader", &format!("OpCapability Shader {capabilities}"))
        .replace("OpMemoryModel", &format!("{extensions} OpMemoryModel"))
        .replace("%uint_0 = OpConstant", &format!("{types} %uint_0 = OpConstant"))
}

/// A number that the format has, as its bits: so many of exponent and mantissa below a sign.
fn bits(number: f32, exponent: u32, mantissa: u32) -> u32 {
    if number == 0.0 {
        return 0;
    }
    let word = number.to_bits();
    let bias = (1 << (exponent - 1)) - 1;
    let field = (word >> 23 & 0xff) as i32 - 127 + bias;
    assert!(field > 0 && word << (9 + mantissa) == 0, "{number}");
    (word >> 31) << (exponent + mantissa) | (field as u32) << mantissa | (word & 0x7f_ffff) >> (23 - mantissa)
}

/// A kind of product: its instruction, the components of vectors, the result, and their fields.
struct Product {
    op: &'static str,
    component: &'static str,
    count: u32,
    result: &'static str,
    fields: [u32; 2],
}

const PRODUCTS: [Product; 6] = [
    Product { op: "FDot2MixAcc32VALVE", component: "%half", count: 2, result: "%float", fields: [5, 10] },
    Product { op: "FDot2MixAcc32VALVE", component: "%bfloat", count: 2, result: "%float", fields: [8, 7] },
    Product { op: "FDot2MixAcc16VALVE", component: "%half", count: 2, result: "%half", fields: [5, 10] },
    Product { op: "FDot2MixAcc16VALVE", component: "%bfloat", count: 2, result: "%bfloat", fields: [8, 7] },
    Product { op: "FDot4MixAcc32VALVE", component: "%e4m3", count: 4, result: "%float", fields: [4, 3] },
    Product { op: "FDot4MixAcc32VALVE", component: "%e5m2", count: 4, result: "%float", fields: [5, 2] },
];

/// Word 3 of each invocation's four words is the product of words 0 and 1, added to word 2.
fn multiplying(product: &Product) -> String {
    let Product { op, component, count, result, .. } = product;
    let is_wide = *result == "%float";
    let (read, write) = match is_wide {
        true => ("%acc = OpBitcast %float %c", "%r = OpBitcast %uint %dot"),
        false => (
            "%short = OpUConvert %ushort %c %acc = OpBitcast %result %short",
            "%back = OpBitcast %ushort %dot %r = OpUConvert %uint %back",
        ),
    };
    let read = read.replace("%result", result);
    let body = format!(
        "%base = OpIMul %uint %gid %uint_4
         %pa = OpAccessChain %word %buffer %uint_0 %base %a = OpLoad %uint %pa
         %second = OpIAdd %uint %base %uint_1
         %pb = OpAccessChain %word %buffer %uint_0 %second %b = OpLoad %uint %pb
         %third = OpIAdd %uint %base %uint_2
         %pc = OpAccessChain %word %buffer %uint_0 %third %c = OpLoad %uint %pc
         %last = OpIAdd %uint %base %uint_3
         %pd = OpAccessChain %word %buffer %uint_0 %last
         %x = OpBitcast %vector %a %y = OpBitcast %vector %b
         {read}
         %dot = Op{op} {result} %x %y %acc
         {write}
         OpStore %pd %r"
    );
    with(
        &shader(&body),
        "OpCapability Int16 OpCapability Float16 OpCapability BFloat16TypeKHR OpCapability Float8EXT
         OpCapability DotProductFloat16AccFloat32VALVE OpCapability DotProductFloat16AccFloat16VALVE
         OpCapability DotProductBFloat16AccVALVE OpCapability DotProductFloat8AccFloat32VALVE",
        "OpExtension \"SPV_KHR_bfloat16\" OpExtension \"SPV_EXT_float8\"
         OpExtension \"SPV_VALVE_mixed_float_dot_product\"",
        &format!(
            "%ushort = OpTypeInt 16 0
             %half = OpTypeFloat 16
             %float = OpTypeFloat 32
             %bfloat = OpTypeFloat 16 BFloat16KHR
             %e4m3 = OpTypeFloat 8 Float8E4M3EXT
             %e5m2 = OpTypeFloat 8 Float8E5M2EXT
             %vector = OpTypeVector {component} {count}"
        ),
    )
}

#[test]
fn small_floats_are_multiplied_exactly_and_added_up_in_32_bits() {
    let mut dots = new::PhysicalDeviceShaderMixedFloatDotProductFeaturesVALVE {
        shader_mixed_float_dot_product_float16_acc_float32: 1,
        shader_mixed_float_dot_product_float16_acc_float16: 1,
        shader_mixed_float_dot_product_b_float16_acc: 1,
        shader_mixed_float_dot_product_float8_acc_float32: 1,
        ..Default::default()
    };
    let extensions =
        [c"VK_VALVE_shader_mixed_float_dot_product", c"VK_KHR_shader_bfloat16", c"VK_EXT_shader_float8"];
    let context = Compute::new(vk::make_version(1, 3, 0), &extensions, from_mut(&mut dots).cast());
    for product in &PRODUCTS {
        let [exponent, mantissa] = product.fields;
        // The greatest whole number below which all are, and sums that a step in the narrow type would lose.
        let whole = (1 << (mantissa + 1)) as f32;
        let mut cases: Vec<[Vec<f32>; 3]> = vec![
            [vec![1.0, 2.0, 0.5, -4.0], vec![3.0, -0.25, 8.0, 1.5], vec![0.25]],
            [vec![0.0; 4], vec![1.0; 4], vec![-3.0]],
            [vec![-1.5, 1.5, 1.0, 1.0], vec![1.5, 1.5, 1.0, -1.0], vec![0.0]],
        ];
        if product.result != "%float" {
            cases.push([vec![whole, 1.0], vec![1.0, 1.0], vec![1.0]]);
        }
        let count = product.count as usize;
        let width = 32 / product.count;
        let pack = |numbers: &[f32]| {
            let fields = numbers[..count].iter().rev();
            fields.fold(0, |word: u32, &number| {
                word.checked_shl(width).unwrap_or(0) | bits(number, exponent, mantissa)
            })
        };
        let narrow = |number: f32| match product.result {
            "%float" => number.to_bits(),
            _ => bits(number, exponent, mantissa),
        };
        let words: Vec<u32> =
            cases.iter().flat_map(|[x, y, acc]| [pack(x), pack(y), narrow(acc[0]), 0]).collect();
        let found = run(&context, &multiplying(product), cases.len() as u32, &words);
        for (index, [x, y, acc]) in cases.iter().enumerate() {
            let sum: f32 = x.iter().zip(y).take(count).map(|(x, y)| x * y).sum::<f32>() + acc[0];
            let (op, component) = (product.op, product.component);
            assert_eq!(found[4 * index + 3], narrow(sum), "{op} {component} {x:?} {y:?} {acc:?}");
        }
    }
}

/// A microscaling format: its type, how a word becomes it, and what a code is.
struct Format {
    ty: &'static str,
    extract: &'static str,
    width: u32,
    value: fn(u32) -> f64,
}

/// A float of so many bits of exponent and mantissa, without infinities and NaNs.
fn small(code: u32, exponent: u32, mantissa: u32) -> f64 {
    let field = code >> mantissa & ((1 << exponent) - 1);
    let fraction = f64::from(code & ((1 << mantissa) - 1)) / f64::from(1 << mantissa);
    let bias = (1 << (exponent - 1)) - 1;
    let magnitude = match field {
        0 => fraction * 2f64.powi(1 - bias),
        _ => (1.0 + fraction) * 2f64.powi(field as i32 - bias),
    };
    if code >> (exponent + mantissa) & 1 == 1 { -magnitude } else { magnitude }
}

const FORMATS: [Format; 5] = [
    Format { ty: "4 Float4E2M1EXT", extract: "Extract", width: 4, value: |code| small(code, 2, 1) },
    Format { ty: "6 Float6E2M3EXT", extract: "Extract", width: 6, value: |code| small(code, 2, 3) },
    Format { ty: "6 Float6E3M2EXT", extract: "Extract", width: 6, value: |code| small(code, 3, 2) },
    Format {
        ty: "8 Float8UnsignedE8M0EXT",
        extract: "",
        width: 8,
        value: |code| if code == 255 { f64::NAN } else { 2f64.powi(code as i32 - 127) },
    },
    Format { ty: "8 MXInt8EXT", extract: "", width: 8, value: |code| f64::from(code as u8 as i8) / 64.0 },
];

fn microscaling(body: &str, ty: &str) -> String {
    with(
        &shader(body),
        "OpCapability Int8 OpCapability Int16 OpCapability Float16 OpCapability Float8EXT OpCapability Float4EXT
         OpCapability Float6EXT OpCapability Float8UnsignedE8M0EXT OpCapability MXInt8EXT
         OpCapability BitcastExtractEXT",
        "OpExtension \"SPV_EXT_float8\" OpExtension \"SPV_EXT_ocp_microscaling_types\"",
        &format!(
            "%ubyte = OpTypeInt 8 0
             %ushort = OpTypeInt 16 0
             %half = OpTypeFloat 16
             %float = OpTypeFloat 32
             %e4m3 = OpTypeFloat 8 Float8E4M3EXT
             %small = OpTypeFloat {ty}
             %small4 = OpTypeVector %small 4
             %four = OpTypeArray %small %k4
             %fours = OpTypePointer Function %four
             %small_pointer = OpTypePointer Function %small
             %k40 = OpConstant %uint 40"
        ),
    )
    .replace("%ubyte =", "%k4 = OpConstant %uint 4 %ubyte =")
    // Variables come first.
    .replace("%ids = OpLoad", "%array = OpVariable %fours Function %ids = OpLoad")
    .replace("%array = OpTypeRuntimeArray", "%words = OpTypeRuntimeArray")
    .replace("OpDecorate %array", "OpDecorate %words")
    .replace("%block = OpTypeStruct %array", "%block = OpTypeStruct %words")
}

fn types_context() -> Compute {
    let mut types = new::PhysicalDeviceShaderOCPMicroscalingTypesFeaturesEXT {
        shader_float4: 1,
        shader_float6: 1,
        shader_float8_unsigned_e8_m0: 1,
        shader_m_x_int8: 1,
        ..Default::default()
    };
    let extensions = [c"VK_EXT_shader_ocp_microscaling_types", c"VK_EXT_shader_float8"];
    Compute::new(vk::make_version(1, 3, 0), &extensions, from_mut(&mut types).cast())
}

#[test]
fn every_code_of_the_microscaling_formats_is_its_number() {
    let context = types_context();
    for format in &FORMATS {
        // Codes lie behind other bits, and pass through a local array.
        let make = match format.extract {
            "" => "%byte = OpUConvert %ubyte %gid %x = OpBitcast %small %byte".to_owned(),
            _ => "%up = OpShiftLeftLogical %uint %gid %uint_3 %noise = OpBitwiseOr %uint %up %uint_3
                  %x = OpBitcastExtractEXT %small %noise %uint_3"
                .to_owned(),
        };
        let body = format!(
            "{make}
             %index = OpBitwiseAnd %uint %gid %uint_3
             %own = OpAccessChain %small_pointer %array %index
             OpStore %own %x
             %y = OpLoad %small %own
             %wide = OpFConvert %float %y
             %bits = OpBitcast %uint %wide
             %place = OpAccessChain %word %buffer %uint_0 %gid
             OpStore %place %bits"
        );
        let count = 1 << format.width;
        let found = run(&context, &microscaling(&body, format.ty), count, &vec![0; count as usize]);
        for code in 0..count {
            let (found, expected) = (f32::from_bits(found[code as usize]), (format.value)(code));
            let is_same = found.to_bits() == (expected as f32).to_bits();
            assert!(is_same || found.is_nan() && expected.is_nan(), "{} {code}: {found}", format.ty);
        }
    }
}

#[test]
fn microscaling_formats_become_other_floats_and_bits() {
    let context = types_context();
    // Two codes as halves, and one as an 8-bit float.
    let body = |make: &str| {
        format!(
            "{make}
             %h = OpFConvert %half %x
             %hb = OpBitcast %ushort %h
             %hw = OpUConvert %uint %hb
             %f = OpFConvert %e4m3 %x
             %fb = OpBitcast %ubyte %f
             %fw = OpUConvert %uint %fb
             %shift = OpShiftLeftLogical %uint %fw %k16
             %both = OpBitwiseOr %uint %hw %shift
             %place = OpAccessChain %word %buffer %uint_0 %gid
             OpStore %place %both"
        )
    };
    let text = |make: &str, ty: &str| {
        microscaling(&body(make), ty).replace("%k40 =", "%k16 = OpConstant %uint 16 %k40 =")
    };
    let six = text("%x = OpBitcastExtractEXT %small %gid %uint_0", "6 Float6E3M2EXT");
    for (code, word) in (0..).zip(run(&context, &six, 64, &[0; 64])) {
        let value = small(code, 3, 2) as f32;
        let half = match code & 31 {
            0 => (code >> 5) << 15,
            _ => bits(value, 5, 10),
        };
        let byte = match code & 31 {
            0 => (code >> 5) << 7,
            _ => bits(value, 4, 3),
        };
        assert_eq!(word, half | byte << 16, "{code}");
    }
    // Scales beyond what halves hold.
    let scale = text("%byte = OpUConvert %ubyte %gid %x = OpBitcast %small %byte", "8 Float8UnsignedE8M0EXT");
    let found = run(&context, &scale, 256, &[0; 256]);
    assert_eq!([found[127], found[142], found[143]].map(|word| word & 0xffff), [0x3c00, 0x7800, 0x7c00]);
    assert_eq!([found[102], found[103]].map(|word| word & 0xffff), [0, 1]);
    // Four codes of four bits are sixteen.
    let pack = "%b = OpShiftRightLogical %uint %gid %uint_1
        %x0 = OpBitcastExtractEXT %small %gid %uint_0
        %x1 = OpBitcastExtractEXT %small %b %uint_0
        %x2 = OpBitcastExtractEXT %small %gid %uint_4
        %v = OpCompositeConstruct %small4 %x0 %x1 %x2 %x0
        %packed = OpBitcast %ushort %v
        %r = OpUConvert %uint %packed
        %place = OpAccessChain %word %buffer %uint_0 %gid
        OpStore %place %r";
    let found = run(&context, &microscaling(pack, "4 Float4E2M1EXT"), 256, &[0; 256]);
    for (code, word) in (0u32..).zip(found) {
        let expected = code & 15 | (code >> 1 & 15) << 4 | (code >> 4) << 8 | (code & 15) << 12;
        assert_eq!(word, expected, "{code}");
    }
    // An offset beyond the base gives anything, and the device goes on.
    let beyond = "%x = OpBitcastExtractEXT %small %gid %k40
        %wide = OpFConvert %float %x
        %bits = OpBitcast %uint %wide
        %place = OpAccessChain %word %buffer %uint_0 %gid
        OpStore %place %bits";
    run(&context, &microscaling(beyond, "4 Float4E2M1EXT"), 16, &[0; 16]);
}
