#version 450
layout(location = 1) flat in vec2 second;
layout(location = 0) out vec4 result;
void main() { result = vec4(second, 5.0, 1.0); }
