#version 450
// A square product; each invocation has 4 x 4 elements in an array that loop counters index. Counters beside
// them end every loop, as compilers of WGSL add.
layout(local_size_x = 4, local_size_y = 4) in;
layout(set = 0, binding = 0) writeonly buffer Product { vec4 product[]; };
layout(set = 0, binding = 1) readonly buffer Left { vec4 left[]; };
layout(set = 0, binding = 2) readonly buffer Right { vec4 right[]; };
layout(push_constant) uniform Params { uint n; };

#define ENDS(rest) all(equal(rest, uvec2(0u)))
#define COUNT(rest) rest -= uvec2(1u, uint(rest.x == 0u))

void main() {
    uint row = gl_GlobalInvocationID.y * 4u;
    uint words = n / 4u;
    vec4 sums[4] = vec4[4](vec4(0.0), vec4(0.0), vec4(0.0), vec4(0.0));
    uvec2 outer = uvec2(~0u);
    for (uint k = 0u;; ++k) {
        if (ENDS(outer)) {
            break;
        }
        COUNT(outer);
        if (k >= words) {
            break;
        }
        vec4 rights[4];
        uvec2 first = uvec2(~0u);
        for (uint i = 0u;; ++i) {
            if (ENDS(first)) {
                break;
            }
            COUNT(first);
            if (i >= 4u) {
                break;
            }
            rights[i] = right[(k * 4u + i) * words + gl_GlobalInvocationID.x];
        }
        uvec2 second = uvec2(~0u);
        for (uint i = 0u;; ++i) {
            if (ENDS(second)) {
                break;
            }
            COUNT(second);
            if (i >= 4u) {
                break;
            }
            vec4 lefts = left[(row + i) * words + k];
            uvec2 third = uvec2(~0u);
            for (uint j = 0u;; ++j) {
                if (ENDS(third)) {
                    break;
                }
                COUNT(third);
                if (j >= 4u) {
                    break;
                }
                sums[i] += lefts[j] * rights[j];
            }
        }
    }
    for (uint i = 0u; i < 4u; ++i) {
        product[(row + i) * words + gl_GlobalInvocationID.x] = sums[i];
    }
}
