//! Features of draws: several in one command, indices of a byte, restarts of lists, attributes at any byte,
//! queries around what secondary command buffers draw.

use pyro_test_kit::canvas::{Canvas, Covered, FRAGMENT, SIZE, VERTEX};
use std::ptr::from_mut;
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    ExtExtendedDynamicState2ExtensionDeviceCommands as _, ExtMultiDrawExtensionDeviceCommands as _,
    ExtVertexInputDynamicStateExtensionDeviceCommands as _,
};

const TRIANGLES: vk::PrimitiveTopology = vk::PrimitiveTopology::TRIANGLE_LIST;

/// The words of three triangles, each over a fourth of the target.
fn three_triangles() -> Vec<u32> {
    let triangle = |x: f32, y: f32| {
        [[x, y], [x + 1.0, y], [x, y + 1.0]].map(|[x, y]| [x, y, 0.5, 1.0]).as_flattened().to_vec()
    };
    [(-1.0, -1.0), (0.0, -1.0), (-1.0, 0.0)]
        .iter()
        .flat_map(|&(x, y)| triangle(x, y))
        .map(f32::to_bits)
        .collect()
}

/// The shader of positions with the size of points.
fn sized() -> String {
    VERTEX
        .replace("%attribute %position\n", "%attribute %position %size\n")
        .replace("OpDecorate %position", "OpDecorate %size BuiltIn PointSize\nOpDecorate %position")
        .replace(
            "%main = OpFunction",
            "%out_float = OpTypePointer Output %float
            %size = OpVariable %out_float Output
            %three = OpConstant %float 3
            %main = OpFunction",
        )
        .replace("OpStore %position %p", "OpStore %position %p\nOpStore %size %three")
}

/// What two draws cover together.
fn either(one: &Covered, other: &Covered) -> Covered {
    Covered(one.0.iter().zip(&other.0).map(|(one, other)| one | other).collect())
}

#[test]
fn one_command_draws_several_times() {
    let mut features = vk::PhysicalDeviceMultiDrawFeaturesEXT::builder().multi_draw(true);
    let canvas = Canvas::with_features(&[c"VK_EXT_multi_draw"], from_mut(&mut features).cast());
    let device = &canvas.device;
    let pipeline = canvas.pipeline(TRIANGLES, true);
    canvas.fill(0, &three_triangles());
    canvas.fill(1, &[0, 1, 2, 3, 4, 5]);
    let [first, second, third] = [0, 3, 6].map(|vertex| {
        canvas.draw(pipeline, |commands| unsafe { device.cmd_draw(commands, 3, 1, vertex, 0) })
    });
    assert!(first.count() > 10 && first != second && second != third);
    let outer = either(&first, &third);
    // A stride of three words.
    let draws = [[0, 3, 77], [6, 3, 77]];
    let infos: Vec<vk::MultiDrawInfoEXT> = draws
        .map(|[first_vertex, vertex_count, _]| vk::MultiDrawInfoEXT { first_vertex, vertex_count })
        .into();
    let found = canvas.draw(pipeline, |commands| unsafe {
        device.cmd_draw_multi_ext(commands, &infos, 1, 0, 8);
    });
    assert_eq!(found, outer);
    let raw = [0u32, 3, 77, 6, 3, 77];
    let found = canvas.draw(pipeline, |commands| unsafe {
        type Draw = vk::PFN_vkCmdDrawMultiEXT;
        let draw: Draw = std::mem::transmute(canvas.proc_address(c"vkCmdDrawMultiEXT"));
        draw(commands, 2, raw.as_ptr().cast(), 1, 0, 12);
    });
    assert_eq!(found, outer);
    let indexed = [
        vk::MultiDrawIndexedInfoEXT { first_index: 0, index_count: 3, vertex_offset: 0 },
        vk::MultiDrawIndexedInfoEXT { first_index: 3, index_count: 3, vertex_offset: 3 },
    ];
    for (offset, expected) in
        [(None, &outer), (Some(0), &either(&first, &second)), (Some(3), &either(&second, &third))]
    {
        let found = canvas.draw(pipeline, |commands| unsafe {
            device.cmd_bind_index_buffer(commands, canvas.buffer(1), 0, vk::IndexType::UINT32);
            device.cmd_draw_multi_indexed_ext(commands, &indexed, 1, 0, 12, offset.as_ref());
        });
        assert_eq!(&found, expected, "{offset:?}");
    }
    unsafe { device.destroy_pipeline(pipeline, None) };
}

#[test]
fn indices_have_a_byte() {
    let mut features = vk::PhysicalDeviceIndexTypeUint8Features::builder().index_type_uint8(true);
    let extensions = [c"VK_EXT_index_type_uint8", c"VK_EXT_extended_dynamic_state2"];
    let canvas = Canvas::with_features(&extensions, from_mut(&mut features).cast());
    let device = &canvas.device;
    canvas.fill(0, &three_triangles());
    canvas.fill(1, &[u32::from_le_bytes([9, 0, 1, 2]), u32::from_le_bytes([0xff, 6, 7, 8])]);
    let dynamics = [vk::DynamicState::PRIMITIVE_RESTART_ENABLE];
    let strip = canvas.pipeline_with(vk::PrimitiveTopology::TRIANGLE_STRIP, true, &dynamics);
    let [first, third] = [0, 6].map(|vertex| {
        canvas.draw(strip, |commands| unsafe {
            device.cmd_set_primitive_restart_enable_ext(commands, false);
            device.cmd_draw(commands, 3, 1, vertex, 0);
        })
    });
    let found = canvas.draw(strip, |commands| unsafe {
        device.cmd_set_primitive_restart_enable_ext(commands, true);
        device.cmd_bind_index_buffer(commands, canvas.buffer(1), 1, vk::IndexType::UINT8);
        device.cmd_draw_indexed(commands, 7, 1, 0, 0, 0);
    });
    assert_eq!(found, either(&first, &third));
    unsafe { device.destroy_pipeline(strip, None) };
}

/// What a list has gathered of a primitive is gone with a restart.
#[test]
fn lists_start_again() {
    let mut features = vk::PhysicalDevicePrimitiveTopologyListRestartFeaturesEXT::builder()
        .primitive_topology_list_restart(true);
    let extensions = [c"VK_EXT_primitive_topology_list_restart", c"VK_EXT_extended_dynamic_state2"];
    let canvas = Canvas::with_features(&extensions, from_mut(&mut features).cast());
    let device = &canvas.device;
    canvas.fill(0, &three_triangles());
    let dynamics = [vk::DynamicState::PRIMITIVE_RESTART_ENABLE];
    for (topology, size) in
        [(vk::PrimitiveTopology::POINT_LIST, 1), (vk::PrimitiveTopology::LINE_LIST, 2), (TRIANGLES, 3)]
    {
        let pipeline = canvas.pipeline_from([&sized(), FRAGMENT], topology, true, &dynamics, 0);
        let draw = |indices: &[u32], restarts| {
            canvas.fill(1, indices);
            canvas.draw(pipeline, |commands| unsafe {
                device.cmd_set_primitive_restart_enable_ext(commands, restarts);
                device.cmd_bind_index_buffer(commands, canvas.buffer(1), 0, vk::IndexType::UINT32);
                device.cmd_draw_indexed(commands, indices.len() as u32, 1, 0, 0, 0);
            })
        };
        let later: Vec<u32> = (9 - size..9).collect();
        // All but the last vertex of a primitive, twice, and then a whole one.
        let part: Vec<u32> = (0..size - 1).collect();
        let all = [&part[..], &[u32::MAX], &part, &[u32::MAX, u32::MAX], &later].concat();
        let found = draw(&all, true);
        assert_eq!(found, draw(&later, false), "{topology:?}");
        assert!(found.count() > 0, "{topology:?}");
        unsafe { device.destroy_pipeline(pipeline, None) };
    }
}

/// Attributes lie at any byte, and their strides are any number, with dynamic vertex input.
#[test]
fn attributes_lie_at_any_byte() {
    let mut features =
        vk::PhysicalDeviceLegacyVertexAttributesFeaturesEXT::builder().legacy_vertex_attributes(true);
    let extensions = [c"VK_EXT_vertex_input_dynamic_state", c"VK_EXT_legacy_vertex_attributes"];
    let canvas = Canvas::with_features(&extensions, from_mut(&mut features).cast());
    let device = &canvas.device;
    let pipeline = canvas.pipeline_with(TRIANGLES, true, &[vk::DynamicState::VERTEX_INPUT_EXT]);
    let words = three_triangles();
    let draw = |stride: u32, offset: u32, start: u64| {
        canvas.draw(pipeline, |commands| unsafe {
            let binding = vk::VertexInputBindingDescription2EXT::builder().stride(stride).divisor(1);
            let attribute = vk::VertexInputAttributeDescription2EXT::builder()
                .offset(offset)
                .format(vk::Format::R32G32B32A32_SFLOAT);
            device.cmd_set_vertex_input_ext(commands, &[binding], &[attribute]);
            device.cmd_bind_vertex_buffers(commands, 0, &[canvas.buffer(0)], &[start]);
            device.cmd_draw(commands, 9, 1, 0, 0);
        })
    };
    canvas.fill(0, &words);
    let expected = draw(16, 0, 0);
    assert!(expected.count() > 30);
    for (stride, offset, start) in [(17, 0, 0), (19, 1, 2), (23, 5, 0), (33, 0, 3)] {
        let mut bytes = vec![0xee; 1024];
        for (vertex, words) in words.chunks(4).enumerate() {
            let at = start as usize + offset as usize + vertex * stride as usize;
            let of_words: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
            bytes[at..at + 16].copy_from_slice(&of_words);
        }
        let shifted: Vec<u32> =
            bytes.chunks(4).map(|word| u32::from_ne_bytes(word.try_into().expect("four"))).collect();
        canvas.fill(0, &shifted);
        assert_eq!(draw(stride, offset, start), expected, "{stride} {offset} {start}");
    }
    unsafe { device.destroy_pipeline(pipeline, None) };
}

/// Queries of a primary command buffer count what secondary ones draw, and primitives that nothing
/// rasterizes.
#[test]
fn queries_count_what_secondary_command_buffers_draw() {
    let mut features = vk::PhysicalDevicePrimitivesGeneratedQueryFeaturesEXT::builder()
        .primitives_generated_query(true)
        .primitives_generated_query_with_rasterizer_discard(true);
    let extensions = [
        c"VK_EXT_transform_feedback",
        c"VK_EXT_primitives_generated_query",
        c"VK_EXT_extended_dynamic_state2",
    ];
    let canvas = Canvas::with_features(&extensions, from_mut(&mut features).cast());
    let device = &canvas.device;
    let dynamics = [vk::DynamicState::RASTERIZER_DISCARD_ENABLE];
    let pipeline = canvas.pipeline_with(TRIANGLES, true, &dynamics);
    canvas.fill(0, &three_triangles());
    let statistics = vk::QueryPipelineStatisticFlags::VERTEX_SHADER_INVOCATIONS
        | vk::QueryPipelineStatisticFlags::CLIPPING_INVOCATIONS;
    for discards in [false, true] {
        let kinds = [
            vk::QueryType::OCCLUSION,
            vk::QueryType::PIPELINE_STATISTICS,
            vk::QueryType::PRIMITIVES_GENERATED_EXT,
        ];
        let pools = kinds.map(|kind| {
            let info = vk::QueryPoolCreateInfo::builder()
                .query_type(kind)
                .query_count(1)
                .pipeline_statistics(if kind == kinds[1] { statistics } else { Default::default() });
            unsafe { device.create_query_pool(&info, None) }.expect("queries")
        });
        unsafe {
            let info = vk::CommandBufferAllocateInfo::builder()
                .command_pool(canvas.pool)
                .level(vk::CommandBufferLevel::SECONDARY)
                .command_buffer_count(1);
            let secondary = device.allocate_command_buffers(&info).expect("a command buffer");
            let formats = [vk::Format::R8G8B8A8_UNORM];
            let mut rendering = vk::CommandBufferInheritanceRenderingInfo::builder()
                .color_attachment_formats(&formats)
                .rasterization_samples(vk::SampleCountFlags::_1);
            let inheritance = vk::CommandBufferInheritanceInfo::builder()
                .occlusion_query_enable(true)
                .query_flags(vk::QueryControlFlags::PRECISE)
                .pipeline_statistics(statistics)
                .push_next(&mut rendering);
            let begin = vk::CommandBufferBeginInfo::builder()
                .flags(vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE)
                .inheritance_info(&inheritance);
            device.begin_command_buffer(secondary[0], &begin).expect("begins");
            device.cmd_bind_pipeline(secondary[0], vk::PipelineBindPoint::GRAPHICS, pipeline);
            device.cmd_set_viewport(secondary[0], 0, &[pyro_test_kit::canvas::whole()]);
            let all = pyro_test_kit::canvas::rectangle(0, 0, SIZE, SIZE);
            device.cmd_set_scissor(secondary[0], 0, slice::from_ref(&all));
            device.cmd_set_rasterizer_discard_enable_ext(secondary[0], discards);
            device.cmd_bind_vertex_buffers(secondary[0], 0, &[canvas.buffer(0)], &[0]);
            device.cmd_draw(secondary[0], 9, 1, 0, 0);
            device.end_command_buffer(secondary[0]).expect("ends");
            canvas.run(|commands| {
                pools.iter().for_each(|&pool| device.cmd_reset_query_pool(commands, pool, 0, 1));
            });
            let covered = canvas.draw_bare(|commands| {
                for (&pool, kind) in pools.iter().zip(kinds) {
                    let precise = vk::QueryControlFlags::PRECISE;
                    let flags = if kind == kinds[0] { precise } else { Default::default() };
                    device.cmd_begin_query(commands, pool, 0, flags);
                }
                device.cmd_execute_commands(commands, &secondary);
                pools.iter().for_each(|&pool| device.cmd_end_query(commands, pool, 0));
            });
            let found = pools.map(|pool| {
                let mut bytes = [0; 16];
                let flags = vk::QueryResultFlags::_64 | vk::QueryResultFlags::WAIT;
                device.get_query_pool_results(pool, 0, 1, &mut bytes, 16, flags).expect("counts");
                [0, 8].map(|at| u64::from_ne_bytes(bytes[at..at + 8].try_into().expect("eight")))
            });
            let clipped = if discards { 0 } else { 3 };
            assert_eq!(found[0][0], covered.count() as u64);
            assert_eq!(covered.count() > 0, !discards);
            assert_eq!((found[1], found[2][0]), ([9, clipped], 3), "{discards}");
            pools.iter().for_each(|&pool| device.destroy_query_pool(pool, None));
        }
    }
    unsafe { device.destroy_pipeline(pipeline, None) };
}

/// Queries of pools that are made so may be begun at once, and attributes that nobody provides have the value
/// that the device tells (`VK_KHR_maintenance9`).
#[test]
fn queries_begin_reset_and_attributes_have_values() {
    let mut features =
        vk::PhysicalDeviceMaintenance9FeaturesKHR { maintenance9: vk::TRUE, ..Default::default() };
    let canvas = Canvas::with_features(&[c"VK_KHR_maintenance9"], from_mut(&mut features).cast());
    let device = &canvas.device;
    let mut told = vk::PhysicalDeviceMaintenance9PropertiesKHR::default();
    let mut all = vk::PhysicalDeviceProperties2::builder().push_next(&mut told);
    unsafe { canvas.instance.get_physical_device_properties2(canvas.physical_device, &mut all) };
    assert_eq!(told.default_vertex_attribute_value, vk::DefaultVertexAttributeValueKHR::ZERO_ZERO_ZERO_ZERO);
    // The position less all components of an attribute that there is none of.
    let vertex = VERTEX
        .replace("%attribute %position\n", "%attribute %missing %position\n")
        .replace("OpDecorate %position", "OpDecorate %missing Location 3\nOpDecorate %position")
        .replace("%attribute = OpVariable", "%missing = OpVariable %in_vec4 Input\n%attribute = OpVariable")
        .replace(
            "OpStore %position %p",
            "%m = OpLoad %vec4 %missing\n%moved = OpFSub %vec4 %p %m\nOpStore %position %moved",
        );
    let plain = canvas.pipeline(TRIANGLES, true);
    let pipeline = canvas.pipeline_of(&vertex, TRIANGLES, true, &[]);
    canvas.fill(0, &three_triangles());
    let info = vk::QueryPoolCreateInfo {
        flags: vk::QueryPoolCreateFlags::RESET_KHR,
        query_type: vk::QueryType::OCCLUSION,
        query_count: 1,
        ..Default::default()
    };
    unsafe {
        let pool = device.create_query_pool(&info, None).expect("queries");
        let mut bytes = [7; 16];
        let flags = vk::QueryResultFlags::_64 | vk::QueryResultFlags::WITH_AVAILABILITY;
        device.get_query_pool_results(pool, 0, 1, &mut bytes, 16, flags).expect("no error");
        assert_eq!(bytes[8..], [0; 8]);
        let expected = canvas.draw(plain, |commands| device.cmd_draw(commands, 9, 1, 0, 0));
        let found = canvas.draw(pipeline, |commands| {
            device.cmd_begin_query(commands, pool, 0, vk::QueryControlFlags::empty());
            device.cmd_draw(commands, 9, 1, 0, 0);
            device.cmd_end_query(commands, pool, 0);
        });
        assert!(found.count() > 30);
        assert_eq!(found, expected);
        device.get_query_pool_results(pool, 0, 1, &mut bytes, 16, flags).expect("a count");
        assert!(u64::from_ne_bytes(bytes[..8].try_into().expect("eight")) > 0 && bytes[8] == 1);
        device.destroy_query_pool(pool, None);
        [plain, pipeline].iter().for_each(|&one| device.destroy_pipeline(one, None));
    }
}
