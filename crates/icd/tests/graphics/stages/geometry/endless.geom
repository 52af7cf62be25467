#version 450
layout(points) in;
layout(triangle_strip, max_vertices = 5) out;
layout(location = 0) in vec4 color[];
layout(location = 0) flat out vec4 result;
void main() {
    for (int i = 0; i < 1000; i++) {
        gl_Position = vec4(float(i >> 1) / 4.0 - 1.0, (i & 1) == 0 ? -1.0 : 1.0, 0.25, 1.0);
        result = vec4(i, color[0].x, 0.0, 1.0);
        EmitVertex();
    }
}
