#version 450
// The mean of 5 x 5 texels, of a tile that each workgroup reads once.
layout(local_size_x = 16, local_size_y = 8) in;
layout(set = 0, binding = 4, rgba8) readonly uniform image2D source;
layout(set = 0, binding = 5, rgba8) writeonly uniform image2D target;
shared vec4 tile[12][20];

void main() {
    ivec2 first = ivec2(gl_WorkGroupID.xy) * ivec2(16, 8) - 2;
    ivec2 last = imageSize(source) - 1;
    ivec2 within = ivec2(gl_LocalInvocationID.xy);
    for (int y = within.y; y < 12; y += 8) {
        for (int x = within.x; x < 20; x += 16) {
            tile[y][x] = imageLoad(source, clamp(first + ivec2(x, y), ivec2(0), last));
        }
    }
    barrier();
    vec4 sum = vec4(0.0);
    for (int y = 0; y < 5; y++) {
        for (int x = 0; x < 5; x++) {
            sum += tile[within.y + y][within.x + x];
        }
    }
    imageStore(target, ivec2(gl_GlobalInvocationID.xy), sum / 25.0);
}
