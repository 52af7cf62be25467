#version 450
// The second pass of deferred shading: sixteen lights on what the first one left.
layout(set = 0, binding = 2) uniform sampler2D albedo;
layout(set = 0, binding = 3) uniform sampler2D normals;
layout(set = 0, binding = 4) uniform sampler2D places;
layout(set = 0, binding = 5) uniform sampler2D materials;
layout(location = 0) out vec4 color;

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    vec3 base = texelFetch(albedo, at, 0).rgb;
    vec3 normal = texelFetch(normals, at, 0).xyz;
    vec3 place = texelFetch(places, at, 0).xyz;
    vec2 material = texelFetch(materials, at, 0).xy;
    float sum = 0.1;
    for (int i = 0; i < 16; i++) {
        vec3 light = vec3((float(i & 3) + 0.5) * 0.25, (float(i >> 2) + 0.5) * 0.25, 1.2);
        vec3 to = light - place;
        float squared = dot(to, to);
        float facing = max(dot(normal, to) * inversesqrt(squared), 0.0);
        sum += material.x * facing / (1.0 + 8.0 * squared);
    }
    color = vec4(base * sum + vec3(0.0, 0.0, 0.25 * material.y), 1.0);
}
