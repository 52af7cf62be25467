#version 450
// An interface of twelve vectors.
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 tint;
layout(location = 0) out vec4 values[12];

void main() {
    for (int i = 0; i < 12; i++) {
        values[i] = tint * (1.0 + float(i) * 0.125) + float(i) * 0.0625;
    }
    gl_Position = vec4(position, 1.0);
}
