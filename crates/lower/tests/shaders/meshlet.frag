#version 450
#extension GL_EXT_mesh_shader : require
layout(location = 0) in vec2 coordinate;
layout(location = 2) in Block { vec3 normal; float parts[3]; } block;
layout(location = 6) perprimitiveEXT flat in uint tag;
layout(location = 7) perprimitiveEXT flat in vec2 pair;
layout(location = 0) out vec4 color;
void main() { color = vec4(coordinate, block.normal.x + block.parts[1], float(tag) + pair.y); }
