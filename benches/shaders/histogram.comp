#version 450
// 256 bins in workgroup memory by atomics, then one atomic per bin to the whole. A word holds four samples.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) buffer Bins { uint bins[256]; };
layout(set = 0, binding = 1) readonly buffer Samples { uint samples[]; };
layout(push_constant) uniform Params { uint wordsPerInvocation; };

shared uint local[256];

void main() {
    uint lane = gl_LocalInvocationID.x;
    local[lane] = 0u;
    barrier();
    uint first = gl_WorkGroupID.x * 256u * wordsPerInvocation + lane;
    for (uint w = 0u; w < wordsPerInvocation; ++w) {
        uint word = samples[first + w * 256u];
        atomicAdd(local[word & 255u], 1u);
        atomicAdd(local[(word >> 8) & 255u], 1u);
        atomicAdd(local[(word >> 16) & 255u], 1u);
        atomicAdd(local[word >> 24], 1u);
    }
    barrier();
    uint n = local[lane];
    if (n != 0u) {
        atomicAdd(bins[lane], n);
    }
}
