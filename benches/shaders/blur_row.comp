#version 450
// The mean of 25 texels of a row, clamped to the edge.
layout(local_size_x = 16, local_size_y = 8) in;
layout(set = 0, binding = 4, rgba16f) readonly uniform image2D source;
layout(set = 0, binding = 5, rgba16f) writeonly uniform image2D target;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    int last = imageSize(source).x - 1;
    vec4 sum = vec4(0.0);
    for (int x = -12; x <= 12; x++) {
        sum += imageLoad(source, ivec2(clamp(at.x + x, 0, last), at.y));
    }
    imageStore(target, at, sum * 0.04);
}
