// Patches of four points; the control shader's PrimitiveID goes to the evaluation shader.
#version 460
layout(vertices = 4) out;
layout(location = 0) patch out uint id;

void main() {
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    for (int edge = 0; edge < 4; edge++) gl_TessLevelOuter[edge] = 3.0;
    gl_TessLevelInner[0] = gl_TessLevelInner[1] = 3.0;
    if (gl_InvocationID == 0) id = gl_PrimitiveID;
}
