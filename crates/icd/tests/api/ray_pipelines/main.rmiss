#version 460
#extension GL_EXT_ray_tracing : require
struct Payload { float kind; float t; vec2 weights; uint anyHits; float shadow; float called; float extra; };
layout(location = 0) rayPayloadInEXT Payload payload;
layout(shaderRecordEXT) buffer Record { float value; } record;
void main() {
    payload.kind = record.value;
    payload.t = gl_RayTmaxEXT;
    payload.extra = gl_WorldRayDirectionEXT.z;
}
