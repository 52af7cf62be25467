#version 450
// A ground with tangents: its place, and the frame of its normal map.
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 tint;
layout(location = 0) out vec3 world;
layout(location = 1) out vec2 uv;
layout(location = 2) out vec3 normal;
layout(location = 3) out vec4 tangent;

void main() {
    vec2 at = position.xy * 0.5 + 0.5;
    world = vec3(at, position.z);
    uv = at * 8.0;
    normal = vec3(0.0, 0.0, 1.0);
    tangent = vec4(1.0, 0.0, 0.0, 1.0);
    float w = 1.0 + at.y;
    gl_Position = vec4(position.xy * w, position.z * w, w);
}
