#version 450
// Half as large: thirteen filtered texels.
layout(set = 0, binding = 2) uniform sampler2D source;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;

void main() {
    vec2 t = 1.0 / vec2(textureSize(source, 0));
    vec3 far = texture(source, uv + t * vec2(-2.0, -2.0)).rgb + texture(source, uv + t * vec2(2.0, -2.0)).rgb
        + texture(source, uv + t * vec2(-2.0, 2.0)).rgb + texture(source, uv + t * vec2(2.0, 2.0)).rgb;
    vec3 sides = texture(source, uv + t * vec2(0.0, -2.0)).rgb + texture(source, uv + t * vec2(-2.0, 0.0)).rgb
        + texture(source, uv + t * vec2(2.0, 0.0)).rgb + texture(source, uv + t * vec2(0.0, 2.0)).rgb;
    vec3 near = texture(source, uv + t * vec2(-1.0, -1.0)).rgb + texture(source, uv + t * vec2(1.0, -1.0)).rgb
        + texture(source, uv + t * vec2(-1.0, 1.0)).rgb + texture(source, uv + t * vec2(1.0, 1.0)).rgb;
    vec3 sum = texture(source, uv).rgb * 0.125 + far * 0.03125 + sides * 0.0625 + near * 0.125;
    color = vec4(sum, 1.0);
}
