// Levels from the buffer; each control point passes on what another one gave, so that a barrier is needed.
#version 460
layout(vertices = 4) out;
layout(location = 0) in vec4 color[];
layout(location = 0) out vec4 passed[];
layout(location = 1) patch out vec4 corners[4];
layout(set = 0, binding = 0) buffer Words { uint words[]; };

void main() {
    int next = (gl_InvocationID + 1) % 4;
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    // Each gives its own colour away to the one before.
    passed[gl_InvocationID] = color[next];
    barrier();
    corners[gl_InvocationID] = passed[(gl_InvocationID + 3) % 4];
    for (int edge = 0; edge < 4; edge++) gl_TessLevelOuter[edge] = uintBitsToFloat(words[1 + edge]);
    if (gl_InvocationID == 0) {
        gl_TessLevelInner[0] = uintBitsToFloat(words[5]);
        gl_TessLevelInner[1] = uintBitsToFloat(words[6]);
    }
}
