// Barycentric places and colours; notes each coordinate in the buffer.
#version 460
layout(triangles, equal_spacing, cw) in;
layout(location = 0) in vec4 passed[];
layout(location = 1) patch in vec4 corners[4];
layout(location = 0) out vec4 color;
layout(set = 0, binding = 0) buffer Words { uint words[]; };

void main() {
    vec4 place = vec4(0.0), sum = vec4(0.0);
    for (int corner = 0; corner < 3; corner++) {
        place += gl_TessCoord[corner] * gl_in[corner].gl_Position;
        sum += gl_TessCoord[corner] * corners[corner];
    }
    gl_Position = place;
    color = sum;
    uint at = 8 + 4 * atomicAdd(words[0], 1);
    words[at] = floatBitsToUint(gl_TessCoord.x);
    words[at + 1] = floatBitsToUint(gl_TessCoord.y);
    words[at + 2] = floatBitsToUint(gl_TessCoord.z);
    words[at + 3] = uint(gl_PrimitiveID) + 256u * uint(gl_PatchVerticesIn) + 65536u * uint(gl_TessLevelOuter[1] + gl_TessLevelInner[1]);
}
