#version 450
// A corner of a particle: its place and depth, its place in the sprite, and its colour.
layout(location = 0) in vec3 position;
layout(location = 1) in vec2 place;
layout(location = 2) in vec4 tint;
layout(location = 0) out vec2 uv;
layout(location = 1) out vec4 shade;

void main() {
    uv = place;
    shade = tint;
    gl_Position = vec4(position, 1.0);
}
