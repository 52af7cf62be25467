#version 450
#extension GL_KHR_shader_subgroup_quad : require
layout(location = 0) out vec4 result;
void main() {
    uint at = uint(gl_FragCoord.y) * 16 + uint(gl_FragCoord.x);
    result = vec4(subgroupQuadSwapHorizontal(at), subgroupQuadSwapVertical(at), subgroupQuadBroadcast(at, 3), 1);
}
