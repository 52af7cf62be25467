#version 450
// Eight independent chains of fused multiply-adds per invocation: enough to cover the latency of a
// vector FMA unit, few enough to stay in sixteen vector registers.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) writeonly buffer Result { float result[]; };
layout(push_constant) uniform Params { float scale; float offset; uint rounds; };

#define STEP x0 = fma(x0, scale, offset); x1 = fma(x1, scale, offset); \
             x2 = fma(x2, scale, offset); x3 = fma(x3, scale, offset); \
             x4 = fma(x4, scale, offset); x5 = fma(x5, scale, offset); \
             x6 = fma(x6, scale, offset); x7 = fma(x7, scale, offset);

void main() {
    uint i = gl_GlobalInvocationID.x;
    float base = float(i & 1023u);
    float x0 = base, x1 = base + 1.0, x2 = base + 2.0, x3 = base + 3.0;
    float x4 = base + 4.0, x5 = base + 5.0, x6 = base + 6.0, x7 = base + 7.0;
    for (uint r = 0u; r < rounds; ++r) {
        STEP STEP STEP STEP
    }
    result[i] = ((x0 + x1) + (x2 + x3)) + ((x4 + x5) + (x6 + x7));
}
