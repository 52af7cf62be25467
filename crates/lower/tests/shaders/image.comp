#version 450
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_EXT_shader_image_load_formatted : require
layout(local_size_x = 40) in;
layout(set = 0, binding = 0) buffer Out { vec4 results[]; };
layout(set = 0, binding = 1) uniform sampler2D combined;
layout(set = 0, binding = 2) uniform texture2D separate[5];
layout(set = 0, binding = 3) uniform sampler samplers[2];
layout(set = 0, binding = 4) uniform samplerShadow compare;
layout(set = 0, binding = 5) uniform sampler2DArray layered;
layout(set = 0, binding = 6) uniform textureBuffer texels;
layout(set = 0, binding = 7, r32ui) uniform uimage2D storage;
layout(set = 0, binding = 8) uniform samplerCubeArray cubes;
layout(push_constant) uniform Push { uint pick; };

vec4 through(sampler2D s, vec2 place) { return textureLod(s, place, 2.0); }

void main() {
    uint i = gl_LocalInvocationIndex;
    vec2 place = vec2(i, 3);
    uint at = i * 20;
    results[at + 0] = texture(combined, place);
    results[at + 1] = through(combined, place);
    results[at + 2] = texture(sampler2D(separate[pick], samplers[1]), place);
    results[at + 3] = textureLod(sampler2D(separate[nonuniformEXT(i % 5)], samplers[nonuniformEXT(i & 1)]), place, 0.0);
    results[at + 4] = vec4(textureLod(sampler2DShadow(separate[0], compare), vec3(place, 4), 1.0));
    results[at + 5] = textureGradOffset(combined, place, vec2(1, 2), vec2(3, 4), ivec2(1, -2));
    results[at + 6] = textureProjLod(combined, vec3(place * 2.0, 2.0), 1.0);
    results[at + 7] = texture(layered, vec3(place, 6.0), 2.5);
    results[at + 8] = textureGather(combined, place, 2);
    results[at + 9] = textureGatherOffsets(combined, place, ivec2[4](ivec2(1, 2), ivec2(3, 4), ivec2(5, 6), ivec2(7, -8)));
    results[at + 10] = texelFetchOffset(combined, ivec2(i, 5), 3, ivec2(2, 3));
    results[at + 11] = texelFetch(texels, int(i));
    if (i % 3 == 1)
        imageStore(storage, ivec2(i / 10, i % 10), uvec4(i, 2, 3, 4));
    results[at + 12] = vec4(imageLoad(storage, ivec2(i, 1)));
    results[at + 13] = vec4(imageAtomicAdd(storage, ivec2(3, 0), i), imageAtomicCompSwap(storage, ivec2(2, 0), 7u, i),
                            imageAtomicExchange(storage, ivec2(1, 0), 9u), 0.0);
    results[at + 14] = vec4(textureSize(combined, 1), textureQueryLevels(combined), textureSize(texels));
    results[at + 15] = vec4(imageSize(storage), textureSize(cubes, 0).yz);
    results[at + 16] = vec4(textureQueryLod(combined, place), textureSize(layered, 2).yz);
    results[at + 17] = texture(cubes, vec4(1, 2, 3, 4));
    results[at + 18] = textureLod(sampler2D(separate[pick + 3], samplers[0]), place, 0.0);
    results[at + 19] = vec4(textureSize(separate[pick + 3], 0), 0, 0);
}
