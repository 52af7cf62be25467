#version 450
// A workgroup sums 1,024 floats: four loads per invocation, then a tree in workgroup memory.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) writeonly buffer Sums { float sums[]; };
layout(set = 0, binding = 1) readonly buffer Values { float values[]; };

shared float partial[256];

void main() {
    uint lane = gl_LocalInvocationID.x;
    uint first = gl_WorkGroupID.x * 1024u + lane;
    partial[lane] = (values[first] + values[first + 256u]) + (values[first + 512u] + values[first + 768u]);
    barrier();
    for (uint stride = 128u; stride > 0u; stride >>= 1) {
        if (lane < stride) {
            partial[lane] += partial[lane + stride];
        }
        barrier();
    }
    if (lane == 0u) {
        sums[gl_WorkGroupID.x] = partial[0];
    }
}
