// Textures and their mip levels.

@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(1) var into: texture_storage_2d<rgba8unorm, write>;

// Noise that repeats every `period` cells.
fn tile_noise(p: vec2<f32>, period: f32) -> f32 {
    let cell = floor(p);
    let f = p - cell;
    let w = f * f * (3.0 - 2.0 * f);
    let low = cell - floor(cell / period) * period;
    let next = cell + 1.0;
    let high = next - floor(next / period) * period;
    let a = mix(hash(low), hash(vec2(high.x, low.y)), w.x);
    let b = mix(hash(vec2(low.x, high.y)), hash(high), w.x);
    return mix(a, b, w.y);
}

fn tile_fractal(uv: vec2<f32>, first: f32) -> f32 {
    var period = first;
    var sum = 0.0;
    var weight = 0.5;
    for (var i = 0; i < 6; i++) {
        sum += weight * tile_noise(uv * period, period);
        period *= 2.0;
        weight *= 0.5;
    }
    return sum;
}

fn rock_height(uv: vec2<f32>) -> f32 {
    let bend = vec2(tile_fractal(uv, 4.0), tile_fractal(uv + 0.37, 4.0)) * 0.08;
    let cracks = 1.0 - abs(2.0 * tile_fractal(uv + bend, 8.0) - 1.0);
    return 0.6 * tile_fractal(uv, 8.0) + 0.4 * cracks * cracks;
}

// Red: brightness; green and blue: slope; alpha: height.
@compute @workgroup_size(16, 4)
fn rock(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = vec2<f32>(textureDimensions(into));
    let uv = (vec2<f32>(id.xy) + 0.5) / size;
    let h = rock_height(uv);
    let e = 1.0 / size.x;
    let dx = rock_height(uv + vec2(e, 0.0)) - h;
    let dy = rock_height(uv + vec2(0.0, e)) - h;
    let bright = 0.35 + 0.65 * tile_fractal(uv + 0.5, 16.0);
    textureStore(into, id.xy, vec4(bright * (0.5 + 0.5 * h), 0.5 + vec2(dx, dy) * 12.0, h));
}

// Red: how much lava lies there; green: how much sky is seen; over the whole land.
@compute @workgroup_size(16, 4)
fn land(@builtin(global_invocation_id) id: vec3<u32>) {
    let p = ((vec2<f32>(id.xy) + 0.5) / vec2<f32>(textureDimensions(into)) * 2.0 - 1.0) * REACH;
    let r = length(p);
    let angle = atan2(p.y, p.x);
    let bed = abs(sin(angle * 2.5 + 2.2 * fractal(p * 0.9, 3)));
    let stream = smoothstep(0.16, 0.0, bed) * smoothstep(6.5, 1.0, r);
    let lava = clamp(stream + smoothstep(0.8, 0.3, r), 0.0, 1.0);
    let here = height(p, 6);
    var hidden = 0.0;
    for (var i = 0; i < 12; i++) {
        let turn = f32(i) * 2.4;
        let reach = 0.12 + 0.06 * f32(i);
        let there = height(p + vec2(cos(turn), sin(turn)) * reach, 5);
        hidden += clamp((there - here) / reach, 0.0, 1.0);
    }
    textureStore(into, id.xy, vec4(lava, 1.0 - hidden / 12.0, 0.0, 1.0));
}

// One level from the one above it.
@compute @workgroup_size(16, 4)
fn shrink(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = textureDimensions(into);
    if id.x >= size.x || id.y >= size.y {
        return;
    }
    var sum = vec4(0.0);
    for (var i = 0u; i < 4u; i++) {
        sum += textureLoad(source, id.xy * 2u + vec2(i & 1u, i >> 1u), 0);
    }
    textureStore(into, id.xy, sum * 0.25);
}
