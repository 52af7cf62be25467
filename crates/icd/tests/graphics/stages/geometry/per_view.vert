#version 450
#extension GL_NV_viewport_array2 : require
#extension GL_NVX_multiview_per_view_attributes : require
layout(location = 0) in vec4 place;
layout(location = 1) in vec4 color;
layout(location = 0) out vec4 passed;
void main() {
    gl_Position = place;
    gl_PositionPerViewNV[0] = place;
    gl_PositionPerViewNV[1] = vec4(5.0);
    gl_PositionPerViewNV[2] = place + vec4(color.y, 0.0, 0.0, 0.0);
    gl_ViewportMaskPerViewNV[0] = 1;
    gl_ViewportMaskPerViewNV[1] = 0;
    gl_ViewportMaskPerViewNV[2] = 2;
    passed = color;
}
