// Everything that is drawn: the shadow map, the land, the sea, the sky, sparks and smoke.

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var rock: texture_2d<f32>;
@group(0) @binding(2) var land: texture_2d<f32>;
@group(0) @binding(3) var shadow: texture_depth_2d;
@group(0) @binding(4) var linear: sampler;
@group(0) @binding(5) var clamped: sampler;
@group(0) @binding(6) var compared: sampler_comparison;
@group(0) @binding(7) var<storage, read> sprites: array<Sprite>;

struct Sprite {
    // Position and radius.
    place: vec4<f32>,
    // Light, premultiplied, and how much it hides.
    color: vec4<f32>,
    // Half the streak that a spark leaves, in world units.
    streak: vec4<f32>,
}

struct Surface {
    @builtin(position) at: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) normal: vec3<f32>,
}

@vertex
fn shadow_vertex(@location(0) position: vec4<f32>) -> @builtin(position) vec4<f32> {
    return frame.light_projection * position;
}

@vertex
fn land_vertex(@location(0) position: vec4<f32>, @location(1) normal: vec4<f32>) -> Surface {
    return Surface(frame.view_projection * position, position.xyz, normal.xyz);
}

fn sky(direction: vec3<f32>) -> vec3<f32> {
    let rise = clamp(direction.y * 2.0, 0.0, 1.0);
    var color = mix(vec3(0.055, 0.04, 0.075), vec3(0.008, 0.016, 0.045), sqrt(rise));
    // The fire lights the haze behind the mountain.
    let towards = normalize(CRATER + vec3(0.0, 1.0, 0.0) - frame.eye.xyz);
    color += vec3(0.20, 0.05, 0.014) * pow(max(dot(direction, towards), 0.0), 14.0);
    let near_moon = max(dot(direction, frame.moon.xyz), 0.0);
    color += vec3(0.05, 0.06, 0.08) * pow(near_moon, 240.0);
    return color;
}

// The part of the moon's light that reaches a place.
fn moonlight(world: vec3<f32>) -> f32 {
    let clip = frame.light_projection * vec4(world, 1.0);
    let uv = clip.xy * vec2(0.5, -0.5) + 0.5;
    var sum = 0.0;
    for (var i = 0; i < 4; i++) {
        let offset = (vec2(f32(i & 1), f32(i >> 1)) - 0.5) * 1.5 / 1024.0;
        sum += textureSampleCompareLevel(shadow, compared, uv + offset, clip.z - 0.0025);
    }
    return sum * 0.25;
}

fn fogged(color: vec3<f32>, world: vec3<f32>) -> vec3<f32> {
    let ray = world - frame.eye.xyz;
    let distance = length(ray);
    let fog = 1.0 - exp(-0.0011 * distance * distance);
    let direction = ray / distance;
    return mix(color, sky(vec3(direction.x, max(direction.y, 0.03), direction.z)), fog);
}

@fragment
fn land_fragment(surface: Surface) -> @location(0) vec4<f32> {
    let p = surface.world.xz;
    let map = textureSample(land, clamped, p / (2.0 * REACH) + 0.5);
    let coarse = textureSample(rock, linear, p * 0.35);
    let fine = textureSample(rock, linear, vec2(p.x + surface.world.y, p.y - surface.world.y) * 1.3);
    let slope = (coarse.yz - 0.5) * 1.6 + (fine.yz - 0.5) * 1.2;
    let normal = normalize(surface.normal - vec3(slope.x, 0.0, slope.y));
    let bright = coarse.x * (0.55 + 0.9 * fine.x);
    let ash = smoothstep(0.75, 0.95, surface.normal.y) * smoothstep(1.2, 3.2, surface.world.y);
    let base = mix(vec3(0.17, 0.14, 0.13), vec3(0.30, 0.29, 0.30), ash) * bright;
    var color = base * map.y * vec3(0.08, 0.095, 0.16);
    color += base * vec3(0.75, 0.9, 1.25) * max(dot(normal, frame.moon.xyz), 0.0) * moonlight(surface.world);
    // The crater and the streams light the rock around them.
    let to_crater = CRATER + vec3(0.0, 0.9, 0.0) - surface.world;
    let reach = dot(to_crater, to_crater);
    let facing = max(dot(normal, to_crater * inverseSqrt(reach)) * 0.6 + 0.4, 0.0);
    color += base * vec3(10.0, 2.7, 0.5) * facing / (1.0 + reach);
    let around = textureSampleLevel(land, clamped, p / (2.0 * REACH) + 0.5, 5.0).x;
    color += base * vec3(3.2, 0.75, 0.12) * around * (1.0 - map.x);
    // Crust breaks as the lava flows down.
    let down = normalize(p + vec2(0.001, 0.0));
    let crust = textureSample(rock, linear, p * 0.6 - down * frame.time.x * 0.06).w;
    let broken = textureSample(rock, linear, p * 1.7 - down * frame.time.x * 0.09).w;
    let heat = clamp(map.x * (2.1 - 1.9 * crust - 0.9 * broken), 0.0, 1.0);
    color = mix(color, vec3(0.01), map.x * 0.8);
    color += vec3(5.5, 1.1, 0.1) * heat * heat + vec3(5.0, 3.6, 1.2) * pow(heat, 6.0);
    // Wet and dark where the sea washes it.
    color *= mix(0.35, 1.0, smoothstep(0.0, 0.12, surface.world.y));
    return vec4(fogged(color, surface.world), 1.0);
}

@vertex
fn sea_vertex(@builtin(vertex_index) index: u32) -> Surface {
    let corner = vec2(f32(index & 1u), f32(index >> 1u)) * 2.0 - 1.0;
    let world = vec3(corner.x * 90.0, 0.0, corner.y * 90.0);
    return Surface(frame.view_projection * vec4(world, 1.0), world, vec3(0.0, 1.0, 0.0));
}

@fragment
fn sea_fragment(surface: Surface) -> @location(0) vec4<f32> {
    let p = surface.world.xz;
    let t = frame.time.x * 0.03;
    let a = textureSample(rock, linear, p * 0.22 + vec2(t, 0.6 * t)).yz;
    let b = textureSample(rock, linear, p * 0.61 - vec2(0.7 * t, t)).yz;
    let away = length(surface.world - frame.eye.xyz);
    let wave = (a + b - 1.0) * 0.9 / (1.0 + 0.03 * away);
    let normal = normalize(vec3(wave.x, 1.0, wave.y));
    let look = normalize(surface.world - frame.eye.xyz);
    let mirrored = reflect(look, normal);
    let fresnel = 0.03 + 0.97 * pow(1.0 - max(dot(-look, normal), 0.0), 5.0);
    var color = vec3(0.004, 0.012, 0.02) + fresnel * sky(vec3(mirrored.x, abs(mirrored.y), mirrored.z));
    let glow = normalize(CRATER + vec3(0.0, 0.8, 0.0) - surface.world);
    color += vec3(3.0, 0.75, 0.15) * fresnel * pow(max(dot(mirrored, glow), 0.0), 90.0);
    color += vec3(1.6, 2.0, 2.8) * fresnel * pow(max(dot(mirrored, frame.moon.xyz), 0.0), 400.0);
    return vec4(fogged(color, surface.world), 1.0);
}

struct Ray {
    @builtin(position) at: vec4<f32>,
    @location(0) direction: vec3<f32>,
}

@vertex
fn sky_vertex(@builtin(vertex_index) index: u32) -> Ray {
    let corner = vec2(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0;
    let forward = cross(frame.up.xyz, frame.right.xyz);
    let spread = corner * frame.time.z * vec2(frame.time.y, 1.0);
    return Ray(vec4(corner, 1.0, 1.0), forward + frame.right.xyz * spread.x + frame.up.xyz * spread.y);
}

@fragment
fn sky_fragment(ray: Ray) -> @location(0) vec4<f32> {
    let direction = normalize(ray.direction);
    var color = sky(direction);
    let place = direction.xz / (direction.y + 0.35) * 90.0;
    let cell = floor(place);
    let offset = place - cell - vec2(hash(cell + 7.0), hash(cell + 31.0));
    let star = step(0.86, hash(cell + 101.0)) * exp(-220.0 * dot(offset, offset));
    color += vec3(0.9, 0.95, 1.0) * star * smoothstep(0.02, 0.3, direction.y);
    let moon = dot(direction, frame.moon.xyz);
    let disc = smoothstep(0.99930, 0.99942, moon);
    let spots = textureSampleLevel(rock, linear, direction.xy * 4.0, 1.0).w;
    return vec4(mix(color, vec3(0.62, 0.66, 0.72) * (0.25 + 1.3 * spots), disc), 1.0);
}

struct Glow {
    @builtin(position) at: vec4<f32>,
    @location(0) corner: vec2<f32>,
    @location(1) color: vec4<f32>,
    @location(2) seed: f32,
}

@vertex
fn sprite_vertex(@builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32) -> Glow {
    let sprite = sprites[instance];
    let corner = vec2(f32(index & 1u), f32(index >> 1u)) * 2.0 - 1.0;
    let side = (frame.right.xyz * corner.x + frame.up.xyz * corner.y) * sprite.place.w;
    let world = sprite.place.xyz + side + sprite.streak.xyz * corner.y;
    return Glow(frame.view_projection * vec4(world, 1.0), corner, sprite.color, sprite.streak.w);
}

@fragment
fn spark_fragment(glow: Glow) -> @location(0) vec4<f32> {
    let bright = max(1.0 - dot(glow.corner, glow.corner), 0.0);
    return glow.color * bright * bright;
}

@fragment
fn smoke_fragment(glow: Glow) -> @location(0) vec4<f32> {
    let puff = textureSample(rock, linear, glow.corner * 0.11 + glow.seed).w;
    let round = max(1.0 - length(glow.corner), 0.0);
    return glow.color * smoothstep(0.0, 0.8, round * (0.35 + 1.3 * puff));
}
