#version 450
#extension GL_EXT_shared_memory_block : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 16) in;
layout(scalar) shared Words { uint words[48]; } a;
layout(scalar) shared Triples { uvec3 triples[16]; } b;
layout(scalar) shared Bytes { uint8_t head; uint8_t bytes[191]; } c;
layout(set = 0, binding = 0) buffer Out { uint result[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    for (uint k = 0u; k < 3u; k++) a.words[3u * i + k] = 0x01010101u * (3u * i + k);
    barrier();
    uint j = 15u - i;
    result[3u * i] = b.triples[j].y;
    result[3u * i + 1u] = uint(c.bytes[4u * i + 3u]);
    result[3u * i + 2u] = b.triples[i + 1u].x + uint(c.head);
}
