#version 450
// A mesh of which each instance has its place, its size, its turn and its colour.
layout(push_constant) uniform Push { mat4 projection; } push;
layout(location = 0) in vec2 corner;
layout(location = 1) in vec4 place;
layout(location = 2) in vec2 turn;
layout(location = 3) in vec4 tint;
layout(location = 0) out vec4 shade;

void main() {
    vec2 moved = mat2(turn.x, turn.y, -turn.y, turn.x) * corner * place.w;
    shade = tint;
    gl_Position = push.projection * vec4(place.xyz + vec3(moved, 0.0), 1.0);
}
