// TEXEL and COLOR are replaced: f32 or u32, and how a colour becomes one.

struct Push { offset: vec3<f32>, point_size: f32 }
var<immediate> push: Push;

@group(0) @binding(0) var image: texture_2d<f32>;
@group(0) @binding(1) var nearest: sampler;
@group(0) @binding(2) var smooth_sampler: sampler;

struct Corner {
    @builtin(position) position: vec4<f32>,
    @location(0) @interpolate(flat) flat_color: vec4<f32>,
    @location(1) @interpolate(linear) linear_color: vec4<f32>,
    @location(2) @interpolate(perspective) perspective_color: vec4<f32>,
}

@vertex
fn corner(
    @location(0) position: vec4<f32>,
    @location(1) color: vec4<f32>,
    @builtin(instance_index) instance: u32,
) -> Corner {
    let moved = position.xyz + push.offset * f32(instance) * position.w;
    return Corner(vec4(moved, position.w), color, color, color);
}

fn encode(color: vec4<f32>) -> vec4<TEXEL> {
    return COLOR;
}

@fragment
fn shade_flat(@location(0) @interpolate(flat) color: vec4<f32>) -> @location(0) vec4<TEXEL> {
    return encode(color);
}

@fragment
fn shade_smooth(@location(1) @interpolate(linear) color: vec4<f32>) -> @location(0) vec4<TEXEL> {
    return encode(color);
}

@fragment
fn shade_perspective(@location(2) @interpolate(perspective) color: vec4<f32>) -> @location(0) vec4<TEXEL> {
    return encode(color);
}

@fragment
fn shade_pattern(@builtin(position) at: vec4<f32>) -> @location(0) vec4<TEXEL> {
    let cell = vec2<u32>(at.xy) % vec2(5u, 3u);
    return encode(vec4(vec2<f32>(cell) / 5.0, fract(at.x * 0.125), 0.6));
}

@fragment
fn shade_discard(
    @builtin(position) at: vec4<f32>,
    @location(0) @interpolate(flat) color: vec4<f32>,
) -> @location(0) vec4<TEXEL> {
    let cell = vec2<u32>(at.xy);
    if ((cell.x + cell.y) % 2u == 0u) {
        discard;
    }
    return encode(color);
}

@fragment
fn shade_facing(
    @builtin(front_facing) front: bool,
    @location(0) @interpolate(flat) color: vec4<f32>,
) -> @location(0) vec4<TEXEL> {
    return encode(select(color.wzyx, color, front));
}

@fragment
fn shade_derivative(@builtin(position) at: vec4<f32>) -> @location(0) vec4<TEXEL> {
    let slope = at.x * 0.25 + at.y * 0.125;
    return encode(vec4(dpdx(slope), dpdy(slope), fwidth(at.x) * 0.5, abs(dpdxFine(at.x * 0.75))));
}

struct Masked {
    @location(0) color: vec4<TEXEL>,
    @builtin(sample_mask) mask: u32,
}

@fragment
fn shade_sample_mask(
    @builtin(position) at: vec4<f32>,
    @location(0) @interpolate(flat) color: vec4<f32>,
) -> Masked {
    return Masked(encode(color), u32(at.x) + 2u);
}

@fragment
fn shade_per_sample(
    @builtin(sample_index) number: u32,
    @location(0) @interpolate(flat) color: vec4<f32>,
) -> @location(0) vec4<TEXEL> {
    return encode(vec4(color.xyz, f32(number) / 3.0));
}

struct Deep {
    @location(0) color: vec4<TEXEL>,
    @builtin(frag_depth) depth: f32,
}

@fragment
fn shade_depth(
    @builtin(position) at: vec4<f32>,
    @location(0) @interpolate(flat) color: vec4<f32>,
) -> Deep {
    return Deep(encode(color), floor(at.x) / 64.0);
}

@fragment
fn shade_texture(
    @builtin(position) at: vec4<f32>,
    @location(0) @interpolate(flat) color: vec4<f32>,
) -> @location(0) vec4<TEXEL> {
    // A pixel is one, two or four texels wide: the level is whole.
    let scale = exp2(floor(color.x * 2.5));
    return encode(textureSample(image, nearest, (floor(at.xy) * scale + 0.5) / 16.0));
}

@fragment
fn shade_fetch(@builtin(position) at: vec4<f32>) -> @location(0) vec4<TEXEL> {
    let place = vec2<u32>(at.xy);
    return encode(textureLoad(image, place % vec2(8u), 1));
}

@fragment
fn shade_filtered(
    @builtin(position) at: vec4<f32>,
    @location(2) @interpolate(perspective) color: vec4<f32>,
) -> @location(0) vec4<TEXEL> {
    let place = at.xy * (color.xy + 0.01) * 0.3 + color.zw;
    let biased = textureSampleBias(image, smooth_sampler, place, color.x * 3.0 - 1.5);
    let stretched = textureSampleGrad(image, smooth_sampler, place, vec2(color.y, 0.01), vec2(0.02, color.z));
    return encode(mix(biased, stretched, color.w));
}

@fragment
fn shade_functions(
    @builtin(position) at: vec4<f32>,
    @location(1) @interpolate(linear) color: vec4<f32>,
) -> @location(0) vec4<TEXEL> {
    let wave = sin(at.x * 0.37 + color.x) * cos(at.y * 0.21) + atan2(at.y - 31.0, at.x - 33.5);
    let power = pow(abs(color.y) + 0.1, wave) + log2(at.x + 1.0) * 0.1;
    let root = inverseSqrt(dot(color, color) + 0.05) + length(color.xz) + normalize(vec3(at.xy, 7.0)).z;
    let slope = dpdx(wave) + fwidthFine(power);
    let found = vec4(wave, power, root, slope + tanh(color.w) + exp(-color.z)) * 0.4;
    // Neither NaN nor infinity, whose blending has no one NaN.
    return encode(clamp(select(vec4(0.5), found, found == found), vec4(0.0), vec4(1.0)));
}
