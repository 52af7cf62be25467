#version 450
// A translucent layer of a texture that repeats.
layout(push_constant) uniform Push { vec4 color; vec4 place; } push;
layout(set = 0, binding = 2) uniform sampler2D source;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;

void main() {
    color = vec4(texture(source, uv * push.place.w).rgb, push.color.a);
}
