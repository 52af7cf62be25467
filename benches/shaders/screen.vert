#version 450
// One triangle that covers the target: three vertices, no buffers.
layout(push_constant) uniform Push { vec4 color; vec4 place; } push;
layout(location = 0) out vec2 uv;

void main() {
    uv = vec2((gl_VertexIndex << 1) & 2, gl_VertexIndex & 2);
    gl_Position = vec4(uv * 2.0 - 1.0, push.place.z, 1.0);
}
