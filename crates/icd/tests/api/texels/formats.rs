//! Storage images of all formats that shaders can name, and without a name.

use super::*;

/// Formats of the extended list: as shaders name them, and what a texel has, in bytes and components.
const FORMATS: &[(&str, vk::Format, &str)] = &[
    ("Rg32f", vk::Format::R32G32_SFLOAT, "float"),
    ("Rg16f", vk::Format::R16G16_SFLOAT, "float"),
    ("R11fG11fB10f", vk::Format::B10G11R11_UFLOAT_PACK32, "float"),
    ("R16f", vk::Format::R16_SFLOAT, "float"),
    ("Rgba16", vk::Format::R16G16B16A16_UNORM, "float"),
    ("Rgb10A2", vk::Format::A2B10G10R10_UNORM_PACK32, "float"),
    ("Rg16", vk::Format::R16G16_UNORM, "float"),
    ("Rg8", vk::Format::R8G8_UNORM, "float"),
    ("R16", vk::Format::R16_UNORM, "float"),
    ("R8", vk::Format::R8_UNORM, "float"),
    ("Rgba16Snorm", vk::Format::R16G16B16A16_SNORM, "float"),
    ("Rg16Snorm", vk::Format::R16G16_SNORM, "float"),
    ("Rg8Snorm", vk::Format::R8G8_SNORM, "float"),
    ("R16Snorm", vk::Format::R16_SNORM, "float"),
    ("R8Snorm", vk::Format::R8_SNORM, "float"),
    ("Rg32i", vk::Format::R32G32_SINT, "int"),
    ("Rg16i", vk::Format::R16G16_SINT, "int"),
    ("Rg8i", vk::Format::R8G8_SINT, "int"),
    ("R16i", vk::Format::R16_SINT, "int"),
    ("R8i", vk::Format::R8_SINT, "int"),
    ("Rgb10a2ui", vk::Format::A2B10G10R10_UINT_PACK32, "uint"),
    ("Rg32ui", vk::Format::R32G32_UINT, "uint"),
    ("Rg16ui", vk::Format::R16G16_UINT, "uint"),
    ("Rg8ui", vk::Format::R8G8_UINT, "uint"),
    ("R16ui", vk::Format::R16_UINT, "uint"),
    ("R8ui", vk::Format::R8_UINT, "uint"),
];

/// A texel that is cleared to a colour is read as that colour, and one that a shader writes is the same, by
/// the format's name and without it.
#[test]
fn storage_images_have_all_formats_named_or_not() {
    let context = context(&[], std::ptr::null_mut());
    for &(name, format, component) in FORMATS {
        let picture = Picture::new(&context, flat(format, 4, 1));
        let color = match component {
            "float" => vk::ClearColorValue { float32: [0.5, 0.25, 1.0, 0.0] },
            _ => vk::ClearColorValue { uint32: [3, 2, 1, 1] },
        };
        context.run(|commands| unsafe {
            let general = vk::ImageLayout::GENERAL;
            context.device.cmd_clear_color_image(commands, picture.image, general, &color, &[whole()]);
        });
        let cleared = picture.texels(&context, 8);
        let view = picture.view(&context, vk::ImageViewType::_2D);
        let mut answers = Vec::new();
        for of_type in [name, "Unknown"] {
            let extract: String = (0..4)
                .map(|at| {
                    format!(
                        "%e{at} = OpCompositeExtract %{component} %t {at}\n%r{at} = {} %uint %e{at}\n",
                        if component == "uint" { "OpCopyObject" } else { "OpBitcast" }
                    )
                })
                .collect();
            // The second texel is cleared with the first, the third and fourth are written.
            let body = format!(
                "%t = OpImageRead %texel %image %origin
                {extract}
                %other = OpCompositeConstruct %uint2 %uint_1 %uint_0
                %black = OpCopyObject %texel %nothing
                OpImageWrite %image %other %black
                %third = OpCompositeConstruct %uint2 %uint_2 %uint_0
                OpImageWrite %image %third %black
                OpImageWrite %image %third %t"
            );
            let head = "OpCapability StorageImageExtendedFormats
                OpCapability StorageImageReadWithoutFormat
                OpCapability StorageImageWriteWithoutFormat";
            let image = format!("2D 0 0 0 2 {of_type}");
            let question = Question { head, image: &image, component, types: "", body: &body };
            answers.push(question.ask(&context, view, None));
            let found = picture.texels(&context, 8);
            let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_ne_bytes()).collect::<Vec<u8>>();
            let (found, mut expected) = (bytes(&found), bytes(&cleared));
            let size = bytes_of(format);
            expected[size..2 * size].fill(0);
            assert_eq!(found, expected, "{name} as {of_type}");
        }
        assert_eq!(answers[0], answers[1], "{name}");
        let known = match component {
            "float" => answers[0].map(f32::from_bits),
            _ => answers[0].map(|word| word as f32),
        };
        let full = if component == "float" { [0.5, 0.25, 1.0, 0.0] } else { [3.0, 2.0, 1.0, 1.0] };
        let has = if name.starts_with("Rgb") || name.starts_with("R11") {
            4
        } else if name.starts_with("Rg") {
            2
        } else {
            1
        };
        for at in 0..has {
            let expected = if name.starts_with("R11") && at == 3 { 1.0 } else { full[at] };
            assert!((known[at] - expected).abs() < 0.01, "{name}: {known:?}");
        }
        destroy(&context, &[view], &[]);
        picture.destroy(&context);
    }
}

/// Bytes of a texel.
fn bytes_of(format: vk::Format) -> usize {
    match format {
        vk::Format::R8_UNORM | vk::Format::R8_SNORM | vk::Format::R8_SINT | vk::Format::R8_UINT => 1,
        vk::Format::R16G16B16A16_UNORM
        | vk::Format::R16G16B16A16_SNORM
        | vk::Format::R32G32_SFLOAT
        | vk::Format::R32G32_SINT
        | vk::Format::R32G32_UINT => 8,
        vk::Format::R8G8_UNORM
        | vk::Format::R8G8_SNORM
        | vk::Format::R8G8_SINT
        | vk::Format::R8G8_UINT
        | vk::Format::R16_SFLOAT
        | vk::Format::R16_UNORM
        | vk::Format::R16_SNORM
        | vk::Format::R16_SINT
        | vk::Format::R16_UINT => 2,
        _ => 4,
    }
}
