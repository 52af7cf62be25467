#version 460
#extension GL_EXT_ray_query : require
// One of every kind of resource; each gives a digit.
layout(local_size_x = 1) in;
layout(binding = 0) uniform samplerBuffer texels;
layout(binding = 1, r32ui) uniform uimageBuffer counts;
layout(binding = 2) uniform samplerCube cubes[2];
layout(binding = 3) uniform sampler2DShadow shadow;
layout(binding = 4) uniform sampler3D volume;
layout(binding = 5) uniform sampler1D line;
layout(binding = 6) uniform usampler2DArray layers;
layout(binding = 7) uniform texture2D picture;
layout(binding = 8) uniform sampler reader;
layout(binding = 9) uniform accelerationStructureEXT scene;
layout(binding = 10) uniform Block { mat4 matrix; } block;
layout(binding = 11) uniform isampler2DMS samples;
layout(binding = 12) buffer Out { float digits[]; };
layout(push_constant) uniform Pushed { vec4 lead; mat3 matrix; } pushed;

void main() {
    rayQueryEXT query;
    rayQueryInitializeEXT(query, scene, 0, 0xff, vec3(0.0, 0.0, 3.0), 0.0, vec3(0.0, 0.0, -1.0), 9.0);
    while (rayQueryProceedEXT(query)) {
    }
    digits[0] = texelFetch(texels, 0).x;
    imageAtomicAdd(counts, 0, 7u);
    digits[1] = textureLod(cubes[1], vec3(0.0, 0.0, 1.0), 0.0).x;
    digits[2] = textureLod(shadow, vec3(0.5, 0.5, 0.25), 0.0);
    digits[3] = textureLod(volume, vec3(0.5, 0.5, 0.75), 0.0).x;
    digits[4] = textureLod(line, 0.75, 0.0).y;
    digits[5] = float(texelFetch(layers, ivec3(0, 0, 1), 0).x);
    digits[6] = textureLod(sampler2D(picture, reader), vec2(1.25, 0.5), 0.0).x;
    digits[7] = rayQueryGetIntersectionTEXT(query, true);
    digits[8] = (block.matrix * vec4(8.0, 1.0, 1.0, 1.0)).x;
    digits[9] = float(texelFetch(samples, ivec2(0), 3).x);
    digits[10] = (pushed.matrix * vec3(9.0)).y + pushed.lead.x;
}
