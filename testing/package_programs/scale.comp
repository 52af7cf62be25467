#version 450
layout(local_size_x = 64) in;
layout(constant_id = 3) const float factor = 2.0;
layout(push_constant) uniform Push { float added; };
layout(set = 0, binding = 0) buffer Data { float data[]; };
layout(set = 1, binding = 2) uniform Uniform { vec4 offset; };
void main() {
    uint index = gl_GlobalInvocationID.x;
    data[index] = data[index] * factor + added + offset.x;
}
