#version 450
layout(points) in;
layout(points, max_vertices = 8) out;
layout(location = 0) in vec4 color[];
layout(stream = 0, xfb_buffer = 0, xfb_stride = 16, xfb_offset = 0, location = 0) out vec4 first;
layout(stream = 1, xfb_buffer = 1, xfb_stride = 8, xfb_offset = 0, location = 1) out vec2 second;
void main() {
    gl_Position = gl_in[0].gl_Position;
    gl_PointSize = 1.0;
    first = color[0];
    EmitStreamVertex(0);
    EndStreamPrimitive(0);
    for (int i = 0; i < int(color[0].x); i++) {
        gl_Position = gl_in[0].gl_Position;
        second = vec2(color[0].y, i);
        EmitStreamVertex(1);
        EndStreamPrimitive(1);
    }
}
