#version 450
#extension GL_EXT_demote_to_helper_invocation : require
layout(location = 0) in vec2 coordinate;
layout(location = 0) out vec4 color;
layout(set = 0, binding = 0) buffer Words { uint wrote[8]; };
layout(set = 0, binding = 1) uniform sampler2D image;

void main() {
    vec2 moved = interpolateAtOffset(coordinate, vec2(0.25, 0.5));
    if (coordinate.x > 2.5)
        demote;
    wrote[uint(gl_FragCoord.x)] = helperInvocationEXT() ? 2u : 1u;
    // Demoted invocations still take part.
    float change = dFdx(coordinate.x * coordinate.x);
    color = vec4(moved, change, texture(image, coordinate).y + textureLod(image, coordinate, 1.0).y * 1000.0);
}
