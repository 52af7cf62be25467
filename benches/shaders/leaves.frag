#version 450
// Leaves whose alpha decides which samples they cover.
layout(set = 0, binding = 2) uniform sampler2D leaf;
layout(location = 0) in vec2 uv;
layout(location = 1) in vec4 shade;
layout(location = 0) out vec4 color;

void main() {
    vec4 texel = texture(leaf, uv);
    color = vec4(texel.rgb * shade.rgb, clamp((texel.a - 0.5) / max(fwidth(texel.a), 0.0001) + 0.5, 0.0, 1.0));
}
