//! Triangles in the dense geometry format (`VK_AMDX_dense_geometry_format`).

use super::*;

type DenseData = vk::AccelerationStructureDenseGeometryFormatTrianglesDataAMDX;

/// Bytes of a block.
const BLOCK_BYTES: u64 = 128;

/// A strip of unit squares that are on top of each other, from x on, in one block.
struct Strip {
    x: u32,
    squares: u32,
    /// The number of the first triangle.
    primitive: u32,
    /// Geometries, each two times its number, plus one where it is opaque; triangles have one after the
    /// other. A single one is the block's.
    geometries: Vec<u32>,
}

impl Strip {
    fn triangle_count(&self) -> u32 {
        2 * self.squares
    }

    fn words(&self) -> Vec<u32> {
        let mut words = vec![0_u32; 32];
        let mut put = |at: u32, count: u32, value: u32| {
            for bit in (0..count).filter(|bit| value >> bit & 1 != 0) {
                words[((at + bit) / 32) as usize] |= 1 << ((at + bit) % 32);
            }
        };
        let (vertices, triangles) = (2 * self.squares + 2, self.triangle_count());
        put(0, 8, 6);
        put(10, 6, vertices - 1);
        put(16, 6, triangles - 1);
        // A scale of 1, and an anchor at x.
        put(32, 8, 127);
        put(40, 24, self.x);
        // Offsets have 1, 6 and 1 bits.
        put(68, 4, 5);
        put(128, 29, self.primitive);
        for vertex in 0..vertices {
            put(160 + 8 * vertex, 7, (vertex & 1) | ((vertex / 2) << 1));
        }
        let palette = 160 + 8 * vertices;
        match self.geometries[..] {
            [one] => put(22, 10, one),
            _ => {
                let count = self.geometries.len() as u32;
                let index_bits = u32::BITS - (count - 1).leading_zeros();
                put(27, 5, count - 1);
                put(103, 1, 1);
                (0..triangles).for_each(|at| put(palette + at * index_bits, index_bits, at % count));
                let payloads = palette + triangles * index_bits;
                (0..).zip(&self.geometries).for_each(|(at, &word)| put(payloads + 25 * at, 25, word));
            }
        }
        // From the second and the third edge of the one before in turn; each has a new vertex.
        for triangle in 1..triangles {
            put(1024 - 2 * triangle, 2, 2 - triangle % 2);
            put(1024 - 2 * (triangles - 1) - triangle, 1, 1);
        }
        words
    }

    /// A ray down to the middle of a triangle.
    fn ray(&self, triangle: u32) -> Ray {
        let third = if triangle.is_multiple_of(2) { 1.0 / 3.0 } else { 2.0 / 3.0 };
        down(self.x as f32 + third, (triangle / 2) as f32 + third)
    }

    /// What a triangle's number of a geometry is, and whether it is opaque.
    fn geometry(&self, triangle: u32) -> (u32, bool) {
        let word = self.geometries[triangle as usize % self.geometries.len()];
        (word / 2, !word.is_multiple_of(2))
    }
}

fn dense(data: &DenseData) -> vk::AccelerationStructureGeometryKHR {
    vk::AccelerationStructureGeometryKHR {
        next: (&raw const *data).cast(),
        geometry_type: vk::GeometryTypeKHR::DENSE_GEOMETRY_FORMAT_TRIANGLES_AMDX,
        ..Default::default()
    }
}

fn strips() -> [Strip; 2] {
    [
        Strip { x: 3, squares: 5, primitive: 10, geometries: vec![2 * 5 + 1, 2 * 70_000, 2 * 9] },
        Strip { x: 7, squares: 1, primitive: 100_000, geometries: vec![2 * 511 + 1] },
    ]
}

/// The data of blocks; the buffers that hold them live as long as the device.
fn data(rays: &Rays, strips: &[Strip]) -> DenseData {
    // Buffers begin at multiples of what blocks are aligned to.
    let words: Vec<u32> = strips.iter().flat_map(Strip::words).collect();
    let last = |strip: &Strip| strip.primitive + strip.triangle_count() - 1;
    DenseData {
        compressed_data: at(rays.data(&words)),
        data_size: BLOCK_BYTES * strips.len() as u64,
        num_triangles: strips.iter().map(Strip::triangle_count).sum(),
        num_vertices: 16,
        max_primitive_index: strips.iter().map(last).max().unwrap_or(0),
        max_geometry_index: 70_000,
        format: vk::CompressedTriangleFormatAMDX::DGF1,
        ..Default::default()
    }
}

/// Records a build, and says whether recording has ended well.
fn record(
    rays: &Rays,
    structure: Structure,
    geometries: &[vk::AccelerationStructureGeometryKHR],
) -> Option<vk::CommandBuffer> {
    let device = &rays.context.device;
    let commands = rays.context.command_buffer();
    let mut info = vk::AccelerationStructureBuildGeometryInfoKHR::builder()
        .geometries(geometries)
        .mode(vk::BuildAccelerationStructureModeKHR::BUILD);
    info.type_ = Type::BOTTOM_LEVEL;
    info.dst_acceleration_structure = structure;
    unsafe {
        device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default()).expect("begun");
        let build = device.commands().cmd_build_acceleration_structures_khr;
        build(commands, 1, &*info, &std::ptr::null());
        device.end_command_buffer(commands).is_ok().then_some(commands)
    }
}

fn build(rays: &Rays, data: &DenseData) -> Structure {
    let geometries = [dense(data)];
    let mut info = vk::AccelerationStructureBuildGeometryInfoKHR::builder().geometries(&geometries);
    info.type_ = Type::BOTTOM_LEVEL;
    let structure = rays.empty(Type::BOTTOM_LEVEL, rays.size(&info, &[range(data.num_triangles)]));
    rays.context.submit_and_wait(record(rays, structure, &geometries).expect("recorded"));
    structure
}

/// Triangles are where their blocks say, with numbers and flags of their own.
#[test]
fn blocks_are_triangles() {
    let rays = Rays::new();
    let strips = strips();
    let top = rays.single(build(&rays, &data(&rays, &strips)));
    for strip in &strips {
        for triangle in 0..strip.triangle_count() {
            let ray = Ray { mode: CONFIRM, ..strip.ray(triangle) };
            let found = &rays.trace_one(top, &[ray])[0];
            let (geometry, is_opaque) = strip.geometry(triangle);
            assert_eq!((found.kind(), found.t()), (1.0, 5.0), "{triangle} at {}", strip.x);
            let numbers = [0.0, 0.0, 0.0, geometry as f32, (strip.primitive + triangle) as f32];
            assert_eq!(found.numbers(), numbers, "{triangle} at {}", strip.x);
            assert_eq!(found.candidates().0 == 0.0, is_opaque, "{triangle} at {}", strip.x);
        }
    }
    // Beside the strips, and behind their ends.
    let beside = [down(2.9, 0.5), down(4.1, 0.5), down(3.5, 5.1), down(7.5, 1.1), down(0.5, 0.5)];
    assert!(rays.trace_one(top, &beside).iter().all(|found| found.kind() == 0.0));
}

/// Micromaps' indices are those of the primitives' numbers.
#[test]
fn dense_triangles_have_micromaps() {
    const TRANSPARENT: u32 = -1_i32 as u32;
    const OPAQUE: u32 = -2_i32 as u32;
    const UNKNOWN: u32 = -4_i32 as u32;
    let rays = Rays::new();
    let [strip, _] = strips();
    let states = [TRANSPARENT, OPAQUE, UNKNOWN];
    let indices: Vec<u32> = (0..20).map(|primitive: usize| states[primitive % 3]).collect();
    let map = vk::AccelerationStructureTrianglesOpacityMicromapEXT {
        index_type: vk::IndexType::UINT32,
        index_buffer: at(rays.data(&indices)),
        index_stride: 4,
        ..Default::default()
    };
    let next = (&raw const map).cast();
    // Of the primitives behind 17 there are no indices.
    let data = DenseData { next, max_primitive_index: 17, ..data(&rays, std::slice::from_ref(&strip)) };
    let top = rays.single(build(&rays, &data));
    for triangle in 0..strip.triangle_count() {
        let ray = Ray { mode: CONFIRM, ..strip.ray(triangle) };
        let found = &rays.trace_one(top, &[ray])[0];
        let primitive = strip.primitive + triangle;
        let expected = match states[primitive as usize % 3] {
            _ if primitive > 17 => (1.0, strip.geometry(triangle).1),
            TRANSPARENT => (0.0, true),
            OPAQUE => (1.0, true),
            _ => (1.0, false),
        };
        assert_eq!((found.kind(), found.candidates().0 == 0.0), expected, "{triangle}");
    }
}

/// Blocks of anything build something, and data of another size or format is refused.
#[test]
fn bad_blocks_are_survived_and_bad_data_is_refused() {
    let rays = Rays::new();
    let mut random = pyro_random::Random::new(7);
    let words: Vec<u32> = (0..32 * 64)
        .map(|at| {
            let word = random.below(u32::MAX);
            if at % 32 == 0 { word & !0xff | 6 } else { word }
        })
        .collect();
    let fine = data(&rays, &strips());
    let hostile = DenseData {
        compressed_data: at(rays.data(&words)),
        data_size: 64 * BLOCK_BYTES,
        num_triangles: 64 * 64,
        ..fine
    };
    let top = rays.single(build(&rays, &hostile));
    rays.trace_one(top, &[down(0.0, 0.0), down(1e30, -1e30)]);
    let structure = rays.empty(Type::BOTTOM_LEVEL, 1 << 16);
    let mut addressed = fine;
    addressed.compressed_data = at(unsafe { fine.compressed_data.device_address } + 64);
    for (data, is_fine) in [
        (fine, true),
        (DenseData { data_size: 0, ..fine }, true),
        (DenseData { data_size: 100, ..fine }, false),
        (DenseData { data_size: u64::MAX << 7, ..fine }, false),
        (DenseData { format: vk::CompressedTriangleFormatAMDX::from_raw(1), ..fine }, false),
        (addressed, false),
    ] {
        let recorded = record(&rays, structure, &[dense(&data)]);
        assert_eq!(recorded.is_some(), is_fine, "{} bytes, {:?}", data.data_size, data.format);
    }
    assert!(record(&rays, structure, &[dense(&fine), dense(&fine)]).is_none());
    let without = vk::AccelerationStructureGeometryKHR { next: std::ptr::null(), ..dense(&fine) };
    assert!(record(&rays, structure, &[without]).is_none());
}
