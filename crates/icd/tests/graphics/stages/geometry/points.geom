#version 450
layout(triangles) in;
layout(points, max_vertices = 3) out;
layout(location = 0) in vec4 color[];
layout(location = 0) flat out vec4 result;
void main() {
    for (int i = 0; i < 3; i++) {
        gl_Position = gl_in[i].gl_Position;
        gl_PointSize = float(i + 1);
        result = color[i];
        EmitVertex();
    }
}
