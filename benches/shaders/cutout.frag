#version 450
// Leaves: what the texture's alpha leaves out is discarded.
layout(push_constant) uniform Push { vec4 color; vec4 place; } push;
layout(set = 0, binding = 2) uniform sampler2D source;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;

void main() {
    vec4 texel = texture(source, uv + push.place.xy);
    if (texel.a < 0.5) {
        discard;
    }
    color = vec4(texel.rgb * push.color.rgb, 1.0);
}
