#version 450
// As little as a dispatch can do and still be seen.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Counter { uint counter; };

void main() {
    if (gl_LocalInvocationID.x == 0u) {
        atomicAdd(counter, 1u);
    }
}
