#version 450
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(set = 0, binding = 0) buffer Out { uvec4 result[]; };
void main() {
    uvec3 size = gl_WorkGroupSize;
    uint count = size.x * size.y * size.z;
    uint group = gl_WorkGroupID.x + gl_NumWorkGroups.x * gl_WorkGroupID.y;
    uint i = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
    uvec3 start = gl_WorkGroupID * size;
    bool same = gl_GlobalInvocationID == start + gl_LocalInvocationID && gl_LocalInvocationIndex == i
        && gl_NumSubgroups == (count + gl_SubgroupSize - 1u) / gl_SubgroupSize;
    result[group * count + i] = uvec4(gl_LocalInvocationID, same ? 1u : 0u);
}
