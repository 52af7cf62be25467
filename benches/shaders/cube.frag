#version 450
// An environment seen all around, ever smaller to the right: every edge and several levels are sampled.
layout(set = 0, binding = 2) uniform samplerCube source;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;

void main() {
    float longitude = uv.x * uv.x * 24.0;
    float latitude = (uv.y - 0.5) * 3.0;
    float ring = cos(latitude);
    color = texture(source, vec3(ring * cos(longitude), sin(latitude), ring * sin(longitude)));
}
