// Pixels take their values from a buffer, or sample an image where it says.

struct Push { first: u32 }
var<immediate> push: Push;

@group(0) @binding(0) var<storage, read> values: array<vec4<f32>>;
@group(0) @binding(1) var image: texture_2d<f32>;
@group(0) @binding(2) var image_sampler: sampler;

@vertex
fn corner(@location(0) position: vec2<f32>) -> @builtin(position) vec4<f32> {
    return vec4(position, 0.0, 1.0);
}

fn value(position: vec4<f32>) -> vec4<f32> {
    let pixel = vec2<u32>(position.xy);
    return values[push.first + pixel.y * 128u + pixel.x];
}

@fragment
fn stored(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    return value(position);
}

@fragment
fn sampled(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    let at = value(position);
    return textureSampleLevel(image, image_sampler, at.xy, at.z);
}
