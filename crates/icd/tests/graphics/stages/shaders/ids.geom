// Hands triangles on, with its own PrimitiveID and one for the fragment shader.
#version 460
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) flat in uvec2 ids[];
layout(location = 0) flat out uvec3 all;

void main() {
    for (int i = 0; i < 3; i++) {
        gl_Position = gl_in[i].gl_Position;
        gl_PrimitiveID = 100 + gl_PrimitiveIDIn;
        all = uvec3(ids[i], gl_PrimitiveIDIn);
        EmitVertex();
    }
}
