#version 450
#extension GL_ARB_shader_clock : require
#extension GL_EXT_shader_realtime_clock : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer Out { uint result[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uint64_t a = clockARB();
    uvec2 b = clock2x32ARB();
    uint64_t c = clockRealtimeEXT();
    uvec2 d = clockRealtime2x32EXT();
    uint64_t wide_b = (uint64_t(b.y) << 32) | b.x;
    uint64_t wide_d = (uint64_t(d.y) << 32) | d.x;
    result[i] = uint(a <= wide_b) + uint(c <= wide_d) * 2u + uint(a <= wide_d) * 4u;
}
