#version 450
// Inclusive prefix sums of blocks of 256 words by doubling steps in workgroup memory; each block's
// total goes to the next level.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) buffer Values { uint values[]; };
layout(set = 0, binding = 1) writeonly buffer Totals { uint totals[]; };

shared uint sums[256];

void main() {
    uint lane = gl_LocalInvocationID.x;
    uint i = gl_GlobalInvocationID.x;
    uint sum = values[i];
    sums[lane] = sum;
    barrier();
    for (uint reach = 1u; reach < 256u; reach <<= 1) {
        uint before = lane >= reach ? sums[lane - reach] : 0u;
        barrier();
        sum += before;
        sums[lane] = sum;
        barrier();
    }
    values[i] = sum;
    if (lane == 255u) {
        totals[gl_WorkGroupID.x] = sum;
    }
}
