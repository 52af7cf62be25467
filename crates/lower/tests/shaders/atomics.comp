#version 450
layout(local_size_x = 50) in;
layout(set = 0, binding = 0) buffer Data { uint a[8]; int b[2]; } d;
layout(set = 0, binding = 1) buffer Out { uint result[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    atomicAdd(d.a[0], i);
    atomicOr(d.a[1], 1u << (i & 31u));
    atomicMax(d.a[2], i * 3u);
    atomicMin(d.b[0], -int(i));
    atomicXor(d.a[3], i);
    atomicAnd(d.a[4], ~(1u << (i & 7u)));
    uint ticket = atomicAdd(d.a[i % 3u + 5u], 1u);
    result[i] = ticket < 17u ? 1u : 0u;
    if (atomicCompSwap(d.b[1], 0, int(i) + 1) == 0) result[50] += 1u;
}
