#version 450
#extension GL_KHR_shader_subgroup_quad : require
layout(location = 0) in vec4 place;
layout(set = 0, binding = 0) buffer Words { uint words[]; };
void main() {
    words[gl_VertexIndex] = 1 + subgroupQuadSwapHorizontal(uint(gl_VertexIndex));
    words[64 + gl_VertexIndex] = 1 + subgroupQuadSwapVertical(uint(gl_VertexIndex));
    words[128 + gl_VertexIndex] = 1 + subgroupQuadBroadcast(uint(gl_VertexIndex), 3);
    gl_Position = place;
    gl_PointSize = 1.0;
}
