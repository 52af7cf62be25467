#version 450
#extension GL_NV_viewport_array2 : require
#extension GL_NVX_multiview_per_view_attributes : require
layout(points) in;
layout(triangle_strip, max_vertices = 4) out;
layout(location = 0) in vec4 color[];
layout(location = 0) flat out vec4 result;
void main() {
    for (int i = 0; i < 4; i++) {
        vec4 corner = vec4(float(i & 1), float(i >> 1), 0.0, 0.0);
        gl_Position = gl_in[0].gl_Position + corner;
        gl_PositionPerViewNV[0] = gl_in[0].gl_PositionPerViewNV[0] + corner;
        gl_PositionPerViewNV[1] = vec4(5.0);
        gl_PositionPerViewNV[2] = gl_in[0].gl_PositionPerViewNV[2] + corner;
        result = color[0] + vec4(0.0, 0.0, 0.0, gl_in[0].gl_PositionPerViewNV[2].x);
        EmitVertex();
    }
}
