#version 460
#extension GL_EXT_ray_tracing : require
layout(location = 0) rayPayloadInEXT vec3 color;

// Red for triangles (instance 0), green for boxes.
void main() {
    color = gl_InstanceID == 0 ? vec3(1.0, 0.0, 0.0) : vec3(0.0, 1.0, 0.0);
}
