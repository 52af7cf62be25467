#version 450
layout(local_size_x = 40) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
// Early returns, nested loops with break and continue, switch with fall-through.
uint classify(uint x) {
    if (x == 7u) return 1000u;
    for (uint i = 2u; i < 20u; i++) {
        if (x % i == 5u) return i;
        if (i > x + 3u) break;
    }
    return 2000u + x;
}
void main() {
    uint i = gl_LocalInvocationIndex;
    uint sum = 0u;
    for (uint a = 0u; a < i; a++) {
        if (a % 3u == 1u) continue;
        uint b = a;
        while (true) {
            if (b > 12u) break;
            b += 5u;
            if (b == 11u) { sum += 100u; continue; }
            sum += b;
        }
        if (sum > 900u) break;
    }
    uint kind = 0u;
    switch (i % 7u) {
        case 0u: kind += 1u;
        case 1u: kind += 10u; break;
        case 2u: { if (i > 10u) break; kind += 100u; }
        case 5u: kind += 1000u; break;
        default: kind += 5u;
    }
    do { kind += 3u; } while (kind < i);
    result[3u * i] = sum;
    result[3u * i + 1u] = kind;
    result[3u * i + 2u] = classify(i);
}
