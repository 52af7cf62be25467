// What all shaders of the scene share: the frame's constants, noise, the shape of the ground.

struct Frame {
    view_projection: mat4x4<f32>,
    light_projection: mat4x4<f32>,
    eye: vec4<f32>,
    right: vec4<f32>,
    up: vec4<f32>,
    // Towards the moon.
    moon: vec4<f32>,
    // Seconds, aspect ratio, tangent of half the field of view.
    time: vec4<f32>,
}

// Half the side of the land.
const REACH: f32 = 14.0;
// Where the crater's lake of lava glows from.
const CRATER: vec3<f32> = vec3(0.0, 3.9, 0.0);

fn hash(cell: vec2<f32>) -> f32 {
    let p = vec2<u32>(vec2<i32>(cell));
    var h = p.x * 0x9e3779b1u ^ (p.y * 0x85ebca77u + 0x27d4eb2fu);
    h = (h ^ (h >> 15u)) * 0x2c1b3c6du;
    h = (h ^ (h >> 12u)) * 0x297a2d39u;
    h = h ^ (h >> 15u);
    return f32(h >> 8u) / 16777216.0;
}

fn noise(p: vec2<f32>) -> f32 {
    let cell = floor(p);
    let f = p - cell;
    let w = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
    let a = mix(hash(cell), hash(cell + vec2(1.0, 0.0)), w.x);
    let b = mix(hash(cell + vec2(0.0, 1.0)), hash(cell + vec2(1.0, 1.0)), w.x);
    return mix(a, b, w.y);
}

fn fractal(start: vec2<f32>, octaves: i32) -> f32 {
    var p = start;
    var sum = 0.0;
    var weight = 0.5;
    for (var i = 0; i < octaves; i++) {
        sum += weight * noise(p);
        p = vec2(1.6 * p.x + 1.2 * p.y, 1.6 * p.y - 1.2 * p.x) + 17.3;
        weight *= 0.5;
    }
    return sum;
}

// Height of the ground over sea level.
fn height(p: vec2<f32>, octaves: i32) -> f32 {
    let r = length(p);
    let cone = 5.2 * exp(-0.30 * r) - 0.4;
    let crater = -1.6 * exp(-2.2 * r * r);
    let angle = atan2(p.y, p.x);
    let ridges = 0.28 * sin(angle * 11.0 + 3.0 * fractal(p * 0.7, 2)) * smoothstep(0.7, 2.5, r) * exp(-0.15 * r);
    return cone + crater + ridges + 1.1 * (fractal(p * 0.8, octaves) - 0.5) * smoothstep(0.2, 3.0, r);
}
