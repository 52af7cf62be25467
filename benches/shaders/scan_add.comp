#version 450
// Adds to each block of 256 words the prefix sum of the blocks before it.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) buffer Values { uint values[]; };
layout(set = 0, binding = 1) readonly buffer Totals { uint totals[]; };

void main() {
    if (gl_WorkGroupID.x > 0u) {
        values[gl_GlobalInvocationID.x] += totals[gl_WorkGroupID.x - 1u];
    }
}
