#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_EXT_ray_query : require
#extension GL_NV_shader_invocation_reorder : require
// What a closest-hit or miss shader sees.
struct Payload { vec4 hit; vec4 more; vec4 object; uvec4 launch; };
#ifdef RGEN
layout(binding = 0) uniform accelerationStructureEXT scene;
layout(binding = 1) buffer Out { uint words[]; } result;
layout(location = 0) rayPayloadEXT Payload payload;
layout(location = 0) hitObjectAttributeNV vec2 attr;
uint first;
void write(uint part) {
    uint[16] all = uint[](floatBitsToUint(payload.hit.x), floatBitsToUint(payload.hit.y),
        floatBitsToUint(payload.hit.z), floatBitsToUint(payload.hit.w), floatBitsToUint(payload.more.x),
        floatBitsToUint(payload.more.y), floatBitsToUint(payload.more.z), floatBitsToUint(payload.more.w),
        floatBitsToUint(payload.object.x), floatBitsToUint(payload.object.y), floatBitsToUint(payload.object.z),
        floatBitsToUint(payload.object.w), payload.launch.x, payload.launch.y, payload.launch.z, payload.launch.w);
    for (uint word = 0; word < 16; ++word) result.words[first + 16 * part + word] = all[word];
    payload = Payload(vec4(-1), vec4(-1), vec4(-1), uvec4(77));
}
void main() {
    first = 128 * gl_LaunchIDEXT.x;
    payload = Payload(vec4(-1), vec4(-1), vec4(-1), uvec4(77));
    vec3 origin = vec3(4 * (gl_LaunchIDEXT.x + 0.5) / gl_LaunchSizeEXT.x, 0.25, 10), direction = vec3(0, 0, -2);
    uint flags = gl_RayFlagsOpaqueEXT;
    // A plain trace.
    traceRayEXT(scene, flags, 0xf3, 0, 1, 0, origin, 0.5, direction, 100, 0);
    write(0);
    // The same in two steps.
    hitObjectNV found, other;
    result.words[first + 112] = uint(hitObjectIsEmptyNV(found));
    hitObjectTraceRayNV(found, scene, flags, 0xf3, 0, 1, 0, origin, 0.5, direction, 100, 0);
    reorderThreadNV(found, gl_LaunchIDEXT.x & 3, 2);
    result.words[first + 113] = uint(hitObjectIsEmptyNV(found)) + 2 * uint(hitObjectIsMissNV(found)) + 4 * uint(hitObjectIsHitNV(found));
    hitObjectExecuteShaderNV(found, 0);
    write(1);
    // What it says itself, as the closest-hit shader does.
    bool isHit = hitObjectIsHitNV(found);
    hitObjectGetAttributesNV(found, 0);
    payload.hit = vec4(hitObjectGetRayTMaxNV(found), hitObjectGetInstanceCustomIndexNV(found), hitObjectGetPrimitiveIndexNV(found), hitObjectGetGeometryIndexNV(found));
    payload.more = vec4(hitObjectGetHitKindNV(found), attr, hitObjectGetObjectToWorldNV(found)[3].x + 10 * hitObjectGetWorldToObjectNV(found)[3].x);
    payload.object = vec4(hitObjectGetObjectRayOriginNV(found), hitObjectGetObjectRayDirectionNV(found).z + 100 * hitObjectGetWorldRayDirectionNV(found).z + 10 * hitObjectGetRayTMinNV(found));
    payload.launch = uvec4(hitObjectGetInstanceIdNV(found), gl_LaunchIDEXT.x, hitObjectGetShaderBindingTableRecordIndexNV(found), flags);
    write(2);
    uvec2 address = hitObjectGetShaderRecordBufferHandleNV(found);
    result.words[first + 114] = address.x;
    result.words[first + 115] = address.y;
    // An empty one runs nothing.
    hitObjectRecordEmptyNV(other);
    hitObjectExecuteShaderNV(other, 0);
    write(3);
#ifdef EXT
    // What a query has found; the recording stands where `other` is made empty again.
    rayQueryEXT query;
    rayQueryInitializeEXT(query, scene, flags, 0xf3, origin, 0.5, direction, 100);
    while (rayQueryProceedEXT(query));
    attr = vec2(0);
    if (rayQueryGetIntersectionTypeEXT(query, true) != 0) attr = rayQueryGetIntersectionBarycentricsEXT(query, true);
    hitObjectRecordEmptyNV(other);
    hitObjectExecuteShaderNV(other, 0);
    write(4);
#else
    // A hit that is said to be.
    attr = vec2(0.125, 0.5);
    hitObjectRecordHitNV(other, scene, 1, 5, 0, 9, 0, 1, origin, 0.5, direction, 3.0, 0);
    reorderThreadNV(1, 1);
    hitObjectExecuteShaderNV(other, 0);
    write(4);
    // The square's closest-hit record, for the third instance.
    hitObjectRecordHitWithIndexNV(other, scene, 2, 1, 0, 254, 0, origin, 0.5, direction, 4.0, 0);
    hitObjectExecuteShaderNV(other, 0);
    write(5);
    hitObjectRecordMissNV(other, 0, origin, 0.5, direction, 60);
    hitObjectExecuteShaderNV(other, 0);
    write(6);
    // There is no such instance.
    hitObjectRecordHitNV(other, scene, 9, 5, 0, 9, 0, 1, origin, 0.5, direction, 3.0, 0);
    result.words[first + 116] = uint(hitObjectIsEmptyNV(other));
#endif
}
#endif
#ifdef RMISS
layout(location = 0) rayPayloadInEXT Payload payload;
layout(shaderRecordEXT) buffer Record { float value; } record;
void main() {
    payload.hit = vec4(gl_RayTmaxEXT, record.value, gl_WorldRayOriginEXT.x, gl_WorldRayDirectionEXT.z);
    payload.launch.y = gl_LaunchIDEXT.x;
}
#endif
#ifdef RCHIT
layout(location = 0) rayPayloadInEXT Payload payload;
layout(shaderRecordEXT) buffer Record { uint index; } record;
hitAttributeEXT vec2 weights;
void main() {
    payload.hit = vec4(gl_HitTEXT, gl_InstanceCustomIndexEXT, gl_PrimitiveID, gl_GeometryIndexEXT);
    payload.more = vec4(gl_HitKindEXT, weights, gl_ObjectToWorldEXT[3].x + 10 * gl_WorldToObjectEXT[3].x);
    payload.object = vec4(gl_ObjectRayOriginEXT, gl_ObjectRayDirectionEXT.z + 100 * gl_WorldRayDirectionEXT.z + 10 * gl_RayTminEXT);
    payload.launch = uvec4(gl_InstanceID, gl_LaunchIDEXT.x, record.index, gl_IncomingRayFlagsEXT);
}
#endif
#ifdef RINT
hitAttributeEXT vec2 weights;
void main() {
    weights = vec2(0.25, 0.75);
    reportIntersectionEXT((gl_ObjectRayOriginEXT.z - 0.75) / -gl_ObjectRayDirectionEXT.z, 6);
}
#endif
