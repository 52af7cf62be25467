#version 450
// The mean of 5 x 5 texels, clamped to the edge.
layout(local_size_x = 16, local_size_y = 8) in;
layout(set = 0, binding = 4, rgba8) readonly uniform image2D source;
layout(set = 0, binding = 5, rgba8) writeonly uniform image2D target;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    ivec2 last = imageSize(source) - 1;
    vec4 sum = vec4(0.0);
    for (int y = -2; y <= 2; y++) {
        for (int x = -2; x <= 2; x++) {
            sum += imageLoad(source, clamp(at + ivec2(x, y), ivec2(0), last));
        }
    }
    if (all(lessThanEqual(at, last))) {
        imageStore(target, at, sum / 25.0);
    }
}
