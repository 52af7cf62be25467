#version 450
// Each point becomes a rectangle of two triangles, as wide as its depth says.
layout(points) in;
layout(triangle_strip, max_vertices = 4) out;
layout(location = 0) in vec4 shade[];
layout(location = 0) out vec4 tint;

void main() {
    vec4 place = gl_in[0].gl_Position;
    vec2 size = place.z * vec2(1.0, 16.0 / 9.0);
    for (int corner = 0; corner < 4; corner++) {
        tint = shade[0];
        gl_Position = vec4(place.xy + size * vec2(corner & 1, corner >> 1), 0.5, 1.0);
        EmitVertex();
    }
}
