#version 450
// An image turned and scaled into another: a filtered sample for each texel.
layout(local_size_x = 16, local_size_y = 8) in;
layout(set = 0, binding = 2) uniform sampler2D source;
layout(set = 0, binding = 4, rgba8) writeonly uniform image2D target;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    vec2 uv = (vec2(at) + 0.5) / vec2(imageSize(target)) - 0.5;
    vec2 turned = mat2(0.8, 0.6, -0.6, 0.8) * uv * 1.25 + 0.5;
    imageStore(target, at, textureLod(source, turned, 0.0));
}
