#version 450
// A step of post-processing: the mean of five texels of the last target, with less contrast.
layout(set = 0, binding = 2) uniform sampler2D source;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;

void main() {
    vec2 texel = 1.0 / vec2(textureSize(source, 0));
    vec4 sum = texture(source, uv);
    sum += texture(source, uv + vec2(texel.x, 0.0)) + texture(source, uv - vec2(texel.x, 0.0));
    sum += texture(source, uv + vec2(0.0, texel.y)) + texture(source, uv - vec2(0.0, texel.y));
    color = vec4(sum.rgb * 0.15 + 0.125, 1.0);
}
