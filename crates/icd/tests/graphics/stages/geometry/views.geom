#version 450
#extension GL_EXT_multiview : require
layout(points) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) in vec4 color[];
layout(location = 0) flat out vec4 result;
void main() {
    for (int i = 0; i < 3; i++) {
        gl_Position = vec4(i == 1 ? 3.0 : -1.0, i == 2 ? 3.0 : -1.0, 0.25, 1.0);
        result = vec4(color[0].x, gl_ViewIndex, 0.0, 1.0);
        EmitVertex();
    }
}
