#version 450
// A letter of an atlas: how much of a pixel it covers is in alpha.
layout(set = 0, binding = 2) uniform sampler2D atlas;
layout(location = 0) in vec2 uv;
layout(location = 1) in vec4 shade;
layout(location = 0) out vec4 color;

void main() {
    color = vec4(shade.rgb, shade.a * texture(atlas, uv).a);
}
