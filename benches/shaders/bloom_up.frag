#version 450
// Twice as large: a tent of nine filtered texels of the smaller one, and the larger one's own.
layout(set = 0, binding = 2) uniform sampler2D own;
layout(set = 0, binding = 3) uniform sampler2D smaller;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;

void main() {
    vec2 t = 1.0 / vec2(textureSize(smaller, 0));
    vec3 sum = vec3(0.0);
    for (int y = -1; y <= 1; y++) {
        for (int x = -1; x <= 1; x++) {
            float weight = float((2 - abs(x)) * (2 - abs(y))) / 16.0;
            sum += texture(smaller, uv + t * vec2(x, y)).rgb * weight;
        }
    }
    color = vec4(0.5 * sum + 0.5 * texture(own, uv).rgb, 1.0);
}
