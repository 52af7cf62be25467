#version 450
#extension GL_EXT_spirv_intrinsics : require
// A square product of matrices of signed bytes, four in a word, by tiles in workgroup memory: rows of the left matrix and
// columns of the right one lie in words one behind the other. The size in words is a multiple of 16.
const uint TILE = 16u;
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) writeonly buffer Product { int product[]; };
layout(set = 0, binding = 1) readonly buffer Left { int left[]; };
layout(set = 0, binding = 2) readonly buffer Right { int right[]; };
layout(push_constant) uniform Params { uint words; };

shared int leftTile[TILE][TILE];
shared int rightTile[TILE][TILE];

// OpSDotKHR of words in the format PackedVectorFormat4x8BitKHR.
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6018, 6019], id = 4450)
int dotPacked(int a, int b, spirv_literal int format);

void main() {
    uint x = gl_LocalInvocationID.x;
    uint y = gl_LocalInvocationID.y;
    uint row = gl_GlobalInvocationID.y;
    uint column = gl_GlobalInvocationID.x;
    uint tileColumn = gl_WorkGroupID.x * TILE + y;
    int sum = 0;
    for (uint tile = 0u; tile < words; tile += TILE) {
        leftTile[y][x] = left[row * words + tile + x];
        rightTile[x][y] = right[tileColumn * words + tile + x];
        barrier();
        for (uint k = 0u; k < TILE; ++k) {
            sum += dotPacked(leftTile[y][k], rightTile[k][x], 0);
        }
        barrier();
    }
    product[row * words * 4u + column] = sum;
}
