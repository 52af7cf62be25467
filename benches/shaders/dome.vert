#version 450
// The near half of a ball of light; the instance has its place and radius, and its colour.
layout(location = 0) in vec3 corner;
layout(location = 1) in vec4 place;
layout(location = 2) in vec4 tint;
layout(location = 0) flat out vec4 ball;
layout(location = 1) flat out vec3 shade;
layout(push_constant) uniform Push { vec4 target; } push;

void main() {
    ball = place;
    shade = tint.rgb;
    vec2 pixel = place.xy + corner.xy * place.w;
    gl_Position = vec4(pixel * push.target.xy * 2.0 - 1.0, 0.5 - 0.1 * corner.z, 1.0);
}
