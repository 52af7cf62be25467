// Sparks and smoke: where each is now. Those that are seen make up an indirect draw.

struct Sprite {
    place: vec4<f32>,
    color: vec4<f32>,
    streak: vec4<f32>,
}

struct Draw {
    vertices: u32,
    instances: atomic<u32>,
    first_vertex: u32,
    first_instance: u32,
}

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read_write> sparks: array<Sprite>;
@group(0) @binding(2) var<storage, read_write> smoke: array<Sprite>;
@group(0) @binding(3) var<storage, read_write> draws: array<Draw, 2>;

fn random(i: u32, k: u32) -> f32 {
    return hash(vec2(f32(i) + 0.5, f32(k) * 17.0 + 3.5));
}

@compute @workgroup_size(64)
fn rise(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    let life = 1.4 + 2.2 * random(i, 0u);
    let turns = frame.time.x / life + random(i, 1u);
    let round = u32(floor(turns));
    let age = (turns - floor(turns)) * life;
    // Each round it is thrown anew.
    let k = round * 5u;
    let angle = 6.2832 * random(i, k + 2u);
    let out = 0.2 + 1.5 * random(i, k + 3u) * random(i, k + 4u);
    let speed = vec3(cos(angle) * out, 2.2 + 2.8 * random(i, k + 5u), sin(angle) * out);
    let velocity = speed + vec3(0.25 * age, -2.6 * age, 0.1 * age);
    let position = vec3(0.0, 3.3, 0.0) + vec3(cos(angle), 0.0, sin(angle)) * 0.25
        + speed * age + vec3(0.12, -1.3, 0.05) * age * age;
    // Each spark has its own place, so that they are drawn in the same order every time: sums of light depend
    // on it. One that is below the ground has no size.
    if position.y < max(height(position.xz, 5), 0.0) {
        sparks[i] = Sprite(vec4(0.0), vec4(0.0), vec4(0.0));
        return;
    }
    let heat = 1.0 - age / life;
    atomicMax(&draws[0].instances, i + 1u);
    let light = vec3(9.0, 2.4 * heat + 0.5, 0.5 * heat * heat) * (0.2 + heat);
    sparks[i] = Sprite(
        vec4(position, 0.016 + 0.012 * random(i, 6u)),
        vec4(light, 0.0),
        vec4(velocity * 0.022, 0.0),
    );
}

// The plume: few large sprites, oldest first, since they lie behind.
@compute @workgroup_size(64)
fn billow(@builtin(global_invocation_id) id: vec3<u32>) {
    let count = arrayLength(&smoke);
    if id.x >= count {
        return;
    }
    let life = 9.0;
    let phase = (f32(id.x) + 0.5) / f32(count);
    let turns = frame.time.x / life;
    let shifted = phase + (1.0 - fract(turns * f32(count)) ) / f32(count);
    let age = 1.0 - shifted;
    let i = u32(f32(id.x) + floor(turns * f32(count)));
    let up = age * 5.6;
    let sway = vec2(random(i, 1u), random(i, 2u)) - 0.5;
    let position = vec3(0.0, 3.4, 0.0)
        + vec3(-0.11 * up * up + sway.x * (0.4 + 0.3 * up), up, 0.09 * up + sway.y * (0.4 + 0.3 * up));
    let size = 0.45 + 0.30 * up;
    let cover = 0.6 * smoothstep(0.0, 0.06, age) * smoothstep(1.0, 0.55, age);
    let fire = vec3(1.6, 0.36, 0.06) * exp(-1.3 * up) + vec3(0.11, 0.03, 0.012) * exp(-0.4 * up);
    let light = fire + vec3(0.10, 0.095, 0.105) * (0.6 + 0.8 * random(i, 7u));
    smoke[id.x] = Sprite(vec4(position, size), vec4(light * cover, cover), vec4(0.0, 0.0, 0.0, random(i, 3u)));
    if id.x == 0u {
        atomicStore(&draws[1].instances, count);
    }
}
