#version 450
layout(local_size_x = 32) in;
struct Pair { uvec2 a; uint b[3]; uint pad; };
layout(set = 0, binding = 0, std430) buffer Data { uint head; uint data[]; } d;
layout(set = 0, binding = 1, std430) buffer Out { uint result[]; };
layout(set = 0, binding = 2, std430) buffer Pairs { Pair pairs[]; };
layout(set = 0, binding = 3, std430) buffer Many { uint x[]; } many[4];
void main() {
    uint i = gl_LocalInvocationIndex;
    uint o = 8u * i;
    result[o] = d.data[i];
    result[o + 1u] = d.data[i * 0x10000001u];
    result[o + 2u] = d.data.length() + 100u * uint(pairs.length());
    result[o + 3u] = pairs[i].b[i % 3u];
    result[o + 4u] = pairs[i * 0x08000000u + 1u].a.y;
    result[o + 5u] = many[i % 5u].x[i / 5u];
    d.data[i + 20u] = 77u;
    many[i & 7u].x[1] = 500u + (i & 7u);
    result[o + 6u] = pairs[int(i) - 2].a.x;
    result[o + 7u] = d.data[30u];
}
