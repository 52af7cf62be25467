#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Out { uint result[]; };
const uint squares[20] = uint[](0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225, 256, 289, 324, 361);
const vec2 points[9] = vec2[](vec2(0.5, 1), vec2(1, -2), vec2(3, 4), vec2(5, 6), vec2(7, 8), vec2(9, 0.25), vec2(1, 1), vec2(2, 2), vec2(3, 3));
void main() {
    uint i = gl_LocalInvocationIndex;
    uint sum = 0u;
    for (uint k = 0u; k <= i % 5u; k++) sum += squares[(i * 7u + k) % 20u];
    vec2 p = points[i % 9u];
    result[i] = sum + uint(4.0 * (p.x + p.y) + 100.0);
}
