#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 16) in;
layout(set = 0, binding = 0, std140) uniform Params { uvec4 params[2]; };
layout(set = 0, binding = 1) readonly buffer Dynamic { uint words[]; } dynamic[2];
layout(set = 0, binding = 2) buffer Out { uint result[]; };
layout(set = 0, binding = 3) readonly buffer Many { uint words[]; } many[];
void main() {
    uint i = gl_LocalInvocationIndex;
    result[4u * i] = params[(i / 4u) % 2u][i % 4u] + params[0].w;
    result[4u * i + 1u] = dynamic[nonuniformEXT(i % 3u)].words[i / 3u] + dynamic[1].words[0];
    result[4u * i + 2u] = many[nonuniformEXT(i % 7u)].words[i / 7u];
    result[4u * i + 3u] = many[4].words[1] + uint(many[nonuniformEXT(i)].words.length());
}
