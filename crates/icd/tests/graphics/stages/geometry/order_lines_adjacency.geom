#version 450
layout(lines_adjacency) in;
layout(points, max_vertices = 1) out;
layout(location = 0) in vec4 color[4];
layout(set = 0, binding = 0) buffer Words { uint words[]; };
void main() {
    for (int i = 0; i < 4; i++) words[gl_PrimitiveIDIn * 8 + i] = uint(color[i].x) + 100u;
    atomicAdd(words[gl_PrimitiveIDIn * 8 + 7], 1u);
}
