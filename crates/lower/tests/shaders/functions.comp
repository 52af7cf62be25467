#version 450
layout(local_size_x = 32) in;
layout(constant_id = 5) const uint ROUNDS = 3u;
layout(constant_id = 6) const float SCALE = 2.0;
layout(set = 0, binding = 0) buffer Out { uint result[]; };
bool seen[10];
bvec3 flags;
uint calls;
struct Cell { bool alive; uvec2 at; float heat[3]; };
void bump(inout uint x, uint by) { calls++; if (by == 0u) return; x += by; if (x > 40u) { x = 40u; return; } x *= 2u; }
bool visit(uint at) { bool was = seen[at]; seen[at] = true; return was; }
Cell next(Cell c, uint i) {
    c.alive = !c.alive && i % 3u != 0u;
    c.at = c.at.yx + uvec2(i, 1u);
    c.heat[i % 3u] = SCALE * float(i);
    return c;
}
void main() {
    uint i = gl_LocalInvocationIndex;
    uint x = i; uint twice = 0u;
    for (uint k = 0u; k < 10u; k++) seen[k] = false;
    flags = bvec3(i % 2u == 0u, false, true);
    calls = 0u;
    Cell c = Cell(false, uvec2(i, 7u), float[3](1.0, 2.0, 3.0));
    for (uint k = 0u; k < ROUNDS; k++) {
        bump(x, (i + k) % 4u);
        if (visit((x + k) % 10u)) twice++;
        flags[(i + k) % 3u] = !flags[k % 3u];
        c = next(c, i + k);
    }
    uint o = 6u * i;
    result[o] = x; result[o + 1u] = twice; result[o + 2u] = calls;
    result[o + 3u] = uint(flags.x) + 2u * uint(flags.y) + 4u * uint(flags.z);
    result[o + 4u] = uint(c.alive) + 10u * c.at.x + 1000u * c.at.y;
    result[o + 5u] = uint(c.heat[0] + 10.0 * c.heat[1] + 100.0 * c.heat[2]);
}
