#version 450
// A mesh whose shader needs its place as well.
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 tint;
layout(location = 0) out vec4 shade;
layout(location = 1) out vec3 place;

void main() {
    shade = tint;
    place = vec3(position.xy * 0.5 + 0.5, position.z);
    gl_Position = vec4(position, 1.0);
}
