#version 450
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 tint;
layout(location = 0) out vec4 shade;

void main() {
    shade = tint;
    gl_Position = vec4(position, 1.0);
}
