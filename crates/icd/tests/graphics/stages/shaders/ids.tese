// Bilinear places; hands on the control shader's PrimitiveID and its own.
#version 460
layout(quads, equal_spacing, cw) in;
layout(location = 0) patch in uint id;
layout(location = 0) flat out uvec2 ids;

void main() {
    vec4 low = mix(gl_in[0].gl_Position, gl_in[1].gl_Position, gl_TessCoord.x);
    vec4 high = mix(gl_in[3].gl_Position, gl_in[2].gl_Position, gl_TessCoord.x);
    gl_Position = mix(low, high, gl_TessCoord.y);
    ids = uvec2(id, gl_PrimitiveID);
}
