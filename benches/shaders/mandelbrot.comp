#version 450
// Iterations until escape: a loop whose trip count varies between neighbours.
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) writeonly buffer Count { uint count[]; };
layout(push_constant) uniform Params { uint width; uint limit; float left; float top; float pitch; };

void main() {
    uvec2 pixel = gl_GlobalInvocationID.xy;
    float cx = left + float(pixel.x) * pitch;
    float cy = top + float(pixel.y) * pitch;
    float x = 0.0, y = 0.0;
    uint n = 0u;
    while (n < limit && x * x + y * y <= 4.0) {
        float next = x * x - y * y + cx;
        y = 2.0 * x * y + cy;
        x = next;
        ++n;
    }
    count[pixel.y * width + pixel.x] = n;
}
