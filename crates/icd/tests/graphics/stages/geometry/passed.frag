#version 450
layout(location = 0) in vec4 color;
layout(location = 1) flat in vec4 extra;
layout(location = 0) out vec4 first;
layout(location = 1) out vec4 second;
void main() {
    first = vec4(color.xyz, gl_PrimitiveID);
    second = extra;
}
