#version 450
// A disc that fades towards its border.
layout(location = 0) in vec4 shade;
layout(location = 0) out vec4 color;

void main() {
    vec2 from_middle = gl_PointCoord * 2.0 - 1.0;
    float alpha = 1.0 - dot(from_middle, from_middle);
    if (alpha <= 0.0) {
        discard;
    }
    color = vec4(shade.rgb, shade.a * alpha);
}
