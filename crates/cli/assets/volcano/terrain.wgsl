// The land's mesh: a grid that is finer near the middle.

struct Vertex {
    position: vec4<f32>,
    normal: vec4<f32>,
}

@group(0) @binding(0) var<storage, read_write> vertices: array<Vertex>;
@group(0) @binding(1) var<storage, read_write> indices: array<u32>;

// Cells of a side.
const CELLS: u32 = 256u;

fn place(i: u32) -> f32 {
    let t = f32(i) / f32(CELLS) * 2.0 - 1.0;
    return sign(t) * pow(abs(t), 1.6) * REACH;
}

@compute @workgroup_size(16, 4)
fn mesh(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x > CELLS || id.y > CELLS {
        return;
    }
    let row = CELLS + 1u;
    let index = id.y * row + id.x;
    let p = vec2(place(id.x), place(id.y));
    let e = 0.02 + 0.01 * length(p);
    let dx = height(p + vec2(e, 0.0), 7) - height(p - vec2(e, 0.0), 7);
    let dz = height(p + vec2(0.0, e), 7) - height(p - vec2(0.0, e), 7);
    vertices[index].position = vec4(p.x, height(p, 7), p.y, 1.0);
    vertices[index].normal = vec4(normalize(vec3(-dx, 2.0 * e, -dz)), 0.0);
    if id.x < CELLS && id.y < CELLS {
        let first = (id.y * CELLS + id.x) * 6u;
        indices[first] = index;
        indices[first + 1u] = index + row;
        indices[first + 2u] = index + 1u;
        indices[first + 3u] = index + 1u;
        indices[first + 4u] = index + row;
        indices[first + 5u] = index + row + 1u;
    }
}
