#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout(local_size_x = 16) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Node { uint value; uint pad; uvec2 next; uint tail[]; };
layout(set = 0, binding = 0, std430) buffer Data { uvec2 start; uvec2 pad; uint data[]; };
layout(set = 0, binding = 1, std430) buffer Out { uint result[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    Node node = Node(start);
    for (uint k = 0u; k < i % 4u; k++) node = Node(node.next);
    result[i] = node.value + node.tail[i & 1u];
    if (i == 3u) node.tail[1] = 99u;
}
