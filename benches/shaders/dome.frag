#version 450
// What a light adds to a pixel whose colour and normal are known.
layout(set = 0, binding = 2) uniform sampler2D albedo;
layout(set = 0, binding = 3) uniform sampler2D normals;
layout(location = 0) flat in vec4 ball;
layout(location = 1) flat in vec3 shade;
layout(location = 0) out vec4 color;

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    vec3 to = vec3(ball.xy - gl_FragCoord.xy, ball.z);
    float distance = length(to) / ball.w;
    float falloff = max(1.0 - distance * distance, 0.0);
    vec3 base = texelFetch(albedo, at, 0).rgb;
    vec3 normal = texelFetch(normals, at, 0).xyz * 2.0 - 1.0;
    float facing = max(dot(normal, normalize(to)), 0.0);
    color = vec4(base * shade * (falloff * falloff * facing), 0.0);
}
