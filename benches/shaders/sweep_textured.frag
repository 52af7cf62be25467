#version 450
// Red and green from a texture, magnified a little; blue and alpha from the mesh.
layout(set = 0, binding = 2) uniform sampler2D source;
layout(location = 0) in vec4 shade;
layout(location = 1) in vec2 uv;
layout(location = 0) out vec4 color;

void main() {
    color = vec4(texture(source, uv).rg, shade.ba);
}
