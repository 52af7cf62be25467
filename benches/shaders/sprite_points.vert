#version 450
// A round point: its place, its size in pixels, and its colour.
layout(location = 0) in vec3 place;
layout(location = 1) in vec4 tint;
layout(location = 0) out vec4 shade;

void main() {
    shade = tint;
    gl_Position = vec4(place.xy, 0.5, 1.0);
    gl_PointSize = place.z;
}
