#version 450
// A mesh that each instance draws in a cell of its own: 100 columns.
layout(location = 0) in vec2 corner;
layout(location = 0) out vec4 shade;

void main() {
    vec2 cell = vec2(float(gl_InstanceIndex % 100), float(gl_InstanceIndex / 100));
    vec2 place = (cell + corner) / 100.0;
    shade = vec4(place, 0.5, 1.0);
    gl_Position = vec4(place * 2.0 - 1.0, 0.5, 1.0);
}
