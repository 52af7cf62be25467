// Bilinear places and colours; notes each coordinate in the buffer.
#version 460
layout(quads, equal_spacing, cw) in;
layout(location = 0) in vec4 passed[];
layout(location = 1) patch in vec4 corners[4];
layout(location = 0) out vec4 color;
layout(set = 0, binding = 0) buffer Words { uint words[]; };

void main() {
    float u = gl_TessCoord.x, v = gl_TessCoord.y;
    vec4 low = mix(gl_in[0].gl_Position, gl_in[1].gl_Position, u);
    vec4 high = mix(gl_in[3].gl_Position, gl_in[2].gl_Position, u);
    gl_Position = mix(low, high, v);
    color = mix(mix(corners[0], corners[1], u), mix(corners[3], passed[1], u), v);
    uint at = 8 + 4 * atomicAdd(words[0], 1);
    words[at] = floatBitsToUint(gl_TessCoord.x);
    words[at + 1] = floatBitsToUint(gl_TessCoord.y);
    words[at + 2] = floatBitsToUint(gl_TessCoord.z);
    words[at + 3] = uint(gl_PrimitiveID) + 256u * uint(gl_PatchVerticesIn) + 65536u * uint(gl_TessLevelOuter[1] + gl_TessLevelInner[1]);
}
