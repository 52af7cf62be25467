#version 450
#extension GL_NV_compute_shader_derivatives : require
layout(local_size_x = 20, local_size_y = 2) in;
layout(derivative_group_linearNV) in;
layout(set = 0, binding = 0) buffer Out { float result[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    float f = float(i * i);
    result[2u * i] = dFdx(f);
    result[2u * i + 1u] = dFdy(f);
}
