#version 450
#extension GL_EXT_mesh_shader : require
layout(location = 0) in vec4 color;
layout(location = 1) perprimitiveEXT flat in uvec2 tag;
layout(location = 0) out vec4 result;
void main() { result = vec4(color.x + 16.0 * color.y, gl_PrimitiveID, float(tag.x), 1.0 + color.z + 16.0 * color.w); }
