#version 450
// One float in, multiplied by a constant, one float out.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) writeonly buffer A { float a[]; };
layout(set = 0, binding = 1) readonly buffer B { float b[]; };
layout(push_constant) uniform Params { float factor; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    a[i] = factor * b[i];
}
