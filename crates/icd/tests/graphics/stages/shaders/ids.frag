// The PrimitiveIDs of the stages before, and its own. Without GEOMETRY there is no geometry shader.
#version 460
#ifdef GEOMETRY
layout(location = 0) flat in uvec3 all;
#else
layout(location = 0) flat in uvec2 ids;
#endif
layout(location = 0) out vec4 color;

void main() {
#ifdef GEOMETRY
    color = vec4(all, gl_PrimitiveID);
#else
    color = vec4(ids, 0, gl_PrimitiveID);
#endif
}
