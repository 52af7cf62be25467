#version 450
// How much of nine neighbours in a shadow map the light reaches, each the filtered mean of four comparisons.
layout(push_constant) uniform Push { vec4 color; vec4 place; } push;
layout(set = 0, binding = 2) uniform sampler2DShadow map;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;

void main() {
    vec2 texel = 1.0 / vec2(textureSize(map, 0));
    float lit = 0.0;
    for (int y = -1; y <= 1; y++) {
        for (int x = -1; x <= 1; x++) {
            lit += texture(map, vec3(uv + vec2(x, y) * texel, push.place.w));
        }
    }
    color = vec4(push.color.rgb * (0.2 + 0.8 * lit / 9.0), 1.0);
}
