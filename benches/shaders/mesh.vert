#version 450
// Balls on a grid of 4 x 4 that overlap: the instance chooses the place.
layout(push_constant) uniform Push { mat4 projection; } push;
layout(location = 0) in vec3 position;
layout(location = 1) in vec2 at;
layout(location = 0) out vec3 world;
layout(location = 1) out vec3 normal;
layout(location = 2) out vec2 uv;

void main() {
    int i = gl_InstanceIndex;
    vec3 center = vec3(float(i & 3) - 1.5, float(i >> 2) - 1.5, -5.0 - 0.4 * float((i * 7) & 3));
    normal = position;
    uv = at;
    world = center + position * 0.8;
    gl_Position = push.projection * vec4(world, 1.0);
}
