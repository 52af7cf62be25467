#version 450
// A texture whose footprint grows down the screen, as a floor's does.
layout(push_constant) uniform Push { vec4 scale; } push;
layout(set = 0, binding = 2) uniform sampler2D source;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;

void main() {
    color = texture(source, push.scale.x * vec2(uv.x * 2.0, uv.y * uv.y * 8.0));
}
