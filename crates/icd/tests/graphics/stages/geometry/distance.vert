#version 450
layout(location = 0) in vec4 place;
layout(location = 1) in vec4 color;
layout(location = 0) out vec4 passed;
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; };
void main() { gl_Position = place; passed = color; gl_ClipDistance[0] = color.x; }
