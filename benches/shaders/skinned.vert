#version 450
// A vertex that four bones move.
layout(set = 0, binding = 0) readonly buffer Bones { mat3x4 bones[]; };
layout(location = 0) in vec3 position;
layout(location = 1) in uvec4 joints;
layout(location = 2) in vec4 weights;
layout(location = 3) in vec4 tint;
layout(location = 0) out vec4 shade;

void main() {
    mat3x4 bone = bones[joints.x] * weights.x + bones[joints.y] * weights.y
        + bones[joints.z] * weights.z + bones[joints.w] * weights.w;
    shade = tint;
    gl_Position = vec4(vec4(position, 1.0) * bone, 1.0);
}
