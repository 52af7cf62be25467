#version 450
// Gravity between all pairs; bodies pass through workgroup memory a tile at a time.
const uint TILE = 256u;
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) writeonly buffer Acceleration { vec4 acceleration[]; };
layout(set = 0, binding = 1) readonly buffer Bodies { vec4 bodies[]; }; // xyz position, w mass
layout(push_constant) uniform Params { uint n; float softening; };

shared vec4 tile[TILE];

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint lane = gl_LocalInvocationID.x;
    vec3 here = bodies[i].xyz;
    vec3 sum = vec3(0.0);
    for (uint first = 0u; first < n; first += TILE) {
        tile[lane] = bodies[first + lane];
        barrier();
        for (uint k = 0u; k < TILE; ++k) {
            vec3 d = tile[k].xyz - here;
            float inverse = inversesqrt(dot(d, d) + softening);
            sum += d * (tile[k].w * inverse * inverse * inverse);
        }
        barrier();
    }
    acceleration[i] = vec4(sum, 0.0);
}
