#version 450
// A square matrix product by 64x64 tiles in workgroup memory; each invocation has 4 x 4 neighbouring elements
// in a private array. The size is a multiple of 64.
const uint SIDE = 64u;
const uint DEPTH = 16u;
const uint OWN = 4u;
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) writeonly buffer Product { float product[]; };
layout(set = 0, binding = 1) readonly buffer Left { float left[]; };
layout(set = 0, binding = 2) readonly buffer Right { float right[]; };
layout(push_constant) uniform Params { uint n; };

shared float leftTile[DEPTH][SIDE];
shared float rightTile[DEPTH][SIDE];

void main() {
    uint index = gl_LocalInvocationIndex;
    uint x = gl_LocalInvocationID.x * OWN;
    uint y = gl_LocalInvocationID.y * OWN;
    uint row = gl_WorkGroupID.y * SIDE;
    uint column = gl_WorkGroupID.x * SIDE;
    float sums[OWN][OWN];
    for (uint i = 0u; i < OWN; ++i) {
        for (uint j = 0u; j < OWN; ++j) {
            sums[i][j] = 0.0;
        }
    }
    for (uint tile = 0u; tile < n; tile += DEPTH) {
        for (uint i = index; i < SIDE * DEPTH; i += 256u) {
            leftTile[i % DEPTH][i / DEPTH] = left[(row + i / DEPTH) * n + tile + i % DEPTH];
            rightTile[i / SIDE][i % SIDE] = right[(tile + i / SIDE) * n + column + i % SIDE];
        }
        barrier();
        for (uint k = 0u; k < DEPTH; ++k) {
            float rights[OWN];
            for (uint j = 0u; j < OWN; ++j) {
                rights[j] = rightTile[k][x + j];
            }
            for (uint i = 0u; i < OWN; ++i) {
                float one = leftTile[k][y + i];
                for (uint j = 0u; j < OWN; ++j) {
                    sums[i][j] += one * rights[j];
                }
            }
        }
        barrier();
    }
    for (uint i = 0u; i < OWN; ++i) {
        for (uint j = 0u; j < OWN; ++j) {
            product[(row + y + i) * n + column + x + j] = sums[i][j];
        }
    }
}
