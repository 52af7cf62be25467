#version 450
layout(points) in;
layout(triangle_strip, max_vertices = 4) out;
layout(location = 0) in vec4 color[];
layout(location = 0) flat out vec4 result;
void main() {
    vec4 p = gl_in[0].gl_Position;
    vec2 size = color[0].zw;
    for (int i = 0; i < 4; i++) {
        gl_Position = vec4(p.xy + size * vec2(i & 1, i >> 1), p.zw);
        result = color[0];
        EmitVertex();
    }
}
