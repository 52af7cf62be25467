#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
// As `mad`, in half precision. The results of two chains are the halves of a word.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) writeonly buffer Result { uint result[]; };
layout(push_constant) uniform Params { float scale; float offset; uint rounds; };

#define STEP x0 = x0 * a + b; x1 = x1 * a + b; x2 = x2 * a + b; x3 = x3 * a + b; \
             x4 = x4 * a + b; x5 = x5 * a + b; x6 = x6 * a + b; x7 = x7 * a + b;

void main() {
    uint i = gl_GlobalInvocationID.x;
    float16_t a = float16_t(scale), b = float16_t(offset);
    float16_t base = float16_t(i & 255u);
    float16_t x0 = base, x1 = base + 1.0hf, x2 = base + 2.0hf, x3 = base + 3.0hf;
    float16_t x4 = base + 4.0hf, x5 = base + 5.0hf, x6 = base + 6.0hf, x7 = base + 7.0hf;
    for (uint r = 0u; r < rounds; ++r) {
        STEP STEP STEP
    }
    f16vec2 sums = f16vec2((x0 + x1) + (x2 + x3), (x4 + x5) + (x6 + x7));
    result[i] = packHalf2x16(vec2(sums));
}
