// One ray for each invocation: what its candidates are, and what comes of them.
#version 460
#extension GL_EXT_ray_query : require
#extension GL_EXT_spirv_intrinsics : require
#extension GL_EXT_nonuniform_qualifier : require

layout(local_size_x = 8) in;

// `GL_EXT_ray_tracing_position_fetch`, for compilers that lack it.
spirv_instruction(extensions = ["SPV_KHR_ray_tracing_position_fetch"], capabilities = [5391], id = 5340)
vec3[3] positions_of(spirv_by_reference rayQueryEXT query, int intersection);

struct Ray {
    vec3 origin;
    float t_min;
    vec3 direction;
    float t_max;
    uint flags;
    uint mask;
    // 1: triangles are confirmed; 2: boxes are hit at `value`; 4: the query ends at its first candidate; 8: the structure is
    // that of the address; 16: only candidates whose number is even are taken.
    uint mode;
    float value;
    uvec2 address;
    // Which query of the array, and which structure of the binding.
    uint element;
    uint structure;
};

layout(set = 0, binding = 0, std430) readonly buffer Rays { Ray rays[]; };
layout(set = 0, binding = 1, std430) buffer Results { float results[]; };
layout(set = 0, binding = 2) uniform accelerationStructureEXT structures[2];

rayQueryEXT kept[2];

void put(inout uint at, float value) { results[at++] = value; }
void put(inout uint at, vec3 value) { put(at, value.x); put(at, value.y); put(at, value.z); }
void put(inout uint at, mat4x3 value) { for (int i = 0; i < 4; i++) put(at, value[i]); }

void run(rayQueryEXT query, Ray ray, inout uint at) {
    float candidates = 0, sum = 0, opaque_boxes = 0, candidate_t = 0, candidate_x = 0;
    while (rayQueryProceedEXT(query)) {
        bool is_triangle =
            rayQueryGetIntersectionTypeEXT(query, false) == gl_RayQueryCandidateIntersectionTriangleEXT;
        uint number = rayQueryGetIntersectionPrimitiveIndexEXT(query, false);
        candidates++;
        sum += number + 1000 * rayQueryGetIntersectionGeometryIndexEXT(query, false);
        candidate_x += rayQueryGetIntersectionObjectRayOriginEXT(query, false).x;
        if (is_triangle) {
            candidate_t = rayQueryGetIntersectionTEXT(query, false);
        } else {
            opaque_boxes += float(rayQueryGetIntersectionCandidateAABBOpaqueEXT(query));
        }
        if ((ray.mode & 16) != 0 && number % 2 != 0) continue;
        if (is_triangle && (ray.mode & 1) != 0) rayQueryConfirmIntersectionEXT(query);
        if (!is_triangle && (ray.mode & 2) != 0) rayQueryGenerateIntersectionEXT(query, ray.value + number);
        if ((ray.mode & 4) != 0) { rayQueryTerminateEXT(query); break; }
    }
    put(at, candidates);
    put(at, sum);
    put(at, opaque_boxes);
    put(at, candidate_t);
    put(at, candidate_x);
    uint type = rayQueryGetIntersectionTypeEXT(query, true);
    put(at, type);
    if (type != gl_RayQueryCommittedIntersectionNoneEXT) {
        put(at, rayQueryGetIntersectionTEXT(query, true));
        put(at, rayQueryGetIntersectionInstanceCustomIndexEXT(query, true));
        put(at, rayQueryGetIntersectionInstanceIdEXT(query, true));
        put(at, rayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetEXT(query, true));
        put(at, rayQueryGetIntersectionGeometryIndexEXT(query, true));
        put(at, rayQueryGetIntersectionPrimitiveIndexEXT(query, true));
        put(at, rayQueryGetIntersectionObjectRayOriginEXT(query, true));
        put(at, rayQueryGetIntersectionObjectRayDirectionEXT(query, true));
        put(at, rayQueryGetIntersectionObjectToWorldEXT(query, true));
        put(at, rayQueryGetIntersectionWorldToObjectEXT(query, true));
    } else {
        at += 36;
    }
    if (type == gl_RayQueryCommittedIntersectionTriangleEXT) {
        put(at, vec3(rayQueryGetIntersectionBarycentricsEXT(query, true),
                     rayQueryGetIntersectionFrontFaceEXT(query, true)));
        vec3 positions[3] = positions_of(query, 1);
        for (int i = 0; i < 3; i++) put(at, positions[i]);
    } else {
        at += 12;
    }
    put(at, rayQueryGetRayTMinEXT(query));
    put(at, rayQueryGetRayFlagsEXT(query));
    put(at, rayQueryGetWorldRayOriginEXT(query));
    put(at, rayQueryGetWorldRayDirectionEXT(query));
}

void main() {
    Ray ray = rays[gl_GlobalInvocationID.x];
    uint at = gl_GlobalInvocationID.x * 64;
    uint element = ray.element % 2;
    // A query that has no ray finds nothing.
    rayQueryEXT empty;
    results[at + 63] = float(rayQueryProceedEXT(empty)) + rayQueryGetIntersectionTypeEXT(empty, true);
    if ((ray.mode & 8) != 0) {
        rayQueryInitializeEXT(kept[element], accelerationStructureEXT(ray.address), ray.flags, ray.mask,
            ray.origin, ray.t_min, ray.direction, ray.t_max);
    } else {
        rayQueryInitializeEXT(kept[element], structures[nonuniformEXT(ray.structure)], ray.flags, ray.mask,
            ray.origin, ray.t_min, ray.direction, ray.t_max);
    }
    run(kept[element], ray, at);
}
