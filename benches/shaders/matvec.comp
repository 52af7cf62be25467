#version 450
// The product of a matrix and a vector: a row for each invocation, by vectors of four.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) writeonly buffer Y { float y[]; };
layout(set = 0, binding = 1) readonly buffer A { vec4 a[]; };
layout(set = 0, binding = 2) readonly buffer X { vec4 x[]; };
layout(push_constant) uniform Params { uint columns; };

void main() {
    uint row = gl_GlobalInvocationID.x;
    vec4 sum = vec4(0.0);
    for (uint k = 0u; k < columns; ++k) {
        sum += a[row * columns + k] * x[k];
    }
    y[row] = sum.x + sum.y + (sum.z + sum.w);
}
