#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
layout(binding = 1) shadercallcoherent buffer Out { uint words[]; } result;
struct Payload { uint first; };
const int release = gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible;
#ifdef RGEN
layout(binding = 0) uniform accelerationStructureEXT scene;
layout(location = 0) rayPayloadEXT Payload payload;
void main() {
    uint first = 12 * (gl_LaunchIDEXT.x + gl_LaunchSizeEXT.x * gl_LaunchIDEXT.y);
    payload.first = first;
    result.words[first] = 7 + first;
    atomicAdd(result.words[first + 1], 1, gl_ScopeShaderCallEXT, 0, 0);
    // Lanes of one subgroup trace once, twice and thrice.
    uint count = 1 + gl_LaunchIDEXT.x % 3;
    for (uint index = 0; index < count; ++index) {
        memoryBarrier(gl_ScopeShaderCallEXT, gl_StorageSemanticsBuffer, release);
        traceRayEXT(scene, 0, 0xff, 0, 1, 0, vec3(0, 0, 100), 0, vec3(0, 0, 1), 10, 0);
        memoryBarrier(gl_ScopeShaderCallEXT, gl_StorageSemanticsBuffer, release);
        // What the miss shader has left is what the next one sees.
        result.words[first] += 1;
    }
    result.words[first + 2] = result.words[first];
}
#endif
#ifdef RMISS
layout(location = 0) rayPayloadInEXT Payload payload;
void main() {
    result.words[payload.first] *= 3;
    atomicAdd(result.words[payload.first + 1], 10, gl_ScopeShaderCallEXT, 0, 0);
    memoryBarrier(gl_ScopeShaderCallEXT, gl_StorageSemanticsBuffer, release);
}
#endif
