#version 450
// A ground whose heights are a texture, seen from above: higher is nearer.
layout(push_constant) uniform Push { vec4 fog; vec4 size; } push;
layout(set = 0, binding = 2) uniform sampler2D heights;
layout(location = 0) out vec2 uv;
layout(location = 1) out vec3 world;

void main() {
    int row = int(push.size.x) + 1;
    vec2 at = vec2(float(gl_VertexIndex % row), float(gl_VertexIndex / row)) / push.size.xy;
    float height = textureLod(heights, at, 0.0).x;
    float w = 3.0 - height;
    uv = at;
    world = vec3(at, height);
    gl_Position = vec4((at * 2.0 - 1.0) * w, 0.5 * w, w);
}
