// Values of all kinds by control point and by patch. How many control points there are is in the buffer: the module's mode is
// changed by the test.
#version 460
layout(vertices = 32) out;
layout(location = 0) in vec4 color[];
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; } gl_out[];
layout(location = 2) out Data {
    dvec3 wide;
    vec2 list[3];
} data[];
layout(location = 9) patch out ivec4 sums[2];
layout(set = 0, binding = 0) buffer Words { uint words[]; };

void main() {
    int id = gl_InvocationID;
    int count = int(words[0]);
    gl_out[gl_InvocationID].gl_Position = gl_in[id % gl_PatchVerticesIn].gl_Position;
    for (int at = 0; at < 2; at++) gl_out[gl_InvocationID].gl_ClipDistance[at] = float(10 * id + at + 1);
    data[gl_InvocationID].wide = dvec3(id, 0.5 * id, 1e10lf + id);
    for (int at = 0; at < 3; at++) data[gl_InvocationID].list[at] = color[(id + at) % gl_PatchVerticesIn].xy;
    if (id == 0) sums[0] = ivec4(gl_PrimitiveID, gl_PatchVerticesIn, count, 0);
    barrier();
    float sum = 0.0;
    for (int other = 0; other < count; other++) sum += data[other].list[other % 3].x;
    if (id == count - 1) sums[1] = ivec4(int(sum), 5, 6, 7);
    barrier();
    // What the last one wrote, seen by the first.
    if (id == 0) {
        sums[0].w = sums[1].x + 1000;
        gl_TessLevelOuter = float[4](1.0, 1.0, 1.0, 0.0);
        gl_TessLevelInner = float[2](1.0, 0.0);
    }
}
