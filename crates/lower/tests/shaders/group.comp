#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_clustered : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Out { uint result[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uint o = 10u * i;
    result[o] = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
    result[o + 1u] = subgroupClusteredAdd(i, 4u);
    result[o + 2u] = subgroupQuadBroadcast(i, 2u) + 100u * subgroupQuadSwapDiagonal(i);
    result[o + 3u] = subgroupShuffleXor(i, 3u);
    if (i % 4u != 1u) {
        result[o + 4u] = subgroupClusteredMax(i, 4u);
        result[o + 5u] = subgroupBallotBitExtract(subgroupBallot(i % 4u == 2u), gl_SubgroupInvocationID) ? 1u : 0u;
    } else {
        result[o + 4u] = subgroupAny(i % 4u == 1u) ? 3u : 4u;
        result[o + 5u] = subgroupAll(i % 4u == 2u) ? 3u : 4u;
    }
    uint loops = 0u;
    for (uint k = 0u; k < i % 4u; k++) loops += subgroupClusteredAdd(1u, 4u);
    result[o + 6u] = loops;
    result[o + 7u] = gl_NumSubgroups * gl_SubgroupSize;
    result[o + 8u] = subgroupElect() ? uint(gl_SubgroupInvocationID == 0u) : uint(gl_SubgroupInvocationID != 0u);
    result[o + 9u] = subgroupInverseBallot(gl_SubgroupEqMask) ? subgroupBroadcastFirst(5u) : 0u;
}
