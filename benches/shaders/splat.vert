#version 450
// A splat: an ellipse of the window by its middle, its two half axes and its colour; four corners each.
layout(location = 0) in vec4 middle;
layout(location = 1) in vec4 axes;
layout(location = 2) in vec4 tint;
layout(location = 0) out vec2 place;
layout(location = 1) out vec4 shade;

void main() {
    vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2.0 - 1.0;
    place = corner * 3.0;
    shade = tint;
    gl_Position = vec4(middle.xy + place.x * axes.xy + place.y * axes.zw, middle.z, 1.0);
}
