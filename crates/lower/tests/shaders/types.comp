#version 450
layout(local_size_x = 16) in;
struct Part { vec3 a; float b; mat3 m; uint list[5]; };
layout(set = 0, binding = 0, std140) uniform Block { mat4 m; Part parts[2]; layout(row_major) mat3x2 r; };
layout(set = 0, binding = 1, std430) buffer Out { float result[]; };
layout(push_constant) uniform Push { vec4 scale; uint pick; };
const float table[6] = float[](1.0, 2.0, 4.0, 8.0, 16.0, 32.0);
Part swapped(Part p, inout float x) { p.b += x; x = p.a.y; p.list[2] += 1u; return p; }
void main() {
    uint i = gl_LocalInvocationIndex;
    vec4 v = m * vec4(float(i), 1.0, 2.0, 3.0);
    v *= scale;
    float x = 0.5;
    Part p = swapped(parts[i & 1u], x);
    float local[9];
    for (uint k = 0u; k < 9u; k++) local[k] = float(k * k);
    vec3 w = p.m * p.a;
    mat3x2 t = r;
    vec2 q = t * p.a;
    vec3 s = q * t;
    uint o = 12u * i;
    result[o] = v.x; result[o + 1u] = v[i & 3u]; result[o + 2u] = w[i % 3u];
    result[o + 3u] = p.b + x; result[o + 4u] = local[(i + pick) % 9u]; result[o + 5u] = table[i % 6u];
    result[o + 6u] = float(p.list[i % 5u]); result[o + 7u] = q.y; result[o + 8u] = s.z;
    vec3 n = vec3(0.0); n[i % 3u] = 7.0; result[o + 9u] = n.y;
    mat3 z = transpose(p.m); z[i % 3u][1] += 2.0; result[o + 10u] = z[2][1];
    result[o + 11u] = dot(outerProduct(p.a, vec3(1.0, 2.0, 3.0))[i % 3u], vec3(1.0));
}
