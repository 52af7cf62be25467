#version 450
// Eight steps through a texture of three dimensions.
layout(set = 0, binding = 2) uniform sampler3D source;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;

void main() {
    vec3 sum = vec3(0.0);
    for (int i = 0; i < 8; i++) {
        sum += textureLod(source, vec3(uv, (float(i) + 0.5) * 0.05), 0.0).rgb;
    }
    color = vec4(sum * 0.125, 1.0);
}
