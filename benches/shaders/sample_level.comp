#version 450
// Four samples for each pixel. With `MIPS` the level differs by column, else it is 0.
layout(local_size_x = 16, local_size_y = 8) in;
layout(constant_id = 0) const bool MIPS = false;
layout(set = 0, binding = 0) writeonly buffer Output { uint pixels[]; };
layout(set = 0, binding = 2) uniform sampler2D source;

void main() {
    uvec2 size = gl_NumWorkGroups.xy * gl_WorkGroupSize.xy;
    vec2 uv = (vec2(gl_GlobalInvocationID.xy) + 0.5) / vec2(size);
    float level = MIPS ? float(gl_GlobalInvocationID.x & 31u) * 0.09375 : 0.0;
    vec4 sum = vec4(0.0);
    for (int i = 0; i < 4; i++) {
        sum += textureLod(source, uv * 1.5 + float(i) * 0.1, level);
    }
    pixels[gl_GlobalInvocationID.y * size.x + gl_GlobalInvocationID.x] = packUnorm4x8(sum * 0.25);
}
