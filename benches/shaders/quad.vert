#version 450
// A rectangle: corners 0 to 1 from the buffer, moved to `place.xy`, `size` large, at depth `place.z`.
layout(push_constant) uniform Push { vec4 color; vec4 place; vec2 size; } push;
layout(location = 0) in vec2 corner;
layout(location = 0) out vec2 uv;

void main() {
    uv = corner;
    gl_Position = vec4(push.place.xy + corner * push.size, push.place.z, 1.0);
}
