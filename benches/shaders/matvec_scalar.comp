#version 450
// The product of a matrix and a vector, a row for each invocation, by elements that are named one by one.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) writeonly buffer Y { float y[]; };
layout(set = 0, binding = 1) readonly buffer A { float a[]; };
layout(set = 0, binding = 2) readonly buffer X { float x[]; };
layout(push_constant) uniform Params { uint columns; };

void main() {
    uint row = gl_GlobalInvocationID.x;
    float sum = 0.0;
    uint k = 0u;
    do {
        uint at = (row * columns + k) * 4u;
        uint from = k * 4u;
        sum += a[at] * x[from] + a[at + 1u] * x[from + 1u] + a[at + 2u] * x[from + 2u]
            + a[at + 3u] * x[from + 3u];
        k = x[from] < 0.0 ? columns : k + 1u;
    } while (k < columns);
    y[row] = sum;
}
