#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0, std430) readonly buffer In { uint data[]; };
layout(set = 0, binding = 1, std430) buffer Out { uint result[]; };
layout(set = 0, binding = 2, std430) buffer Bytes { int8_t bytes[32]; uint16_t words[32]; float16_t halfs[32]; double doubles[32]; uint64_t longs[32]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uint x = data[i];
    float f = uintBitsToFloat(x);
    bytes[i] = int8_t(x);
    words[i] = uint16_t(x >> 3);
    halfs[i] = float16_t(float(i) * 0.3);
    doubles[i] = double(int(x)) * 1.5lf;
    longs[i] = uint64_t(x) * uint64_t(x);
    uint carry, borrow, high, low;
    uint sum = uaddCarry(x, x, carry);
    uint difference = usubBorrow(x, 77u, borrow);
    umulExtended(x, 12345u, high, low);
    uint o = 10u * i;
    result[o] = uint(int(bytes[i]));
    result[o + 1u] = uint(words[i]) + uint(float(halfs[i]) * 1024.0);
    result[o + 2u] = uint(longs[i] >> 32) ^ uint(longs[i]);
    result[o + 3u] = carry + 2u * borrow;
    result[o + 4u] = high; result[o + 5u] = low;
    result[o + 6u] = bitfieldInsert(x, i, 5, 7);
    result[o + 7u] = uint(bitfieldExtract(int(x), 4, 9));
    result[o + 8u] = uint(bitCount(x)) + 100u * uint(findLSB(x)) + 10000u * uint(findMSB(x));
    result[o + 9u] = (f < 1.0 ? 1u : 0u) + (f != f ? 2u : 0u) + (isinf(f) ? 4u : 0u) + (!(f >= 1.0) ? 8u : 0u);
}
