#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 24) in;
struct Item { mat2x3 m; vec2 v; uint list[3]; };
layout(set = 0, binding = 0, std140) uniform In { Item items[2]; };
layout(set = 0, binding = 1, std430) buffer Out { layout(row_major) Item copies[24]; };
layout(set = 0, binding = 2, std430) buffer Wide { uint64_t total; uint64_t largest; float sum; uint last; int64_t sizes[24]; };
layout(set = 0, binding = 3, std430) buffer Result { uint result[]; };
shared bool flags[24];
shared mat2 turn[24];
shared u8vec4 bytes[24];
void main() {
    uint i = gl_LocalInvocationIndex;
    Item item = items[i & 1u];
    item.m[1][i % 3u] += 0.5;
    item.list[i % 3u] = i;
    copies[i] = item;
    copies[i].m[0].y = float(i);
    flags[i] = i % 3u == 1u;
    turn[i] = mat2(float(i), 1.0, 2.0, 3.0);
    bytes[i] = u8vec4(i, i + 250u, i * 2u, 255u - i);
    atomicAdd(total, uint64_t(i) << 30);
    atomicMax(largest, uint64_t(i * 7u) << 20);
    atomicAdd(sum, float(i) * 0.25);
    barrier();
    uint j = (i + 5u) % 24u;
    int64_t size = int64_t(i) * -3000000000L;
    sizes[i] = size;
    switch (int(size / 3000000000L)) {
        case 0: result[5u * i] = 10u; break;
        case -3: result[5u * i] = 13u; break;
        default: result[5u * i] = 99u;
    }
    result[5u * i + 1u] = uint(flags[j]) + 2u * uint(flags[i]);
    result[5u * i + 2u] = uint((turn[j] * vec2(1.0, 2.0)).x);
    result[5u * i + 3u] = uint(bytes[j].y) + 1000u * uint(bytes[j][i & 3u]) + 1000000u * uint(uint8_t(bytes[j].z + bytes[i].w));
    f16vec4 h = f16vec4(turn[i][0], turn[i][1]) * float16_t(0.5);
    result[5u * i + 4u] = uint(h.x * float16_t(4.0) + h.w) + uint(int16_t(i) * int16_t(3000) < int16_t(0));
}
