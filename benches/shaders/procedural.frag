#version 450
// Marble: five octaves of value noise bend a sine.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;

float lattice(ivec2 at) {
    uint h = uint(at.x) * 374761393u + uint(at.y) * 668265263u;
    h = (h ^ (h >> 13)) * 1274126177u;
    return float((h ^ (h >> 16)) >> 8) / 16777216.0;
}

float noise(vec2 p) {
    vec2 cell = floor(p);
    vec2 f = p - cell;
    f = f * f * (3.0 - 2.0 * f);
    ivec2 at = ivec2(cell);
    float low = mix(lattice(at), lattice(at + ivec2(1, 0)), f.x);
    float high = mix(lattice(at + ivec2(0, 1)), lattice(at + ivec2(1, 1)), f.x);
    return mix(low, high, f.y);
}

void main() {
    vec2 p = uv * vec2(16.0, 9.0);
    float sum = 0.0;
    float weight = 0.5;
    for (int octave = 0; octave < 5; octave++) {
        sum += weight * noise(p);
        p = p * 2.0 + vec2(17.0, 31.0);
        weight *= 0.5;
    }
    float vein = 0.5 + 0.5 * sin(6.0 * (uv.x + 2.0 * sum));
    color = vec4(vein, sum, sqrt(vein * sum), 1.0);
}
