#version 450
layout(location = 0) in vec4 place;
layout(location = 1) in vec4 color;
layout(location = 0) out vec4 passed;
void main() {
    gl_Position = place;
    gl_PointSize = color.y;
    passed = color;
}
