// Notes values of all kinds in the buffer, a row for each corner of each patch.
#version 460
layout(triangles) in;
in gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; } gl_in[gl_MaxPatchVertices];
layout(location = 2) in Data {
    dvec3 wide;
    vec2 list[3];
} data[];
layout(location = 9) patch in ivec4 sums[2];
layout(location = 0) out vec4 color;
layout(set = 0, binding = 0) buffer Words { uint words[]; };

void main() {
    int corner = gl_TessCoord.x == 1.0 ? 0 : gl_TessCoord.y == 1.0 ? 1 : 2;
    gl_Position = gl_in[corner].gl_Position;
    color = vec4(1.0);
    int last = int(words[0]) - 1;
    int at = 16 + 16 * (3 * gl_PrimitiveID + corner);
    for (int part = 0; part < 4; part++) {
        words[at + part] = uint(sums[0][part]);
        words[at + 4 + part] = uint(sums[1][part]);
    }
    words[at + 8] = uint(data[last].wide.x + 2.0 * data[last].wide.y);
    words[at + 9] = uint(data[last].wide.z - 1e10lf);
    words[at + 10] = uint(data[last].list[corner].x);
    words[at + 11] = uint(data[last].list[corner].y);
    words[at + 12] = uint(gl_in[last].gl_ClipDistance[corner % 2]);
    words[at + 13] = uint(gl_PatchVerticesIn);
    words[at + 14] = uint(gl_TessLevelOuter[corner] + 2.0 * gl_TessLevelInner[0]);
    words[at + 15] = uint(gl_PrimitiveID);
}
