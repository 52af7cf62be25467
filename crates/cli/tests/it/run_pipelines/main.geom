#version 460
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;

// Turns triangles upside down.
void main() {
    for (int corner = 0; corner < 3; corner++) {
        gl_Position = gl_in[corner].gl_Position * vec4(1.0, -1.0, 1.0, 1.0);
        EmitVertex();
    }
    EndPrimitive();
}
