#version 450
// One element of a square matrix product per invocation, straight from memory.
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) writeonly buffer Product { float product[]; };
layout(set = 0, binding = 1) readonly buffer Left { float left[]; };
layout(set = 0, binding = 2) readonly buffer Right { float right[]; };
layout(push_constant) uniform Params { uint n; };

void main() {
    uint row = gl_GlobalInvocationID.y;
    uint column = gl_GlobalInvocationID.x;
    if (row >= n || column >= n) {
        return;
    }
    float sum = 0.0;
    for (uint k = 0u; k < n; ++k) {
        sum += left[row * n + k] * right[k * n + column];
    }
    product[row * n + column] = sum;
}
