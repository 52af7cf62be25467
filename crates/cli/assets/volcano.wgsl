// A volcano at night: a height field found by ray marching, lava in its crater and gullies, a glowing plume,
// stars. One invocation a pixel.

struct View {
    width: u32,
    height: u32,
    time: f32,
    reserved: u32,
}

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read_write> pixels: array<u32>;

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

// How much lava glows at a place on the ground.
fn lava(p: vec2<f32>) -> f32 {
    let r = length(p);
    let angle = atan2(p.y, p.x);
    let bed = abs(sin(angle * 2.5 + 2.2 * fractal(p * 0.9, 3)));
    let stream = smoothstep(0.16, 0.0, bed) * smoothstep(6.5, 1.0, r);
    let crust = fractal(vec2(angle * 5.0, r * 2.5 - 0.6 * view.time), 4);
    return clamp(stream * (0.5 + 1.4 * crust) + smoothstep(0.75, 0.25, r) * 1.4, 0.0, 1.6);
}

fn sky(direction: vec3<f32>) -> vec3<f32> {
    var color = mix(vec3(0.10, 0.07, 0.11), vec3(0.012, 0.02, 0.06), sqrt(clamp(direction.y * 2.0, 0.0, 1.0)));
    let stars = direction.xz / (direction.y + 0.35) * 90.0;
    let cell = floor(stars);
    let offset = stars - cell - vec2(hash(cell + 7.0), hash(cell + 31.0));
    let size = hash(cell + 101.0);
    color += vec3(0.9, 0.95, 1.0) * step(0.86, size) * exp(-260.0 * dot(offset, offset)) * smoothstep(0.05, 0.3, direction.y);
    return color;
}

fn shade(position: vec3<f32>, distance: f32, direction: vec3<f32>) -> vec3<f32> {
    let e = 0.004 * distance + 0.004;
    let dx = height(position.xz + vec2(e, 0.0), 7) - height(position.xz - vec2(e, 0.0), 7);
    let dz = height(position.xz + vec2(0.0, e), 7) - height(position.xz - vec2(0.0, e), 7);
    let normal = normalize(vec3(-dx, 2.0 * e, -dz));
    let rock = mix(vec3(0.055, 0.05, 0.055), vec3(0.12, 0.10, 0.095), fractal(position.xz * 6.0, 4));
    let moon = normalize(vec3(-0.6, 0.55, -0.45));
    var color = rock * (0.10 + 1.1 * max(dot(normal, moon), 0.0) * vec3(0.55, 0.65, 0.9));
    // The crater lights its slopes.
    let to_crater = vec3(0.0, 4.6, 0.0) - position;
    let reach = dot(to_crater, to_crater);
    color += rock * vec3(9.0, 2.6, 0.5) * max(dot(normal, normalize(to_crater)) * 0.6 + 0.4, 0.0) / (1.0 + reach);
    let heat = lava(position.xz);
    color += vec3(2.6, 0.62, 0.07) * heat * heat + vec3(0.9, 0.75, 0.3) * pow(heat, 6.0) * 0.25;
    let fog = 1.0 - exp(-0.004 * distance * distance);
    return mix(color, sky(vec3(direction.x, 0.02, direction.z)), fog);
}

// Light that the plume over the crater sends and lets through along a ray.
fn plume(origin: vec3<f32>, direction: vec3<f32>, limit: f32) -> vec4<f32> {
    var light = vec3(0.0);
    var through = 1.0;
    var t = 5.0;
    for (var i = 0; i < 40; i++) {
        let p = origin + direction * t;
        let rise = p.y - 3.2;
        if rise > 0.0 && t < limit {
            let axis = vec2(0.10 * rise * rise, 0.06 * rise);
            let radius = 0.35 + 0.36 * rise;
            let swirl = fractal(vec2(p.x * 1.1 + p.z * 0.6, p.y * 1.3 - 0.9 * view.time), 4);
            let d = length(p.xz - axis) / radius;
            let density = clamp(max(1.15 - d, 0.0) * (swirl * 2.4 - 0.55), 0.0, 1.0) * exp(-0.16 * rise);
            let step_through = exp(-density * 0.75);
            let glow = vec3(3.2, 0.75, 0.12) * exp(-1.1 * rise) + vec3(0.055, 0.05, 0.06);
            light += through * (1.0 - step_through) * glow;
            through *= step_through;
            if through < 0.02 {
                break;
            }
        }
        t += 0.28;
    }
    return vec4(light, through);
}

@compute @workgroup_size(16, 4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= view.width || id.y >= view.height {
        return;
    }
    let size = vec2(f32(view.width), f32(view.height));
    let pixel = (vec2(f32(id.x), f32(id.y)) + 0.5 - 0.5 * size) / size.y;
    let turn = 0.10 * view.time;
    let origin = vec3(11.0 * sin(turn), 3.6, -11.0 * cos(turn));
    let forward = normalize(vec3(0.0, 3.1, 0.0) - origin);
    let right = normalize(cross(vec3(0.0, 1.0, 0.0), forward));
    let up = cross(forward, right);
    let direction = normalize(forward * 1.35 + right * pixel.x - up * pixel.y);

    var t = 1.0;
    var hit = false;
    for (var i = 0; i < 160; i++) {
        let p = origin + direction * t;
        let gap = p.y - height(p.xz, 5);
        if gap < 0.002 * t {
            hit = true;
            break;
        }
        t += max(gap * 0.42, 0.006 * t);
        if t > 40.0 {
            break;
        }
    }
    var color = sky(direction);
    if hit {
        color = shade(origin + direction * t, t, direction);
    }
    let smoke = plume(origin, direction, t);
    color = color * smoke.w + smoke.xyz;

    color = color * 1.25 / (1.0 + color);
    color = pow(clamp(color, vec3(0.0), vec3(1.0)), vec3(1.0 / 2.2));
    let vignette = 1.0 - 0.35 * dot(pixel, pixel);
    let bytes = vec3<u32>(clamp(color * vignette, vec3(0.0), vec3(1.0)) * 255.0 + 0.5);
    pixels[id.y * view.width + id.x] = bytes.x | bytes.y << 8u | bytes.z << 16u | 0xff000000u;
}
