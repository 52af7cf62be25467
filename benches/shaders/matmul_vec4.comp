#version 450
// A square matrix product by 32x32 tiles of vec4 in workgroup memory, whose edges are checked; each invocation
// has a column of four vec4 in an array that a loop counter indexes. The size is a multiple of 4.
const int SIDE = 32;
const int ROWS = 4;
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) writeonly buffer Product { vec4 product[]; };
layout(set = 0, binding = 1) readonly buffer Left { vec4 left[]; };
layout(set = 0, binding = 2) readonly buffer Right { vec4 right[]; };
layout(push_constant) uniform Params { int n; };

shared vec4 leftTile[SIDE][SIDE / 4];
shared vec4 rightTile[SIDE][SIDE / 4];

void main() {
    int words = n / 4;
    int x = int(gl_LocalInvocationID.x);
    int y = int(gl_LocalInvocationID.y) * ROWS;
    int row = int(gl_GlobalInvocationID.y) * ROWS;
    int column = int(gl_GlobalInvocationID.x);
    vec4 sums[ROWS];
    for (int i = 0; i < ROWS; ++i) {
        sums[i] = vec4(0.0);
    }
    for (int tile = 0; tile < n; tile += SIDE) {
        for (int i = 0; i < ROWS; ++i) {
            bool isIn = row + i < n && tile / 4 + x < words;
            leftTile[y + i][x] = isIn ? left[(row + i) * words + tile / 4 + x] : vec4(0.0);
        }
        for (int i = 0; i < ROWS; ++i) {
            bool isIn = tile + y + i < n && column < words;
            rightTile[y + i][x] = isIn ? right[(tile + y + i) * words + column] : vec4(0.0);
        }
        barrier();
        for (int k = 0; k < SIDE / 4; ++k) {
            vec4 rights[4];
            for (int j = 0; j < 4; ++j) {
                rights[j] = rightTile[4 * k + j][x];
            }
            for (int i = 0; i < ROWS; ++i) {
                vec4 lefts = leftTile[y + i][k];
                sums[i] = rights[0] * lefts.x + sums[i];
                sums[i] = rights[1] * lefts.y + sums[i];
                sums[i] = rights[2] * lefts.z + sums[i];
                sums[i] = rights[3] * lefts.w + sums[i];
            }
        }
        barrier();
    }
    for (int i = 0; i < ROWS; ++i) {
        if (row + i < n && column < words) {
            product[(row + i) * words + column] = sums[i];
        }
    }
}
