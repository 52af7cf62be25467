#version 450
// The bell of a splat.
layout(location = 0) in vec2 place;
layout(location = 1) in vec4 shade;
layout(location = 0) out vec4 color;

void main() {
    float power = -0.5 * dot(place, place);
    float alpha = min(0.99, shade.a * exp(power));
    if (alpha < 1.0 / 255.0) {
        discard;
    }
    color = vec4(shade.rgb, alpha);
}
