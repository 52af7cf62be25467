#version 450
// The first pass of deferred shading: colour, normal, place, and what the material is.
layout(location = 0) in vec4 shade;
layout(location = 1) in vec3 place;
layout(location = 0) out vec4 albedo;
layout(location = 1) out vec4 normal;
layout(location = 2) out vec4 position;
layout(location = 3) out vec4 material;

void main() {
    albedo = shade;
    normal = vec4(normalize(vec3(place.xy - 0.5, 1.0)), 0.0);
    position = vec4(place, 1.0);
    material = vec4(0.25, shade.z, 0.0, 1.0);
}
