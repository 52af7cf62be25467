#version 450
#extension GL_NV_geometry_shader_passthrough : require
layout(points) in;
layout(passthrough) in gl_PerVertex { vec4 gl_Position; float gl_PointSize; } gl_in[];
layout(location = 0, passthrough) in vec4 color[];
layout(location = 1) flat out vec4 extra;
void main() {
    extra = vec4(color[0].x, gl_in[0].gl_Position.x, gl_PrimitiveIDIn, 1.0);
    gl_PrimitiveID = 10 * gl_PrimitiveIDIn;
}
