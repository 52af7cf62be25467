#version 450
#extension GL_NV_compute_shader_derivatives : require
layout(local_size_x = 8, local_size_y = 4) in;
layout(derivative_group_quadsNV) in;
layout(set = 0, binding = 0) buffer Out { float result[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    vec2 p = vec2(gl_LocalInvocationID.xy);
    float f = p.x * p.x + 10.0 * p.y * p.y + 3.0 * p.x * p.y;
    result[8u * i] = dFdxFine(f);
    result[8u * i + 1u] = dFdyFine(f);
    result[8u * i + 2u] = dFdxCoarse(f);
    result[8u * i + 3u] = dFdyCoarse(f);
    result[8u * i + 4u] = fwidth(-f);
    result[8u * i + 5u] = fwidthFine(f);
    result[8u * i + 6u] = fwidthCoarse(f);
    result[8u * i + 7u] = dFdx(f) + dFdy(f);
}
