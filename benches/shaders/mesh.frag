#version 450
// One light, diffuse and specular, over a texture.
layout(set = 0, binding = 2) uniform sampler2D source;
layout(location = 0) in vec3 world;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 0) out vec4 color;

void main() {
    vec3 n = normalize(normal);
    vec3 l = normalize(vec3(3.0, -4.0, 2.0) - world);
    vec3 h = normalize(l + normalize(-world));
    float diffuse = max(dot(n, l), 0.0);
    float specular = pow(max(dot(n, h), 0.0), 16.0);
    vec3 base = texture(source, uv).rgb;
    color = vec4(base * (0.1 + 0.7 * diffuse) + vec3(0.3 * specular), 1.0);
}
