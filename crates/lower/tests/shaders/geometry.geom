#version 450
// Each lane emits as many vertices as its input says, in strips of three, to two streams.
layout(lines, invocations = 2) in;
layout(points, max_vertices = 7) out;
layout(location = 0) in uvec2 counts[];
layout(location = 1) in dvec2 wide[];
layout(stream = 0, location = 0) flat out vec4 first;
layout(stream = 1, location = 2) flat out uint second;
void main() {
    for (uint i = 0; i < counts[gl_InvocationID].x; i++) {
        gl_Position = gl_in[1].gl_Position;
        first = vec4(gl_PrimitiveIDIn, gl_InvocationID, i, float(wide[1].y));
        EmitStreamVertex(0);
        if (i % 3 == 2) EndStreamPrimitive(0);
    }
    second = counts[1].y;
    EmitStreamVertex(1);
}
