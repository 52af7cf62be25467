// A camera's rays over a landscape: the closest hit of each, and whether the light comes to it.
#version 460
#extension GL_EXT_ray_query : require

layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, std430) writeonly buffer Hits { vec2 hits[]; };
layout(set = 0, binding = 1) uniform accelerationStructureEXT scene;
layout(push_constant) uniform Size { uint width, height; };

const vec3 EYE = vec3(0.5, 0.7, -0.4);
const vec3 LIGHT = vec3(0.6, 0.5, 0.3);

void main() {
    uvec2 at = gl_GlobalInvocationID.xy;
    vec2 place = (vec2(at) + 0.5) / vec2(width, height);
    vec3 direction = vec3(place.x - 0.5, place.y * -0.9, 0.8);
    rayQueryEXT primary;
    rayQueryInitializeEXT(primary, scene, gl_RayFlagsOpaqueEXT, 0xff, EYE, 0.0, direction, 1e9);
    while (rayQueryProceedEXT(primary)) {}
    vec2 hit = vec2(-1.0, 0.0);
    if (rayQueryGetIntersectionTypeEXT(primary, true) == gl_RayQueryCommittedIntersectionTriangleEXT) {
        hit.x = rayQueryGetIntersectionTEXT(primary, true);
        rayQueryEXT shadow;
        rayQueryInitializeEXT(shadow, scene, gl_RayFlagsOpaqueEXT | gl_RayFlagsTerminateOnFirstHitEXT, 0xff,
            EYE + hit.x * direction, 1e-3, LIGHT, 1e9);
        while (rayQueryProceedEXT(shadow)) {}
        hit.y = rayQueryGetIntersectionTypeEXT(shadow, true) == gl_RayQueryCommittedIntersectionNoneEXT ? 1.0 : 0.0;
    }
    hits[at.y * width + at.x] = hit;
}
