#version 460
// One stage of a pipeline, compiled by `glslangValidator --target-env vulkan1.2` with these definitions:
// rgen GENERATION; rint HIT, INTERSECTION, STAGE=0; rahit HIT, CANDIDATE, STAGE=1; rchit HIT, CANDIDATE, STAGE=2;
// rmiss STAGE=3.
#extension GL_EXT_ray_tracing : require
layout(binding = 1) buffer Out { float words[]; } result;
#ifdef GENERATION
layout(binding = 0) uniform accelerationStructureEXT scene;
layout(location = 0) rayPayloadEXT uint payload;
void main() {
    vec3 origins[3] = vec3[](vec3(9.75, 20.5, 32), vec3(-99, 0.25, 24), vec3(0, 0, 1000));
    vec3 directions[3] = vec3[](vec3(-0.25, 0.5, -1), vec3(0.25, 0.03125, -4), vec3(0, 0, 1));
    uint at = gl_LaunchIDEXT.x;
    traceRayEXT(scene, gl_RayFlagsNoOpaqueEXT, 0xff, 0, 0, 0, origins[at], 0.125, directions[at], 50, 0);
}
#else
uint at = 64 * (4 * gl_LaunchIDEXT.x + STAGE);
void put(float value) { result.words[at++] = value; }
void put(vec3 value) { put(value.x); put(value.y); put(value.z); }
#if defined(CANDIDATE) || defined(INTERSECTION)
hitAttributeEXT vec2 weights;
#endif
void main() {
    put(1);
    put(gl_LaunchIDEXT);
    put(gl_LaunchSizeEXT);
    put(gl_WorldRayOriginEXT);
    put(gl_WorldRayDirectionEXT);
    put(gl_RayTminEXT);
    put(gl_RayTmaxEXT);
    put(gl_IncomingRayFlagsEXT);
#ifdef HIT
    put(gl_ObjectRayOriginEXT);
    put(gl_ObjectRayDirectionEXT);
    put(gl_PrimitiveID);
    put(gl_InstanceID);
    put(gl_InstanceCustomIndexEXT);
    put(gl_GeometryIndexEXT);
    for (int column = 0; column < 4; ++column) put(gl_ObjectToWorldEXT[column]);
    for (int column = 0; column < 4; ++column) put(gl_WorldToObjectEXT[column]);
#endif
#ifdef CANDIDATE
    put(gl_HitKindEXT);
    put(weights.x);
    put(weights.y);
#endif
#ifdef INTERSECTION
    weights = vec2(0.25, 0.75);
    reportIntersectionEXT(3.5, 6);
#endif
}
#endif
