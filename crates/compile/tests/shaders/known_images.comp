#version 450
#extension GL_NV_compute_shader_derivatives : require
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_EXT_shader_image_load_formatted : require
layout(local_size_x = 8, local_size_y = 8) in;
layout(derivative_group_quadsNV) in;
layout(set = 0, binding = 0) readonly buffer In { vec4 operands[]; };
layout(set = 0, binding = 1) writeonly buffer Out { vec4 results[]; };
layout(set = 0, binding = 2) uniform sampler2D flat_image;
layout(set = 0, binding = 3) uniform sampler3D volume;
layout(set = 0, binding = 4) uniform texture2DArray layered;
layout(set = 0, binding = 5) uniform sampler filtering;
layout(set = 0, binding = 6) uniform sampler2DShadow shadow;
layout(set = 0, binding = 7) uniform image2D storage;
layout(set = 0, binding = 8) uniform sampler1D row;
layout(set = 0, binding = 9) uniform texture2DMS samples;
layout(set = 0, binding = 10) uniform textureBuffer texels;
layout(set = 0, binding = 11) uniform samplerCube box;

void main() {
    uint i = gl_LocalInvocationIndex;
    vec4 a = operands[2 * i], b = operands[2 * i + 1];
    ivec4 at = ivec4(a * 9.0 - 1.5);
    uint to = i * 16;
    results[to + 0] = texture(flat_image, a.xy + gl_LocalInvocationID.xy * b.x * 0.1);
    results[to + 1] = textureLod(flat_image, a.xy, b.x * 4.0);
    results[to + 2] = textureGradOffset(flat_image, a.xy, a.zw * 0.2, b.xy * 0.2, ivec2(2, -3));
    results[to + 3] = textureGather(flat_image, a.xy, 1);
    results[to + 4] = textureLod(volume, a.xyz, b.y * 3.0);
    results[to + 5] = texture(sampler2DArray(layered, filtering), vec3(a.xy, b.z * 5.0), b.w);
    results[to + 6] = vec4(textureLod(shadow, a.xyz, 0.0), textureGather(shadow, a.zw, b.x).yzw);
    results[to + 7] = imageLoad(storage, at.xy);
    if (b.x > 0.3)
        imageStore(storage, ivec2(at.z, 8 + i % 8), b);
    results[to + 8] = textureLod(row, a.x, b.y);
    results[to + 9] = texelFetch(samples, at.xy, at.z);
    results[to + 10] = texelFetch(texels, at.x);
    results[to + 11] = texelFetch(flat_image, at.xy, at.w);
    results[to + 12] = vec4(textureQueryLod(flat_image, a.xy * b.x), vec2(imageSize(storage)));
    vec4 sum = vec4(0.0);
    for (int n = 0; n < min(at.w, 4); n++)
        if (n != at.z)
            sum += textureLod(sampler2DArray(layered, filtering), a.yzw * float(n), 0.0);
    results[to + 13] = sum;
    vec3 direction = a.xyz * 2.0 - 1.0;
    results[to + 14] = texture(box, direction);
    results[to + 15] = textureLod(box, direction.yzx, b.x * 3.0) + textureGather(box, direction.zxy, 2);
}
