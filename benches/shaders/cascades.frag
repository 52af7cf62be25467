#version 450
// A normal map's light, and shadows of one of three maps side by side, by distance.
layout(set = 0, binding = 2) uniform sampler2DShadow shadows;
layout(set = 0, binding = 3) uniform sampler2D normals;
layout(location = 0) in vec3 world;
layout(location = 1) in vec2 uv;
layout(location = 2) in vec3 normal;
layout(location = 3) in vec4 tangent;
layout(location = 0) out vec4 color;

void main() {
    vec3 n = normalize(normal);
    vec3 t = normalize(tangent.xyz - n * dot(n, tangent.xyz));
    vec3 b = cross(n, t) * tangent.w;
    vec3 bump = texture(normals, uv).xyz * 2.0 - 1.0;
    vec3 facing = normalize(mat3(t, b, n) * bump);
    float light = max(dot(facing, normalize(vec3(0.3, 0.4, 0.9))), 0.0);
    int cascade = 2;
    if (world.y < 0.5) {
        cascade = 0;
    } else if (world.y < 0.75) {
        cascade = 1;
    }
    float scale = 1.0 / float(1 << cascade);
    vec2 at = fract(world.xy * 4.0 * scale) * 0.96 + 0.02;
    vec2 texel = 1.0 / vec2(textureSize(shadows, 0));
    float lit = 0.0;
    for (int i = 0; i < 4; i++) {
        vec2 offset = (vec2(float(i & 1), float(i >> 1)) - 0.5) * texel;
        lit += texture(shadows, vec3((float(cascade) + at.x) / 3.0 + offset.x, at.y + offset.y, world.z));
    }
    color = vec4(vec3(light * (0.2 + 0.2 * lit)), 1.0);
}
