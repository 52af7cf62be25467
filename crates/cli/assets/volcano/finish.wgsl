// From linear light to the picture: a glow around what is bright, a film's curve, eight bits.

@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(1) var extra: texture_2d<f32>;
@group(0) @binding(2) var linear: sampler;
@group(0) @binding(3) var blurred: texture_storage_2d<rgba16float, write>;
@group(0) @binding(4) var picture: texture_storage_2d<rgba8unorm, write>;

// A quarter of the size, and only what is brighter than white.
@compute @workgroup_size(16, 4)
fn bright(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = textureDimensions(blurred);
    if id.x >= size.x || id.y >= size.y {
        return;
    }
    var sum = vec3(0.0);
    for (var i = 0u; i < 4u; i++) {
        let at = vec2<f32>(id.xy) + vec2(0.25) + 0.5 * vec2(f32(i & 1u), f32(i >> 1u));
        let color = textureSampleLevel(source, linear, at / vec2<f32>(size), 0.0).rgb;
        sum += max(min(color, vec3(8.0)) - 0.5, vec3(0.0));
    }
    textureStore(blurred, id.xy, vec4(sum * 0.25, 1.0));
}

fn blur(id: vec2<u32>, direction: vec2<f32>) {
    let size = textureDimensions(blurred);
    if id.x >= size.x || id.y >= size.y {
        return;
    }
    var sum = vec3(0.0);
    var weights = 0.0;
    // Between two texels one sample takes both.
    for (var i = -5; i <= 5; i++) {
        let offset = f32(i) * 2.0 + 0.5;
        let weight = exp(-offset * offset / 40.0);
        let at = (vec2<f32>(id) + 0.5 + direction * offset) / vec2<f32>(size);
        sum += weight * textureSampleLevel(source, linear, at, 0.0).rgb;
        weights += weight;
    }
    textureStore(blurred, id, vec4(sum / weights, 1.0));
}

@compute @workgroup_size(16, 4)
fn blur_across(@builtin(global_invocation_id) id: vec3<u32>) {
    blur(id.xy, vec2(1.0, 0.0));
}

@compute @workgroup_size(16, 4)
fn blur_down(@builtin(global_invocation_id) id: vec3<u32>) {
    blur(id.xy, vec2(0.0, 1.0));
}

@compute @workgroup_size(16, 4)
fn tone(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = textureDimensions(picture);
    if id.x >= size.x || id.y >= size.y {
        return;
    }
    let uv = (vec2<f32>(id.xy) + 0.5) / vec2<f32>(size);
    var color = textureLoad(source, id.xy, 0).rgb + 0.55 * textureSampleLevel(extra, linear, uv, 0.0).rgb;
    let middle = uv - 0.5;
    color *= 1.25 * (1.0 - 0.7 * dot(middle, middle));
    let filmed = (color * (2.51 * color + 0.03)) / (color * (2.43 * color + 0.59) + 0.14);
    let grain = (hash(vec2<f32>(id.xy)) - 0.5) / 255.0;
    let encoded = pow(clamp(filmed, vec3(0.0), vec3(1.0)), vec3(1.0 / 2.2)) + grain;
    textureStore(picture, id.xy, vec4(encoded, 1.0));
}
