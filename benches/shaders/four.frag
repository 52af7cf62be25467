#version 450
// What a pass of deferred shading leaves.
layout(location = 0) in vec4 shade;
layout(location = 0) out vec4 color;
layout(location = 1) out vec4 normal;
layout(location = 2) out vec4 material;
layout(location = 3) out vec4 motion;

void main() {
    color = shade;
    normal = shade.yzxw;
    material = vec4(1.0 - shade.xyz, 1.0);
    motion = shade.zxyw;
}
