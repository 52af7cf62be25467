#version 450
#extension GL_NV_geometry_shader_passthrough : require
#extension GL_NV_viewport_array2 : require
#extension GL_NVX_multiview_per_view_attributes : require
layout(triangles) in;
layout(location = 0, passthrough) in vec4 color[];
layout(location = 1) flat out vec4 extra;
void main() {
    extra = vec4(gl_in[0].gl_PositionPerViewNV[2].x, color[1].x, gl_PrimitiveIDIn, 1.0);
    gl_PrimitiveID = gl_PrimitiveIDIn;
}
