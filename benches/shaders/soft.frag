#version 450
// Smoke: a sprite that fades where the scene is close behind it.
layout(set = 0, binding = 2) uniform sampler2D sprite;
layout(set = 0, binding = 3) uniform sampler2D depths;
layout(location = 0) in vec2 uv;
layout(location = 1) in vec4 shade;
layout(location = 0) out vec4 color;

void main() {
    float behind = texelFetch(depths, ivec2(gl_FragCoord.xy), 0).x;
    float fade = clamp((behind - gl_FragCoord.z) * 10.0, 0.0, 1.0);
    float alpha = texture(sprite, uv).a * shade.a * fade;
    if (alpha < 0.002) {
        discard;
    }
    color = vec4(shade.rgb, alpha);
}
