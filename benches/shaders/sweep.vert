#version 450
// A mesh of one layer: places, and colours that are linear over the target.
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 tint;
layout(location = 0) out vec4 shade;
layout(location = 1) out vec2 uv;

void main() {
    shade = tint;
    uv = position.xy * 0.5 + 0.5;
    gl_Position = vec4(position, 1.0);
}
