#version 450
// A square matrix product by 16x16 tiles held in workgroup memory; the size is a multiple of 16.
const uint TILE = 16u;
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) writeonly buffer Product { float product[]; };
layout(set = 0, binding = 1) readonly buffer Left { float left[]; };
layout(set = 0, binding = 2) readonly buffer Right { float right[]; };
layout(push_constant) uniform Params { uint n; };

shared float leftTile[TILE][TILE];
shared float rightTile[TILE][TILE];

void main() {
    uint x = gl_LocalInvocationID.x;
    uint y = gl_LocalInvocationID.y;
    uint row = gl_GlobalInvocationID.y;
    uint column = gl_GlobalInvocationID.x;
    float sum = 0.0;
    for (uint tile = 0u; tile < n; tile += TILE) {
        leftTile[y][x] = left[row * n + tile + x];
        rightTile[y][x] = right[(tile + y) * n + column];
        barrier();
        for (uint k = 0u; k < TILE; ++k) {
            sum += leftTile[y][k] * rightTile[k][x];
        }
        barrier();
    }
    product[row * n + column] = sum;
}
