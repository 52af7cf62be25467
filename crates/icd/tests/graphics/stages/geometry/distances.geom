#version 450
layout(points, invocations = 3) in;
layout(triangle_strip, max_vertices = 4) out;
layout(location = 0) in vec4 color[];
layout(location = 0) flat out vec4 result;
in gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; } gl_in[];
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; float gl_CullDistance[1]; };
void main() {
    for (int i = 0; i < 4; i++) {
        // Invocations have rows of their own: the first whole, the second half, the third culled.
        gl_Position = vec4(float(i & 1) * 2.0 - 1.0, float(gl_InvocationID) * 0.5 - 1.0 + float(i >> 1) * 0.25, 0.25, 1.0);
        gl_ClipDistance[0] = gl_InvocationID == 1 ? float(i & 1) * 2.0 - 1.0 : gl_in[0].gl_ClipDistance[0];
        gl_CullDistance[0] = gl_InvocationID == 2 ? -1.0 : 1.0;
        result = color[0];
        EmitVertex();
    }
}
