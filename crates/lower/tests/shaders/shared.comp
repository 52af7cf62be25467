#version 450
layout(local_size_x = 8, local_size_y = 6, local_size_z = 2) in;
layout(set = 0, binding = 0) readonly buffer In { uint data[]; };
layout(set = 0, binding = 1) buffer Out { uint sums[]; };
shared uint values[96];
shared uint total;
void main() {
    uint i = gl_LocalInvocationIndex;
    if (i == 0u) total = 0u;
    values[i] = data[gl_WorkGroupID.x * 96u + i];
    barrier();
    for (uint step = 48u; step > 2u; step /= 2u) {
        if (i < step) values[i] += values[i + step];
        barrier();
    }
    if (i < 3u) atomicAdd(total, values[i]);
    barrier();
    uint place = gl_WorkGroupID.x * 97u;
    sums[place + i] = total + gl_LocalInvocationID.x + 100u * gl_LocalInvocationID.y + 10000u * gl_LocalInvocationID.z;
    if (i == 95u) sums[place + 96u] = values[0];
}
