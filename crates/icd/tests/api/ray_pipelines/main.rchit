#version 460
#extension GL_EXT_ray_tracing : require
layout(binding = 0) uniform accelerationStructureEXT scene;
struct Payload { float kind; float t; vec2 weights; uint anyHits; float shadow; float called; float extra; };
layout(location = 0) rayPayloadInEXT Payload payload;
layout(location = 1) rayPayloadEXT float shadow;
layout(location = 4) callableDataEXT vec2 data;
hitAttributeEXT vec2 weights;
layout(push_constant) uniform Push { uint flags; uint depth; } push;
void main() {
    payload.kind = gl_InstanceCustomIndexEXT + gl_PrimitiveID;
    payload.t = gl_HitTEXT;
    payload.weights = weights;
    payload.extra = gl_ObjectToWorldEXT[3].x + 100 * gl_ObjectRayOriginEXT.z + 10000 * gl_HitKindEXT;
    shadow = 0;
    vec3 place = gl_WorldRayOriginEXT + gl_HitTEXT * gl_WorldRayDirectionEXT;
    traceRayEXT(scene, gl_RayFlagsSkipClosestHitShaderEXT, 0xff, 0, 0, 1, place + vec3(0, 0, 0.25), 0.125, vec3(0, 0, 1), 50, 1);
    payload.shadow = shadow;
    data = vec2(payload.t, 0);
    executeCallableEXT(gl_InstanceID, 4);
    payload.called = data.y;
}
