#version 450
// Two floats in, one out: a = b + factor * c.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) writeonly buffer A { float a[]; };
layout(set = 0, binding = 1) readonly buffer B { float b[]; };
layout(set = 0, binding = 2) readonly buffer C { float c[]; };
layout(push_constant) uniform Params { float factor; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    a[i] = b[i] + factor * c[i];
}
