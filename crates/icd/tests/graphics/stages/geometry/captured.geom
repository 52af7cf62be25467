#version 450
layout(lines) in;
layout(triangle_strip, max_vertices = 5) out;
layout(location = 0) in vec4 color[];
layout(xfb_buffer = 0, xfb_stride = 8, xfb_offset = 0, location = 0) out vec2 result;
void main() {
    for (int i = 0; i < 5; i++) {
        gl_Position = gl_in[i & 1].gl_Position;
        result = vec2(gl_PrimitiveIDIn, i);
        EmitVertex();
    }
}
