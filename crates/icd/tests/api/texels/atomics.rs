//! Atomics on texels of 64-bit integers and of floats, in images that are sparse or not.

use super::*;

/// Of one row of texels.
fn image(context: &Compute, format: vk::Format, sparse: bool) -> Picture {
    let mut info = flat(format, 16, 1);
    if !sparse {
        return Picture::new(context, info);
    }
    info.flags = vk::ImageCreateFlags::SPARSE_BINDING | vk::ImageCreateFlags::SPARSE_RESIDENCY;
    let device = &context.device;
    unsafe {
        let image = device.create_image(&info, None).expect("a sparse image");
        let needs = device.get_image_memory_requirements(image);
        let (memory, _) = context.mapped_memory(needs);
        let bind = vk::SparseImageMemoryBind {
            subresource: vk::ImageSubresource {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                ..Default::default()
            },
            extent: info.extent,
            memory,
            ..Default::default()
        };
        let binds = vk::SparseImageMemoryBindInfo::builder().image(image).binds(slice::from_ref(&bind));
        let info_ = vk::BindSparseInfo::builder().image_binds(slice::from_ref(&binds));
        device.queue_bind_sparse(context.queue, &[info_], vk::Fence::null()).expect("bound");
        device.queue_wait_idle(context.queue).expect("idle");
        Picture { image, memory, info }
    }
}

/// What sixteen invocations leave in the texel `at` that each changes.
fn changed(
    context: &Compute,
    [head, image, component, types]: [&str; 4],
    operations: &[&str],
    picture: &Picture,
) {
    let view = picture.view(context, vk::ImageViewType::_2D);
    let mut body = String::new();
    for (place, operation) in operations.iter().enumerate() {
        body += &format!(
            "%x{place} = OpConvertFToU %uint %number_{place}
            %at{place} = OpCompositeConstruct %uint2 %x{place} %uint_0
            %texel{place} = OpImageTexelPointer %texel_pointer %all %at{place} %uint_0
            %old{place} = {}\n",
            operation.replace("POINTER", &format!("%texel{place} %uint_1 %uint_0"))
        );
    }
    body += "%r0 = OpCopyObject %uint %uint_0
        %r1 = OpCopyObject %uint %uint_0
        %r2 = OpCopyObject %uint %uint_0
        %r3 = OpCopyObject %uint %uint_0";
    let mut types = types.to_owned();
    for place in 0..operations.len() {
        types += &format!("\n%number_{place} = OpConstant %float {place}");
    }
    types += &format!("\n%texel_pointer = OpTypePointer Image %{component}");
    Question { head, image, component, types: &types, body: &body }.ask(context, view, None);
    destroy(context, &[view], &[]);
}

fn all_features(test: impl Fn(&Compute, bool)) {
    let mut added = vk::PhysicalDeviceShaderAtomicFloat2FeaturesEXT::builder()
        .shader_image_float32_atomic_min_max(true)
        .sparse_image_float32_atomic_min_max(true);
    let mut floats = vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT::builder()
        .shader_image_float32_atomics(true)
        .shader_image_float32_atomic_add(true)
        .sparse_image_float32_atomics(true)
        .sparse_image_float32_atomic_add(true);
    let mut long = vk::PhysicalDeviceShaderImageAtomicInt64FeaturesEXT::builder()
        .shader_image_int64_atomics(true)
        .sparse_image_int64_atomics(true);
    floats.next = from_mut(&mut added).cast();
    long.next = from_mut(&mut floats).cast();
    let extensions =
        [c"VK_EXT_shader_image_atomic_int64", c"VK_EXT_shader_atomic_float", c"VK_EXT_shader_atomic_float2"];
    let sparse = cfg!(any(target_os = "linux", windows));
    let features = vk::PhysicalDeviceFeatures {
        shader_int64: vk::TRUE,
        sparse_binding: sparse.into(),
        sparse_residency_image_2d: sparse.into(),
        ..Default::default()
    };
    let context: Compute =
        Client::new(V1_3, &[]).device(&extensions, Some(&features), from_mut(&mut long).cast()).into();
    test(&context, false);
    if sparse {
        test(&context, true);
    }
}

#[test]
fn texels_of_64_bits_are_changed_by_all_invocations() {
    all_features(|context, sparse| {
        for (format, of_format, component) in
            [(vk::Format::R64_UINT, "R64ui", "ulong"), (vk::Format::R64_SINT, "R64i", "long")]
        {
            let picture = image(context, format, sparse);
            let start = 0x7fff_ffff_0000_0001_u64;
            let words: Vec<u32> =
                [start; 16].iter().flat_map(|word| [*word as u32, (word >> 32) as u32]).collect();
            picture.put(context, 0, &words);
            let types = "%ulong = OpTypeInt 64 0
                %long = OpTypeInt 64 1
                %one = OpConstant %COMPONENT 0x100000001
                %ones = OpConstant %COMPONENT 0x00ff00ff00ff00ff
                %first = OpConstant %COMPONENT 0x7fffffff00000001"
                .replace("COMPONENT", component);
            let operations: Vec<String> = [
                "OpAtomicIAdd %COMPONENT POINTER %one",
                "OpAtomicISub %COMPONENT POINTER %one",
                "OpAtomicUMin %COMPONENT POINTER %one",
                "OpAtomicSMax %COMPONENT POINTER %one",
                "OpAtomicAnd %COMPONENT POINTER %ones",
                "OpAtomicOr %COMPONENT POINTER %ones",
                "OpAtomicXor %COMPONENT POINTER %ones",
                "OpAtomicExchange %COMPONENT POINTER %one",
                "OpAtomicCompareExchange %COMPONENT POINTER %uint_0 %one %first",
                "OpAtomicCompareExchange %COMPONENT POINTER %uint_0 %first %one",
            ]
            .iter()
            .map(|text| text.replace("COMPONENT", component))
            .collect();
            let operations: Vec<&str> = operations.iter().map(String::as_str).collect();
            let head = "OpCapability Int64\nOpCapability Int64ImageEXT
                OpExtension \"SPV_EXT_shader_image_int64\"";
            let image = format!("2D 0 0 0 2 {of_format}");
            changed(context, [head, &image, component, &types], &operations, &picture);
            let found = picture.texels(context, 32);
            let found: Vec<u64> =
                found.chunks(2).map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32).collect();
            let (one, ones) = (0x1_0000_0001_u64, 0x00ff_00ff_00ff_00ff);
            // The exclusive or is taken an even number of times, the comparison that holds once; the value
            // comes before what it is compared with.
            let expected = [
                start.wrapping_add(16 * one),
                start.wrapping_sub(16 * one),
                one,
                start,
                start & ones,
                start | ones,
                start,
                one,
                one,
                start,
                start,
            ];
            assert_eq!(found[..11], expected, "{format:?} {sparse}");
            picture.destroy(context);
        }
    });
}

#[test]
fn texels_of_floats_are_changed_by_all_invocations() {
    all_features(|context, sparse| {
        let picture = image(context, vk::Format::R32_SFLOAT, sparse);
        picture.put(context, 0, &[3.0f32.to_bits(); 16]);
        let types = "%half = OpConstant %float 0.5\n%seven = OpConstant %float 7";
        let head = "OpCapability AtomicFloat32AddEXT\nOpCapability AtomicFloat32MinMaxEXT
            OpExtension \"SPV_EXT_shader_atomic_float_add\"
            OpExtension \"SPV_EXT_shader_atomic_float_min_max\"";
        let operations = [
            "OpAtomicFAddEXT %float POINTER %half",
            "OpAtomicFMinEXT %float POINTER %half",
            "OpAtomicFMinEXT %float POINTER %seven",
            "OpAtomicFMaxEXT %float POINTER %half",
            "OpAtomicFMaxEXT %float POINTER %seven",
            "OpAtomicExchange %float POINTER %seven",
        ];
        changed(context, [head, "2D 0 0 0 2 R32f", "float", types], &operations, &picture);
        let found: Vec<f32> = picture.texels(context, 16).into_iter().map(f32::from_bits).collect();
        assert_eq!(found[..7], [11.0, 0.5, 3.0, 3.0, 7.0, 7.0, 3.0], "{sparse}");
        picture.destroy(context);
    });
}
