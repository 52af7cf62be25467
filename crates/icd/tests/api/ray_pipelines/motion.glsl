#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_NV_ray_tracing_motion_blur : require
// What an invocation writes: distance, time, where the candidate's and the hit's instances are, the first
// component of the map, and the ray's origin in object space.
struct Payload { float t; float time; float candidate; float hit; float turned; float origin; };
#ifdef RGEN
layout(binding = 0) uniform accelerationStructureEXT scene;
layout(binding = 1) buffer Out { float words[]; } result;
layout(location = 0) rayPayloadEXT Payload payload;
void main() {
    payload = Payload(-1, -1, -1, -1, -1, -1);
    vec3 origin = vec3(2 * gl_LaunchIDEXT.x + 0.5, 0.5, 20);
    float time = float(gl_LaunchIDEXT.y) / 8;
    traceRayMotionNV(scene, 0, 0xff, 0, 1, 0, origin, 0, vec3(0, 0, -1), 100, time, 0);
    uint at = 6 * (gl_LaunchIDEXT.x + gl_LaunchSizeEXT.x * gl_LaunchIDEXT.y);
    float[6] all = float[](payload.t, payload.time, payload.candidate, payload.hit, payload.turned, payload.origin);
    for (int word = 0; word < 6; ++word) result.words[at + word] = all[word];
}
#endif
#ifdef RMISS
layout(location = 0) rayPayloadInEXT Payload payload;
void main() { payload.time = gl_CurrentRayTimeNV; }
#endif
#ifdef RAHIT
layout(location = 0) rayPayloadInEXT Payload payload;
void main() { payload.candidate = gl_ObjectToWorldEXT[3].z + 100 * gl_CurrentRayTimeNV; }
#endif
#ifdef RCHIT
layout(location = 0) rayPayloadInEXT Payload payload;
void main() {
    payload.t = gl_HitTEXT;
    payload.time = gl_CurrentRayTimeNV;
    payload.hit = gl_ObjectToWorldEXT[3].z;
    payload.turned = gl_ObjectToWorldEXT[0].x;
    payload.origin = gl_ObjectRayOriginEXT.z;
}
#endif
#ifdef RINT
hitAttributeEXT vec2 unused;
void main() {
    // Half way through a box of unit size, where it is now.
    reportIntersectionEXT(gl_ObjectRayOriginEXT.z - 0.5, 0);
}
#endif
