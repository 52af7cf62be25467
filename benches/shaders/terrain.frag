#version 450
// Its texture, lit by the slope of the heights, in a fog that is denser below.
layout(push_constant) uniform Push { vec4 fog; vec4 size; } push;
layout(set = 0, binding = 2) uniform sampler2D heights;
layout(set = 0, binding = 3) uniform sampler2D ground;
layout(location = 0) in vec2 uv;
layout(location = 1) in vec3 world;
layout(location = 0) out vec4 color;

void main() {
    vec2 texel = 1.0 / vec2(textureSize(heights, 0));
    float east = texture(heights, uv + vec2(texel.x, 0.0)).x - texture(heights, uv - vec2(texel.x, 0.0)).x;
    float south = texture(heights, uv + vec2(0.0, texel.y)).x - texture(heights, uv - vec2(0.0, texel.y)).x;
    vec3 normal = normalize(vec3(-8.0 * east, -8.0 * south, 1.0));
    float lit = 0.4 + 0.6 * max(dot(normal, vec3(0.36, 0.48, 0.8)), 0.0);
    vec3 base = texture(ground, uv * push.size.zw).rgb;
    float clear = exp(-push.fog.w * (1.0 - world.z));
    color = vec4(mix(push.fog.rgb, base * lit, clear), 1.0);
}
