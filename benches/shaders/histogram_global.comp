#version 450
// Counts in a buffer that all threads share, one atomic for each sample.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) buffer Bins { uint bins[]; };
layout(set = 0, binding = 1) readonly buffer Samples { uint samples[]; };
layout(push_constant) uniform Params { uint wordsPerInvocation; uint mask; };

void main() {
    uint first = gl_WorkGroupID.x * 256u * wordsPerInvocation + gl_LocalInvocationID.x;
    for (uint w = 0u; w < wordsPerInvocation; ++w) {
        atomicAdd(bins[samples[first + w * 256u] & mask], 1u);
    }
}
