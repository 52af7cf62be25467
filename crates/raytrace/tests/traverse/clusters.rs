//! Structures of clusters beside ordinary ones of the same triangles.

use super::*;
use pyro_abi::ray::{RayHit, VERTEX_COMPONENT_BYTES, cluster_component, hit_flags};
use pyro_raytrace::VertexFormat;
use pyro_raytrace::cluster::operation::{Command, Mode, ObjectType, Operation, Region, TriangleLimits};
use pyro_raytrace::input::Component;
use pyro_raytrace::node::GEOMETRY_CULL_DISABLE;
use pyro_raytrace::place::{self, Object};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

/// The address of bytes that stay.
pub(super) fn data(bytes: Vec<u8>) -> u64 {
    let mut bytes = bytes;
    bytes.resize(bytes.len() + 8, 0xee);
    bytes.leak().as_mut_ptr().expose_provenance() as u64
}

pub(super) fn words(words: &[u32]) -> u64 {
    data(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

fn read<const N: usize>(address: u64) -> [u32; N] {
    // SAFETY: only data of the tests is read, which stays.
    let memory = unsafe { Memory::new() };
    std::array::from_fn(|index| memory.load(address + 4 * index as u64))
}

fn long([low, high]: [u32; 2]) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

pub(super) fn halves(address: u64) -> [u32; 2] {
    [address as u32, (address >> 32) as u32]
}

/// Addresses that nothing is at.
pub(super) fn room() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1 << 50);
    NEXT.fetch_add(1 << 32, Ordering::Relaxed)
}

const LIMITS: TriangleLimits = TriangleLimits {
    format: VertexFormat { component: Component::Float32, count: 3 },
    triangles: 256,
    vertices: 256,
};

/// Runs an operation for some infos with implicit destinations: the addresses of what it makes, and its
/// sizes.
fn run(operation: Operation, infos: &[Vec<u32>]) -> Vec<(u64, u32)> {
    let count = infos.len();
    let (addresses, sizes) = (words(&vec![7; 2 * count]), words(&vec![7; count]));
    let command = Command {
        operation,
        mode: Mode::Implicit,
        count_max: count as u32,
        destination: room(),
        addresses: Region { address: addresses, stride: 8, size: 8 * count as u64 },
        sizes: Region { address: sizes, stride: 4, size: 4 * count as u64 },
        infos: Region { address: words(&infos.concat()), stride: 0, size: 0 },
        count: 0,
        resolution: 0,
    };
    // SAFETY: infos name data of the tests, which stays.
    command.run(unsafe { Memory::new() }, &OneThread);
    (0..count as u64)
        .map(|index| (long(read(addresses + 8 * index)), read::<1>(sizes + 4 * index)[0]))
        .collect()
}

/// The triangles of a cluster.
struct Patch {
    vertices: Vec<[f32; 3]>,
    corners: Vec<[u32; 3]>,
    base_geometry: u32,
    /// Words of each triangle's geometry.
    geometries: Option<Vec<u32>>,
    id: u32,
}

/// Flags of a geometry's word.
const OPAQUE: u32 = 4 << 29;
const CULL_DISABLE: u32 = 1 << 29;

impl Patch {
    fn random(random: &mut Random, number: u32, triangle_count: u32) -> Patch {
        let center = point(random, 6.0);
        let vertex_count = (triangle_count + 2).min(256);
        let vertex = |random: &mut Random| {
            let offset = point(random, 1.5);
            [0, 1, 2].map(|axis| center[axis] + offset[axis])
        };
        let vertices: Vec<_> = (0..vertex_count).map(|_| vertex(random)).collect();
        // No two triangles that lie in the same place.
        let (mut corners, mut seen) = (Vec::new(), BTreeSet::new());
        while corners.len() < triangle_count as usize {
            let new = [0; 3].map(|_| random.below(vertex_count));
            let mut set = new;
            set.sort_unstable();
            if set[0] != set[1] && set[1] != set[2] && seen.insert(set) {
                corners.push(new);
            }
        }
        let flags = [0, OPAQUE, CULL_DISABLE, OPAQUE | CULL_DISABLE][random.below(4_usize)];
        let geometries = (random.one_in(2)).then(|| {
            let one = |_| random.below(3_u32) | (random.below(2_u32) * OPAQUE);
            (0..triangle_count).map(one).collect()
        });
        Patch { vertices, corners, base_geometry: (10 * number) | flags, geometries, id: 5000 + 3 * number }
    }

    fn triangles(&self) -> Vec<Triangle> {
        let triangle = |(primitive, corners): (u32, &[u32; 3])| {
            let own = self.geometries.as_ref().map_or(0, |all| all[primitive as usize]);
            let number = (self.base_geometry & 0xff_ffff) + (own & 0xff_ffff);
            let flags = self.base_geometry | own;
            let flag = |bit: u32, to: u32| if flags & bit != 0 { to } else { 0 };
            let geometry = number | flag(OPAQUE, GEOMETRY_OPAQUE) | flag(CULL_DISABLE, GEOMETRY_CULL_DISABLE);
            let vertices = corners.map(|corner| self.vertices[corner as usize]);
            Triangle { vertices, primitive, geometry }
        };
        (0..).zip(&self.corners).map(triangle).collect()
    }

    fn vertex_data(&self, gap: usize) -> (u64, u32) {
        let mut all = Vec::new();
        for vertex in &self.vertices {
            all.extend(vertex.map(f32::to_bits));
            all.resize(all.len() + gap, f32::NAN.to_bits());
        }
        (words(&all), if gap == 0 { 0 } else { 12 + 4 * gap as u32 })
    }

    /// The info of a cluster, or of a template, with indices of so many bytes.
    fn info(&self, index_bytes: u32, vertices: (u64, u32), template: bool) -> Vec<u32> {
        let corners = self.corners.as_flattened();
        let bytes = corners.iter().flat_map(|corner| corner.to_le_bytes()[..index_bytes as usize].to_vec());
        let indices = data(bytes.collect());
        let geometries = self.geometries.as_ref().map_or(0, |all| words(all));
        let counts = self.corners.len() as u32 | (self.vertices.len() as u32) << 9;
        let mut info = vec![self.id, 0, counts | index_bytes << 24 | 1 << 28, self.base_geometry];
        info.extend([vertices.1 << 16, 0]);
        for address in [indices, vertices.0, geometries, 0, 0] {
            info.extend(halves(address));
        }
        if template {
            info.extend([0, 0]);
        }
        info
    }
}

fn bottom_of(clusters: &[(u64, u32)]) -> u64 {
    let references: Vec<u32> = clusters.iter().flat_map(|&(address, _)| halves(address)).collect();
    let count = clusters.len() as u32;
    let info = [&[count, 8][..], &halves(words(&references))].concat();
    let operation = Operation::BuildBottom { clusters_max: count, total_max: count };
    run(operation, &[info])[0].0
}

fn top_of(bottom: &Arc<AccelerationStructure>, map: Affine) -> Arc<AccelerationStructure> {
    structure(Content::of_instances(vec![placement(3, map, bottom)], &OneThread))
}

fn structure_at(address: u64) -> Arc<AccelerationStructure> {
    match place::find(address) {
        Some((Object::Bottom(structure), _)) => structure,
        other => panic!("{other:?}"),
    }
}

/// The number of a hit's cluster.
fn id_of(hit: &RayHit) -> u32 {
    assert!(hit.flags & hit_flags::CLUSTER != 0);
    read::<1>(hit.vertices + u64::from(cluster_component::ID * VERTEX_COMPONENT_BYTES))[0]
}

/// All that a ray meets: its candidates in order of distance, then what is committed.
fn met(top: &Arc<AccelerationStructure>, origin: [f32; 3], direction: [f32; 3], flags: u32) -> Vec<RayHit> {
    let mut state = ray(top, origin, direction, flags);
    start(&mut state);
    let mut all = Vec::new();
    while go_on(&mut state) != Step::Done {
        all.push(state.candidate);
    }
    // Those behind what was committed later were met or not, as the tree is.
    all.retain(|hit| hit.t < state.committed.t);
    all.sort_by(|a, b| a.t.total_cmp(&b.t).then(a.geometry_index.cmp(&b.geometry_index)));
    all.push(state.committed);
    all
}

/// What both kinds of structures say of a hit.
fn facts(hit: &RayHit) -> [u32; 8] {
    let [u, v] = hit.barycentrics.map(f32::to_bits);
    let flags = hit.flags & !hit_flags::CLUSTER;
    [hit.kind, hit.t.to_bits(), u, v, hit.geometry_index, hit.primitive_index, hit.front_face, flags]
}

/// Rays meet the same triangles in both; gives how many they met.
fn compare(
    random: &mut Random,
    [clusters, plain]: [&Arc<AccelerationStructure>; 2],
    id: impl Fn(u32) -> u32,
) -> usize {
    let map = random_affine(random);
    let tops = [clusters, plain].map(|bottom| top_of(bottom, map));
    let content = plain.content().expect("built");
    let targets: Vec<Triangle> = content.blocks.iter().flat_map(|block| block.triangles()).collect();
    let mut hits = 0;
    for round in 0..600 {
        let [a, b, c] = targets[random.below(targets.len())].vertices;
        let inside = [0, 1, 2].map(|axis| 0.5 * a[axis] + 0.3 * b[axis] + 0.2 * c[axis]);
        let (from, towards) = (point(random, 15.0), inside);
        let ends = [from, towards].map(|end| transform_point(&map, end));
        let direction = [0, 1, 2].map(|axis| ends[1][axis] - ends[0][axis]);
        let flags =
            [0, ray_flags::CULL_BACK_FACING, ray_flags::CULL_FRONT_FACING, ray_flags::CULL_OPAQUE][round % 4];
        let [found, expected] = tops.each_ref().map(|top| met(top, ends[0], direction, flags));
        let facts_of = |all: &[RayHit]| all.iter().map(facts).collect::<Vec<_>>();
        assert_eq!(facts_of(&found), facts_of(&expected), "ray {round}");
        for hit in found.iter().filter(|hit| hit.vertices != 0) {
            assert_eq!(id_of(hit), id(hit.geometry_index));
            hits += 1;
        }
    }
    hits
}

#[test]
fn clusters_are_met_as_their_triangles_are() {
    let mut random = Random::new(31);
    for patch_count in [1, 2, 70] {
        let patches: Vec<Patch> = (0..patch_count)
            .map(|number| {
                let count = [1, 8, 9, 100, 256][number as usize % 5];
                Patch::random(&mut random, number, count)
            })
            .collect();
        let all: Vec<Triangle> = patches.iter().flat_map(Patch::triangles).collect();
        let plain = structure(Content::of_triangles(all, &OneThread));
        let infos = |template: bool, has_vertices: bool| -> Vec<Vec<u32>> {
            let info = |(number, patch): (usize, &Patch)| {
                let vertices = if has_vertices { patch.vertex_data(number % 3) } else { (0, 0) };
                patch.info([1, 2, 4][number % 3], vertices, template)
            };
            patches.iter().enumerate().map(info).collect()
        };
        let id = |geometry: u32| 5000 + 3 * (geometry / 10);
        let built = run(Operation::BuildCluster(LIMITS), &infos(false, true));
        let mut hits = compare(&mut random, [&structure_at(bottom_of(&built)), &plain], id);
        // Templates that know where their triangles will be, that do not, and that think they lie elsewhere.
        for has_vertices in [true, false] {
            let templates = run(Operation::BuildTemplate(LIMITS), &infos(true, has_vertices));
            let info = |(template, patch): (&(u64, u32), &Patch)| {
                let (vertices, stride) = patch.vertex_data(1);
                let mut info = vec![0, 0];
                [halves(template.0), halves(vertices), [stride, 0xdead]]
                    .iter()
                    .for_each(|pair| info.extend(pair));
                info
            };
            let infos: Vec<_> = templates.iter().zip(&patches).map(info).collect();
            let made = run(Operation::Instantiate(LIMITS), &infos);
            hits += compare(&mut random, [&structure_at(bottom_of(&made)), &plain], id);
        }
        assert!(hits > 300, "{hits}");
    }
}

#[test]
fn templates_have_offsets_and_other_vertices() {
    let mut random = Random::new(32);
    let patch = Patch::random(&mut random, 1, 200);
    let template = run(Operation::BuildTemplate(LIMITS), &[patch.info(2, patch.vertex_data(0), true)])[0].0;
    // Vertices that are far from those of the template, of which one is none.
    let mut other = Patch::random(&mut random, 2, 200);
    other.corners = patch.corners.clone();
    other.vertices[5][1] = f32::NAN;
    other.vertices.truncate(patch.vertices.len());
    let (vertices, _) = other.vertex_data(0);
    let [a, b] = [halves(template), halves(vertices)];
    // The second one has the template's own vertices.
    let infos = [vec![100, 7, a[0], a[1], b[0], b[1], 0, 0], vec![200, 0xff_fffe, a[0], a[1], 0, 0, 0, 0]];
    let clusters = run(Operation::Instantiate(LIMITS), &infos);
    let with_offset = |triangle: &Triangle, offset: u32| {
        let number = (triangle.geometry + offset) & 0xff_ffff;
        Triangle { geometry: triangle.geometry & !0xff_ffff | number, ..*triangle }
    };
    let moved = Patch { vertices: other.vertices, corners: patch.corners.clone(), ..patch };
    let first: Vec<Triangle> = moved
        .triangles()
        .iter()
        .filter(|triangle| triangle.vertices.as_flattened().iter().all(|value| value.is_finite()))
        .map(|triangle| with_offset(triangle, 7))
        .collect();
    assert!(first.len() < 200);
    let plain = structure(Content::of_triangles(first, &OneThread));
    let made = structure_at(bottom_of(&clusters[..1]));
    assert!(compare(&mut random, [&made, &plain], |_| 5003 + 100) > 50);
    let own = structure_at(bottom_of(&clusters[1..]));
    let content = own.content().expect("built");
    assert_eq!(content.kind, Kind::Clusters);
    let top = top_of(&own, IDENTITY);
    let hit = (0..200).map(|_| (point(&mut random, 15.0), point(&mut random, 6.0)));
    let hit = hit.flat_map(|(from, to)| met(&top, from, [0, 1, 2].map(|axis| to[axis] - from[axis]), 0));
    let hit: Vec<RayHit> = hit.filter(|hit| hit.vertices != 0).collect();
    assert!(!hit.is_empty() && hit.iter().all(|hit| id_of(hit) == 5203));
    // An offset is a signed number of 24 bits: -2 from 10 to 12.
    assert!(hit.iter().all(|hit| (8..=10).contains(&hit.geometry_index)));
}

#[test]
fn objects_that_move_are_found_where_they_are() {
    let mut random = Random::new(33);
    let patches = [0, 1, 2].map(|number| Patch::random(&mut random, number, 20));
    let infos = patches.each_ref().map(|patch| patch.info(1, patch.vertex_data(0), false));
    let clusters = run(Operation::BuildCluster(LIMITS), &infos);
    let references = |all: &[(u64, u32)]| -> Vec<Vec<u32>> {
        all.iter().map(|&(address, _)| halves(address).to_vec()).collect()
    };
    let bytes: u64 = clusters.iter().map(|&(_, bytes)| u64::from(bytes)).sum();
    let operation = |ty, keeps_sources, bytes_max| Operation::Move { ty, keeps_sources, bytes_max };
    // Of another type, or too much: nothing happens.
    for wrong in [operation(ObjectType::Template, true, bytes), operation(ObjectType::Cluster, true, 100)] {
        assert_eq!(run(wrong, &references(&clusters)), [(0, 0); 3]);
    }
    let copies = run(operation(ObjectType::Cluster, true, bytes), &references(&clusters));
    assert!(copies.iter().zip(&clusters).all(|(copy, source)| copy.0 != source.0 && copy.1 == source.1));
    assert!(place::find(clusters[0].0).is_some());
    let moved = run(operation(ObjectType::Cluster, false, bytes), &references(&copies));
    assert!(copies.iter().all(|copy| place::find(copy.0).is_none()));
    let all: Vec<Triangle> = patches.iter().flat_map(Patch::triangles).collect();
    let plain = structure(Content::of_triangles(all, &OneThread));
    let id = |geometry: u32| 5000 + 3 * (geometry / 10);
    let bottom = bottom_of(&moved);
    assert!(compare(&mut random, [&structure_at(bottom), &plain], id) > 50);
    // The structure has its clusters, wherever they are now.
    moved.iter().for_each(|cluster| place::forget(cluster.0..cluster.0 + 1));
    let held = structure_at(bottom);
    let other = run(operation(ObjectType::Bottom, false, 1 << 20), &[halves(bottom).to_vec()]);
    assert!(place::find(bottom).is_none());
    assert!(pyro_raytrace::acceleration_structure::find(bottom).is_none(), "though somebody has it");
    drop(held);
    assert!(compare(&mut random, [&structure_at(other[0].0), &plain], id) > 50);
    assert!(pyro_raytrace::acceleration_structure::find(other[0].0).is_some());
}

/// Whatever infos say, structures are sound.
#[test]
fn hostile_infos_make_sound_clusters() {
    let mut random = Random::new(34);
    let patch = Patch::random(&mut random, 0, 30);
    let good = patch.info(2, patch.vertex_data(0), true);
    for round in 0..300 {
        let mut info = good.clone();
        // Addresses and strides are the application's promise.
        let word = [0, 1, 2, 3][round % 4];
        info[word] = random.word();
        // So that what is read is there: indices and vertices are as many as before.
        if word == 2 {
            let counts = info[2] & 0xfffc_0000;
            info[2] = counts | random.below(31_u32) | random.below(33_u32) << 9;
        }
        let clusters = run(Operation::BuildCluster(LIMITS), &[info[..16].to_vec()]);
        let template = run(Operation::BuildTemplate(LIMITS), &[info])[0];
        let [a, b] = halves(template.0);
        let more = run(Operation::Instantiate(LIMITS), &[vec![1, 1, a, b, 0, 0, 0, 0]]);
        let bottom = structure_at(bottom_of(&[clusters[0], more[0], (12345, 0), template]));
        let top = top_of(&bottom, IDENTITY);
        for _ in 0..20 {
            let (from, to) = (point(&mut random, 15.0), point(&mut random, 6.0));
            met(&top, from, [0, 1, 2].map(|axis| to[axis] - from[axis]), 0);
        }
    }
    // No template, no cluster.
    let wrong = run(Operation::Instantiate(LIMITS), &[vec![0; 8], vec![9; 8]]);
    assert_eq!(wrong, [(0, 0); 2]);
    assert_eq!(run(Operation::GetIndices(LIMITS), &[vec![77, 0]]), [(0, 0)]);
}
