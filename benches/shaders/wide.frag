#version 450
layout(location = 0) in vec4 values[12];
layout(location = 0) out vec4 color;

void main() {
    vec4 sum = vec4(0.0);
    for (int i = 0; i < 12; i++) {
        sum += (values[i] - float(i) * 0.0625) / (1.0 + float(i) * 0.125);
    }
    color = vec4(sum.rgb / 12.0, 1.0);
}
