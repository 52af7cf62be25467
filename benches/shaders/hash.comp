#version 450
// Rounds of an integer mixing function: six operations a round that nothing can shorten.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) writeonly buffer Result { uint result[]; };
layout(push_constant) uniform Params { uint rounds; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint h = i;
    for (uint r = 0u; r < rounds; ++r) {
        h ^= h >> 15;
        h *= 0x9e3779b1u;
        h ^= h >> 13;
        h += r;
    }
    result[i] = h;
}
