#version 450
#extension GL_KHR_shader_subgroup_quad : require
layout(points) in;
layout(points, max_vertices = 1) out;
layout(set = 0, binding = 0) buffer Words { uint words[]; };
void main() {
    words[gl_PrimitiveIDIn] = 1 + subgroupQuadSwapHorizontal(uint(gl_PrimitiveIDIn));
    words[64 + gl_PrimitiveIDIn] = 1 + subgroupQuadSwapVertical(uint(gl_PrimitiveIDIn));
    words[128 + gl_PrimitiveIDIn] = 1 + subgroupQuadBroadcast(uint(gl_PrimitiveIDIn), 3);
    gl_Position = gl_in[0].gl_Position;
    gl_PointSize = 1.0;
    EmitVertex();
}
