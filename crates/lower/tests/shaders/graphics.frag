#version 450
layout(location = 0) in vec2 coordinate;
layout(location = 1) flat in uint tag;
layout(location = 1, component = 2) noperspective in float linear;
layout(location = 3) in Block { vec2 first; flat mat2 second; } block;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec2 facts;
layout(set = 0, binding = 0) buffer Counts { uint lived; uint ran[]; };

void main() {
    if (linear > 2.9)
        discard;
    atomicAdd(lived, 1u);
    ran[uint(gl_FragCoord.y) * 4u + uint(gl_FragCoord.x)] = tag;
    color = vec4(coordinate, dFdx(coordinate.x) + dFdy(linear) * 10.0, gl_FragCoord.w);
    color += vec4(block.first * 1000.0, block.second[1]);
    facts = uvec2(gl_FragCoord.x, gl_FrontFacing ? 7u : 8u);
    for (int i = 0; i < 3; ++i) {
        if (coordinate.y > 10.0 && i == 1)
            discard;
        facts.x += 10u;
    }
}
