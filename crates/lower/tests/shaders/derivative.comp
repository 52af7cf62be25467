#version 450
#extension GL_NV_compute_shader_derivatives : require
layout(local_size_x = 8, local_size_y = 4, local_size_z = 2) in;
layout(derivative_group_quadsNV) in;
layout(set = 0, binding = 0) buffer Out { float result[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    vec3 p = vec3(gl_LocalInvocationID);
    float f = p.x * p.x + 10.0 * p.y * p.y + 100.0 * p.z;
    result[3u * i] = f;
    result[3u * i + 1u] = dFdx(f);
    result[3u * i + 2u] = dFdy(f);
}
