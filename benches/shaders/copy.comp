#version 450
// One float in, one float out.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) writeonly buffer A { float a[]; };
layout(set = 0, binding = 1) readonly buffer B { float b[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    a[i] = b[i];
}
