#version 450
layout(triangles, invocations = 3) in;
layout(triangle_strip, max_vertices = 16) out;
layout(location = 0) in vec4 color[3];
layout(location = 0) flat out vec4 result;
void main() {
    int count = gl_InvocationID + gl_PrimitiveIDIn % 3;
    float bottom = float(gl_PrimitiveIDIn) / 8.0 - 1.0;
    for (int strip = 0; strip < count; strip++) {
        float left = float(gl_InvocationID * 4 + strip) / 8.0 - 1.0;
        int rows = gl_PrimitiveIDIn % 2;
        for (int i = 0; i < 4; i++) {
            gl_Position = vec4(left + float(i & 1) / 8.0, bottom + float(i >> 1) / 8.0, 0.25, 1.0);
            gl_PrimitiveID = 100 * gl_PrimitiveIDIn + 10 * gl_InvocationID + strip;
            result = vec4(color[0].x, color[1].x, color[2].x, i);
            EmitVertex();
        }
        EndPrimitive();
    }
}
