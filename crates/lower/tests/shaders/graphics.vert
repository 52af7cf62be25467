#version 460
layout(location = 0) in vec3 position;
layout(location = 1) in vec2 coordinate;
layout(location = 2) in uint tag;
layout(location = 3) in vec4 missing;
layout(location = 0) out vec2 coordinate_out;
layout(location = 1) flat out uint tag_out;
layout(location = 1, component = 2) noperspective out float linear_out;
layout(location = 2) out vec4 unread;
layout(location = 3) out Block { vec2 first; mat2 second; } block;
layout(push_constant) uniform Push { vec4 offset; };

void main() {
    if (gl_VertexIndex == 6) {
        gl_Position = vec4(-1);
        return;
    }
    gl_Position = vec4(position, 1) + offset;
    gl_PointSize = float(gl_VertexIndex) + 0.5;
    coordinate_out = coordinate + missing.xy;
    tag_out = tag + uint(gl_InstanceIndex) * 100u;
    linear_out = float(gl_BaseInstance);
    unread = vec4(9);
    block.first = vec2(1, 2);
    block.second = mat2(3, 4, 5, 6);
}
