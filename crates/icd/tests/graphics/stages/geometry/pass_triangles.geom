#version 450
#extension GL_NV_geometry_shader_passthrough : require
layout(triangles) in;
layout(passthrough) in gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; } gl_in[];
layout(location = 0, passthrough) in vec4 color[];
layout(location = 1) flat out vec4 extra;
void main() {
    int corner = gl_PrimitiveIDIn % 3;
    extra = vec4(color[corner].x, color[2].x, gl_PrimitiveIDIn, 1.0);
    gl_PrimitiveID = 10 * gl_PrimitiveIDIn;
    gl_Layer = gl_PrimitiveIDIn & 1;
}
