// One ray for each invocation: which sphere or linear swept sphere it meets, and all that is said of it.
#version 460
#extension GL_EXT_ray_query : require
#extension GL_EXT_spirv_intrinsics : require
#extension GL_EXT_nonuniform_qualifier : require

layout(local_size_x = 8) in;

// `GL_NV_linear_swept_spheres`, for compilers that lack it.
#define OF_QUERY(type, name, number)                                                                         \
    spirv_instruction(extensions = ["SPV_NV_linear_swept_spheres"], capabilities = [5418, 5419], id = number) \
    type name(spirv_by_reference rayQueryEXT query, int intersection);
OF_QUERY(vec3, sphere_position, 5427)
OF_QUERY(float, sphere_radius, 5428)
OF_QUERY(vec3[2], swept_positions, 5429)
OF_QUERY(float[2], swept_radii, 5430)
OF_QUERY(float, swept_value, 5431)
OF_QUERY(bool, is_sphere, 5438)
OF_QUERY(bool, is_swept, 5439)

struct Ray {
    vec3 origin;
    float t_min;
    vec3 direction;
    float t_max;
    uint flags;
    uint mask;
    // 1: candidates are confirmed.
    uint mode;
    float value;
    uvec2 address;
    uint element;
    uint structure;
};

layout(set = 0, binding = 0, std430) readonly buffer Rays { Ray rays[]; };
layout(set = 0, binding = 1, std430) buffer Results { float results[]; };
layout(set = 0, binding = 2) uniform accelerationStructureEXT structures[2];

void put(inout uint at, float value) { results[at++] = value; }
void put(inout uint at, vec3 value) { put(at, value.x); put(at, value.y); put(at, value.z); }

// Seventeen numbers.
void put_shape(rayQueryEXT query, inout uint at) {
    put(at, float(is_sphere(query, 1)));
    put(at, float(is_swept(query, 1)));
    put(at, sphere_position(query, 1));
    put(at, sphere_radius(query, 1));
    vec3 positions[2] = swept_positions(query, 1);
    float radii[2] = swept_radii(query, 1);
    put(at, positions[0]);
    put(at, positions[1]);
    put(at, radii[0]);
    put(at, radii[1]);
    put(at, swept_value(query, 1));
}

void main() {
    Ray ray = rays[gl_GlobalInvocationID.x];
    uint at = 64 * gl_GlobalInvocationID.x;
    rayQueryEXT query;
    rayQueryInitializeEXT(query, structures[nonuniformEXT(ray.structure)], ray.flags, ray.mask, ray.origin, ray.t_min,
                          ray.direction, ray.t_max);
    float candidates = 0, spheres = 0, swept = 0, values = 0;
    while (rayQueryProceedEXT(query)) {
        candidates += float(rayQueryGetIntersectionTypeEXT(query, false) ==
                            gl_RayQueryCandidateIntersectionTriangleEXT);
        spheres += float(is_sphere(query, 0));
        swept += float(is_swept(query, 0));
        if (is_swept(query, 0)) values += swept_value(query, 0);
        if ((ray.mode & 1) != 0) rayQueryConfirmIntersectionEXT(query);
    }
    put(at, candidates);
    put(at, spheres);
    put(at, swept);
    put(at, values);
    uint type = rayQueryGetIntersectionTypeEXT(query, true);
    put(at, type);
    if (type == gl_RayQueryCommittedIntersectionNoneEXT) return;
    put(at, rayQueryGetIntersectionTEXT(query, true));
    put(at, rayQueryGetIntersectionInstanceIdEXT(query, true));
    put(at, rayQueryGetIntersectionGeometryIndexEXT(query, true));
    put(at, rayQueryGetIntersectionPrimitiveIndexEXT(query, true));
    put(at, float(rayQueryGetIntersectionFrontFaceEXT(query, true)));
    vec2 weights = rayQueryGetIntersectionBarycentricsEXT(query, true);
    put(at, weights.x);
    put(at, weights.y);
    put_shape(query, at);
}
