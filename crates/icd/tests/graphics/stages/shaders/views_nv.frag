#version 450
#extension GL_NV_mesh_shader : require
layout(location = 0) in vec4 color;
layout(location = 1) in vec2 plain;
layout(location = 2) perprimitiveNV in float number;
layout(location = 0) out vec4 result;
void main() { result = vec4(color.x, plain, number); }
