//! Transform feedback through the entry points: which vertices are captured, in which order, and what
//! counters and queries say.

use pyro_test_kit::canvas::{BUFFER_SIZE, Canvas};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    ExtExtendedDynamicStateExtensionDeviceCommands as _, ExtTransformFeedbackExtensionDeviceCommands as _,
};

/// Captures a number that the fragment shader does not read, and then the position.
const VERTEX: &str = "
               OpCapability Shader
               OpCapability TransformFeedback
               OpMemoryModel Logical GLSL450
               OpEntryPoint Vertex %main \"main\" %attribute %position %number %index
               OpExecutionMode %main Xfb
               OpDecorate %attribute Location 0
               OpDecorate %index BuiltIn VertexIndex
               OpDecorate %position BuiltIn Position
               OpDecorate %position XfbBuffer 0
               OpDecorate %position XfbStride 24
               OpDecorate %position Offset 8
               OpDecorate %number Location 3
               OpDecorate %number XfbBuffer 0
               OpDecorate %number XfbStride 24
               OpDecorate %number Offset 4
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
      %float = OpTypeFloat 32
        %int = OpTypeInt 32 1
       %vec4 = OpTypeVector %float 4
    %in_vec4 = OpTypePointer Input %vec4
     %in_int = OpTypePointer Input %int
   %out_vec4 = OpTypePointer Output %vec4
    %out_int = OpTypePointer Output %int
  %attribute = OpVariable %in_vec4 Input
      %index = OpVariable %in_int Input
   %position = OpVariable %out_vec4 Output
     %number = OpVariable %out_int Output
       %main = OpFunction %void None %fn
      %entry = OpLabel
          %p = OpLoad %vec4 %attribute
               OpStore %position %p
          %n = OpLoad %int %index
               OpStore %number %n
               OpReturn
               OpFunctionEnd";

/// Bytes of a captured vertex.
const STRIDE: u32 = 24;

/// Four corners of the target, in the order of a strip.
fn corners(canvas: &Canvas) {
    let corners = [[-1.0_f32, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]];
    let words = corners.map(|[x, y]| [x, y, 0.5, 1.0].map(f32::to_bits));
    canvas.fill(0, words.as_flattened());
}

fn numbers(canvas: &Canvas, count: usize) -> Vec<u32> {
    canvas.words(1, count * STRIDE as usize / 4).chunks(STRIDE as usize / 4).map(|vertex| vertex[1]).collect()
}

/// Captures with the buffers 1 and, for the counter, 2. Who does not resume gives no array of counters,
/// whatever their count (VUID-vkCmdBeginTransformFeedbackEXT-counterBufferCount-02607).
unsafe fn capture(canvas: &Canvas, commands: vk::CommandBuffer, resumes: bool, draw: impl FnOnce(&Device)) {
    let device = &canvas.device;
    let (counters, offsets) = ([canvas.buffer(2)], [0]);
    unsafe {
        if resumes {
            device.cmd_begin_transform_feedback_ext(commands, 0, &counters, &offsets);
        } else {
            let begin = device.commands().cmd_begin_transform_feedback_ext;
            begin(commands, 0, 1, std::ptr::null(), std::ptr::null());
        }
        draw(device);
        device.cmd_end_transform_feedback_ext(commands, 0, &counters, &offsets);
    }
}

#[test]
fn strips_are_captured_triangle_by_triangle() {
    let canvas = Canvas::with(&[c"VK_EXT_transform_feedback"]);
    let strip = vk::PrimitiveTopology::TRIANGLE_STRIP;
    let pipeline = canvas.pipeline_of(VERTEX, strip, true, &[]);
    corners(&canvas);
    canvas.fill(1, &[u32::MAX; BUFFER_SIZE / 4]);
    canvas.fill(2, &[]);
    let device = &canvas.device;
    let info = vk::QueryPoolCreateInfo::builder()
        .query_type(vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT)
        .query_count(1);
    let queries = unsafe { device.create_query_pool(&info, None) }.expect("queries");
    canvas.record(|commands| unsafe { device.cmd_reset_query_pool(commands, queries, 0, 1) });
    // Room for five triangles and a bit.
    let room = u64::from(5 * 3 * STRIDE + 8);
    let covered = canvas.draw(pipeline, |commands| unsafe {
        device.cmd_bind_transform_feedback_buffers_ext(commands, 0, &[canvas.buffer(1)], &[0], &[room]);
        device.cmd_begin_query_indexed_ext(commands, queries, 0, vk::QueryControlFlags::empty(), 0);
        capture(&canvas, commands, false, |device| device.cmd_draw(commands, 4, 1, 0, 0));
        device.cmd_draw(commands, 4, 1, 0, 0);
        capture(&canvas, commands, true, |device| device.cmd_draw(commands, 4, 2, 0, 0));
        device.cmd_end_query_indexed_ext(commands, queries, 0, 0);
    });
    assert_eq!(covered.count(), 256);
    // The second triangle is turned round; of the last two instances, the last triangle has no room.
    let strip = [0, 1, 2, 1, 3, 2];
    let all = [strip, strip, [0, 1, 2, u32::MAX, u32::MAX, u32::MAX]];
    assert_eq!(numbers(&canvas, 18), all.as_flattened());
    let first = canvas.words(1, 6);
    let position = [-1.0_f32, -1.0, 0.5, 1.0].map(f32::to_bits);
    assert_eq!((first[0], &first[2..]), (u32::MAX, &position[..]), "what is not captured stays");
    assert_eq!(canvas.words(2, 1), [5 * 3 * STRIDE]);
    let mut results = [0_u8; 16];
    let flags = vk::QueryResultFlags::_64 | vk::QueryResultFlags::WAIT;
    unsafe { device.get_query_pool_results(queries, 0, 1, &mut results, 16, flags) }.expect("results");
    let (counts, _) = results.as_chunks();
    assert_eq!([counts[0], counts[1]].map(u64::from_ne_bytes), [5, 6], "written, needed");
    unsafe {
        device.destroy_query_pool(queries, None);
        device.destroy_pipeline(pipeline, None);
    }
}

#[test]
fn draw_indirect_byte_count_uses_the_captured_size() {
    let canvas = Canvas::with(&[c"VK_EXT_transform_feedback", c"VK_EXT_extended_dynamic_state"]);
    let strip = canvas.pipeline_of(VERTEX, vk::PrimitiveTopology::TRIANGLE_STRIP, true, &[]);
    let list = canvas.pipeline_with(
        vk::PrimitiveTopology::TRIANGLE_LIST,
        true,
        &[vk::DynamicState::VERTEX_INPUT_BINDING_STRIDE],
    );
    corners(&canvas);
    canvas.fill(1, &[]);
    canvas.fill(2, &[]);
    let device = &canvas.device;
    let buffer = canvas.buffer(1);
    canvas.draw(strip, |commands| unsafe {
        device.cmd_bind_transform_feedback_buffers_ext(commands, 0, &[buffer], &[0], &[BUFFER_SIZE as u64]);
        capture(&canvas, commands, false, |device| device.cmd_draw(commands, 4, 1, 0, 0));
    });
    for (offset, expected) in [(0, 256), (3 * STRIDE, 120), (6 * STRIDE, 0), (u32::MAX, 0)] {
        let covered = canvas.draw(list, |commands| unsafe {
            let (sizes, strides) = ([BUFFER_SIZE as u64 - 8], [u64::from(STRIDE)]);
            device.cmd_bind_vertex_buffers2_ext(commands, 0, &[buffer], &[8], &sizes, &strides);
            device.cmd_draw_indirect_byte_count_ext(commands, 1, 0, canvas.buffer(2), 0, offset, STRIDE);
        });
        // Half of the square: a pixel on the diagonal belongs to one of the two triangles.
        let is_half = expected == 120 && [120, 136].contains(&covered.count());
        assert!(is_half || covered.count() == expected, "{offset}: {}", covered.count());
    }
    unsafe { [strip, list].iter().for_each(|&pipeline| device.destroy_pipeline(pipeline, None)) };
}
