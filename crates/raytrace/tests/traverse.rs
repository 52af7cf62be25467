//! Traversals beside a search through all primitives.
#![allow(unsafe_code)]

#[path = "traverse/clusters.rs"]
mod clusters;
#[path = "traverse/partitions.rs"]
mod partitions;
#[path = "traverse/spheres.rs"]
mod spheres;

use pyro_abi::Memory;
use pyro_abi::ray::{RayState, hit_kind, ray_flags};
use pyro_random::Random;
use pyro_raytrace::acceleration_structure::{Kind, TriangleExtras};
use pyro_raytrace::input::Placement;
use pyro_raytrace::math::{Affine, Bounds, inverse, transform_direction, transform_point};
use pyro_raytrace::micromap::{GeometryMicromap, Micromap, MicromapInput};
use pyro_raytrace::node::{BoxPrimitive, GEOMETRY_OPAQUE, Triangle};
use pyro_raytrace::sphere::Sphere;
use pyro_raytrace::{AccelerationStructure, Content, OneThread, Step, serial, traverse};
use pyro_test_environment::number;
use std::sync::Arc;

fn point(random: &mut Random, size: f32) -> [f32; 3] {
    [0; 3].map(|_| random.float(-size, size))
}

const IDENTITY: Affine = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];

fn structure(content: Content) -> Arc<AccelerationStructure> {
    // No address that something else has.
    let structure = AccelerationStructure::new(0);
    structure.set_content(Arc::new(content));
    structure
}

fn placement(index: u32, transform: Affine, structure: &Arc<AccelerationStructure>) -> Placement {
    let structure = structure.clone();
    Placement {
        index,
        transform,
        custom_index: 100 + index,
        mask: 0xff,
        sbt_offset: 7 * index,
        flags: 0,
        structure,
        motion: None,
    }
}

fn ray(top: &Arc<AccelerationStructure>, origin: [f32; 3], direction: [f32; 3], flags: u32) -> RayState {
    let structure = top.record_address();
    RayState { structure, flags, cull_mask: 0xff, origin, direction, t_max: 1e9, ..RayState::default() }
}

fn start(state: &mut RayState) {
    // SAFETY: the tests' structures live until their ends and are not built again.
    unsafe { traverse::initialize(state) };
}

fn go_on(state: &mut RayState) -> Step {
    // SAFETY: as above.
    unsafe { traverse::proceed(state) }
}

/// Möller and Trumbore's test, in double precision.
fn meets(triangle: &[[f32; 3]; 3], origin: [f32; 3], direction: [f32; 3]) -> Option<f64> {
    let wide = |v: [f32; 3]| v.map(f64::from);
    let sub = |a: [f64; 3], b: [f64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let [a, b, c] = triangle.map(wide);
    let (origin, direction) = (wide(origin), wide(direction));
    let (e1, e2) = (sub(b, a), sub(c, a));
    let p = cross(direction, e2);
    let det = dot(e1, p);
    let from = sub(origin, a);
    let u = dot(from, p) / det;
    let q = cross(from, e1);
    let v = dot(direction, q) / det;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0).then(|| dot(e2, q) / det).filter(|&t| t >= 0.0)
}

fn random_affine(random: &mut Random) -> Affine {
    let mut map = IDENTITY;
    for row in &mut map {
        for value in &mut row[..3] {
            *value += random.float(-0.4, 0.4);
        }
        row[3] = random.float(-20.0, 20.0);
    }
    map
}

fn soup(random: &mut Random, count: u32, geometry: impl Fn(u32) -> u32) -> Vec<Triangle> {
    let triangles = (0..count).map(|primitive| {
        let center = point(random, 5.0);
        let vertices = [0; 3].map(|_| {
            let offset = point(random, 0.8);
            [0, 1, 2].map(|axis| center[axis] + offset[axis])
        });
        Triangle { vertices, primitive, geometry: geometry(primitive) }
    });
    triangles.collect()
}

#[test]
fn closest_hit_matches_brute_force() {
    let mut random = Random::new(7);
    let meshes = [0, 1, 2].map(|_| soup(&mut random, 500, |_| GEOMETRY_OPAQUE));
    let bottoms = meshes.each_ref().map(|mesh| structure(Content::of_triangles(mesh.clone(), &OneThread)));
    let maps: Vec<Affine> = (0..20).map(|_| random_affine(&mut random)).collect();
    let placements =
        (0..20).map(|index| placement(index, maps[index as usize], &bottoms[index as usize % 3]));
    let top = structure(Content::of_instances(placements.collect(), &OneThread));
    let mut hits = 0;
    for _ in 0..400 {
        let (origin, towards) = (point(&mut random, 30.0), point(&mut random, 15.0));
        let direction = [0, 1, 2].map(|axis| towards[axis] - origin[axis]);
        let mut best: Option<(f64, u32, u32)> = None;
        for (index, map) in maps.iter().enumerate() {
            let back = inverse(map);
            let (origin, direction) = (transform_point(&back, origin), transform_direction(&back, direction));
            for triangle in &meshes[index % 3] {
                if let Some(t) = meets(&triangle.vertices, origin, direction)
                    && best.is_none_or(|(least, ..)| t < least)
                {
                    best = Some((t, index as u32, triangle.primitive));
                }
            }
        }
        let mut state = ray(&top, origin, direction, 0);
        start(&mut state);
        assert_eq!(go_on(&mut state), Step::Done);
        let found = state.committed;
        let Some((t, instance, primitive)) = best else {
            assert_eq!(found.kind, hit_kind::COMMITTED_NONE);
            continue;
        };
        hits += 1;
        assert_eq!(found.kind, hit_kind::COMMITTED_TRIANGLE);
        assert!((f64::from(found.t) - t).abs() < 1e-4 * t.max(0.1), "{} {t}", found.t);
        assert_eq!((found.instance_index, found.primitive_index), (instance, primitive));
        assert_eq!((found.custom_index, found.sbt_offset), (100 + instance, 7 * instance));
        // The first hit ends a ray that ends there, and is one of those that there are.
        let mut state = ray(&top, origin, direction, ray_flags::TERMINATE_ON_FIRST_HIT);
        start(&mut state);
        assert_eq!(go_on(&mut state), Step::Done);
        assert!(state.committed.kind == hit_kind::COMMITTED_TRIANGLE && state.committed.t >= found.t);
    }
    assert!(hits > 100, "{hits}");
}

#[test]
fn all_candidates_come_once_until_one_is_confirmed() {
    let mut random = Random::new(9);
    let mesh = soup(&mut random, 3000, |primitive| if primitive % 4 == 0 { GEOMETRY_OPAQUE | 1 } else { 0 });
    let bottom = structure(Content::of_triangles(mesh.clone(), &OneThread));
    let top = structure(Content::of_instances(
        vec![placement(0, IDENTITY, &bottom), placement(1, IDENTITY, &bottom)],
        &OneThread,
    ));
    let mut count = 0;
    for _ in 0..100 {
        let (origin, towards) = (point(&mut random, 8.0), point(&mut random, 3.0));
        let direction = [0, 1, 2].map(|axis| towards[axis] - origin[axis]);
        let all = |geometry: u32| {
            let met = mesh.iter().filter(|triangle| triangle.geometry == geometry);
            let mut met: Vec<(f64, u32)> = met
                .filter_map(|triangle| {
                    Some((meets(&triangle.vertices, origin, direction)?, triangle.primitive))
                })
                .collect();
            met.sort_by(|a, b| a.0.total_cmp(&b.0));
            met
        };
        // Opaque ones are culled; nothing is confirmed.
        let mut state = ray(&top, origin, direction, ray_flags::CULL_OPAQUE);
        start(&mut state);
        let mut seen = Vec::new();
        while go_on(&mut state) == Step::Triangle {
            assert_eq!((state.candidate.geometry_index, state.candidate.flags), (0, 0));
            seen.push((state.candidate.instance_index, state.candidate.primitive_index));
        }
        assert_eq!(state.committed.kind, hit_kind::COMMITTED_NONE);
        seen.sort_unstable();
        let mut expected: Vec<(u32, u32)> =
            all(0).into_iter().flat_map(|(_, primitive)| [(0, primitive), (1, primitive)]).collect();
        expected.sort_unstable();
        assert_eq!(seen, expected);
        count += seen.len();
        // Odd ones are confirmed, the others let pass: the closest of those and the opaque ones.
        let mut state = ray(&top, origin, direction, 0);
        start(&mut state);
        loop {
            match go_on(&mut state) {
                Step::Triangle if state.candidate.primitive_index % 2 == 1 => traverse::confirm(&mut state),
                Step::Triangle => {}
                Step::Box => panic!("there are no boxes"),
                Step::Done => break,
            }
        }
        let odd = all(0).into_iter().filter(|(_, primitive)| primitive % 2 == 1);
        let closest = odd.chain(all(GEOMETRY_OPAQUE | 1)).min_by(|a, b| a.0.total_cmp(&b.0));
        match closest {
            Some((_, primitive)) => assert_eq!(state.committed.primitive_index, primitive),
            None => assert_eq!(state.committed.kind, hit_kind::COMMITTED_NONE),
        }
    }
    assert!(count > 500, "{count}");
}

#[test]
fn boxes_are_candidates_and_become_what_is_reported() {
    let boxes = (0..200).map(|primitive| {
        let x = primitive as f32 * 3.0;
        let bounds = Bounds { lower: [x, -1.0, -1.0], upper: [x + 1.0, 1.0, 1.0] };
        BoxPrimitive { bounds, primitive, geometry: 3 }
    });
    let bottom = structure(Content::of_boxes(boxes.collect(), &OneThread));
    let top = structure(Content::of_instances(vec![placement(0, IDENTITY, &bottom)], &OneThread));
    let mut state = ray(&top, [-5.0, 0.0, 0.0], [1.0, 0.0, 0.0], 0);
    start(&mut state);
    let mut seen = 0;
    while go_on(&mut state) == Step::Box {
        assert_eq!(state.candidate.geometry_index, 3);
        // Only those from 50 on have something in them.
        if state.candidate.primitive_index >= 50 {
            let enters = state.candidate.t;
            assert!(!traverse::generate(&mut state, -1.0));
            assert!(traverse::generate(&mut state, enters + 0.5));
        }
        seen += 1;
    }
    assert_eq!(seen, 51);
    assert_eq!(state.committed.kind, hit_kind::COMMITTED_GENERATED);
    assert_eq!((state.committed.primitive_index, state.committed.t), (50, 155.5));
    let mut state = ray(&top, [-5.0, 0.0, 0.0], [1.0, 0.0, 0.0], ray_flags::SKIP_AABBS);
    start(&mut state);
    assert_eq!(go_on(&mut state), Step::Done);
}

#[test]
fn rays_meet_a_closed_mesh_exactly_once() {
    // A ball of many triangles around the origin.
    let (rings, sides) = (64, 128);
    let vertex = |ring: u32, side: u32| {
        let (a, b) = (
            ring as f32 / rings as f32 * std::f32::consts::PI,
            (side % sides) as f32 / sides as f32 * std::f32::consts::TAU,
        );
        // Poles are one point.
        let radius = if ring == 0 || ring == rings { 0.0 } else { a.sin() };
        [radius * b.cos(), radius * b.sin(), a.cos()]
    };
    let mut mesh = Vec::new();
    for ring in 0..rings {
        for side in 0..sides {
            let [a, b, c, d] = [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(r, s)| vertex(ring + r, side + s));
            for vertices in [[a, b, c], [a, c, d]] {
                mesh.push(Triangle { vertices, primitive: mesh.len() as u32, geometry: GEOMETRY_OPAQUE });
            }
        }
    }
    let bottom = structure(Content::of_triangles(mesh.clone(), &OneThread));
    let top = structure(Content::of_instances(vec![placement(0, IDENTITY, &bottom)], &OneThread));
    let mut random = Random::new(3);
    for number in 0..20_000usize {
        let origin = point(&mut random, 0.3);
        // Half of them at vertices and middles of edges.
        let corners = mesh[number % mesh.len()].vertices;
        let towards = match number % 4 {
            0 => corners[number / 4 % 3],
            1 => [0, 1, 2].map(|axis| 0.5 * (corners[0][axis] + corners[1][axis])),
            _ => point(&mut random, 1.0),
        };
        let direction = [0, 1, 2].map(|axis| towards[axis] - origin[axis]);
        let mut state = ray(&top, origin, direction, 0);
        start(&mut state);
        assert_eq!(go_on(&mut state), Step::Done);
        assert_eq!(state.committed.kind, hit_kind::COMMITTED_TRIANGLE, "{origin:?} {direction:?}");
        // None of the others is met, though the ray may go through a vertex of many.
        let mut state = ray(&top, origin, direction, ray_flags::NO_OPAQUE);
        start(&mut state);
        let mut count = 0;
        while go_on(&mut state) == Step::Triangle {
            count += 1;
        }
        assert_eq!(count, 1, "{origin:?} {direction:?}");
    }
}

#[test]
fn invalid_rays_find_nothing() {
    let mut random = Random::new(1);
    let bottom = structure(Content::of_triangles(soup(&mut random, 50, |_| GEOMETRY_OPAQUE), &OneThread));
    let top = structure(Content::of_instances(vec![placement(0, IDENTITY, &bottom)], &OneThread));
    let wrong = [
        ray(&top, [f32::NAN, 0.0, 0.0], [1.0, 0.0, 0.0], 0),
        ray(&top, [0.0; 3], [f32::INFINITY, 0.0, 0.0], 0),
        ray(&top, [0.0; 3], [0.0; 3], 0),
        RayState { t_max: -1.0, ..ray(&top, [0.0; 3], [1.0, 0.0, 0.0], 0) },
        RayState { cull_mask: 0x100, ..ray(&top, [0.0; 3], [1.0, 0.0, 0.0], 0) },
        RayState { structure: 0, ..ray(&top, [0.0; 3], [1.0, 0.0, 0.0], 0) },
        RayState { structure: 0x1235, ..ray(&top, [0.0; 3], [1.0, 0.0, 0.0], 0) },
        RayState { structure: bottom.record_address(), ..ray(&top, [0.0; 3], [1.0, 0.0, 0.0], 0) },
    ];
    for mut state in wrong {
        start(&mut state);
        assert_eq!(go_on(&mut state), Step::Done);
        assert_eq!(state.committed.kind, hit_kind::COMMITTED_NONE);
    }
    // Not begun at all.
    let mut state = RayState::default();
    traverse::confirm(&mut state);
    traverse::terminate(&mut state);
    assert_eq!(go_on(&mut state), Step::Done);
}

/// Triangles that share a micromap of two.
fn with_micromap(random: &mut Random) -> Content {
    let states = [0xe4_u8; 16];
    // Offset; level and format.
    let entries: [[u32; 2]; 2] = [[0, 1 | 2 << 16], [4, 2 | 1 << 16]];
    let input = MicromapInput {
        triangle_count: 2,
        data: states.as_ptr().expose_provenance() as u64,
        triangles: entries.as_ptr().expose_provenance() as u64,
        stride: 8,
        ..MicromapInput::default()
    };
    // SAFETY: the input names the arrays above, and all states lie in theirs.
    let micromap = Arc::new(Micromap::build(unsafe { Memory::new() }, &input));
    let triangles = soup(random, 30, |_| 0);
    let extras = TriangleExtras {
        micromap_indices: (0..30).map(|index| index % 3).collect(),
        micromaps: vec![Some(GeometryMicromap { content: micromap, reference: 0 })],
        ..TriangleExtras::default()
    };
    Content::of_triangles_with(triangles, extras, &OneThread)
}

fn sphere_content(random: &mut Random, kind: Kind) -> Content {
    let sphere = |primitive| {
        let (center, radius) = (point(random, 5.0), random.float(0.0, 1.0));
        let (centers, radii) = match kind {
            Kind::Spheres => ([center; 2], [radius; 2]),
            _ => ([center, point(random, 5.0)], [radius, random.float(0.0, 1.0)]),
        };
        Sphere { centers, radii, caps: [true, primitive % 2 == 0], primitive, geometry: 0 }
    };
    Content::of_spheres(kind, (0..30).map(sphere).collect(), &OneThread)
}

/// Whatever bytes say, what is read of them can be traversed: random changes of serialized structures.
/// `PYRO_MUTATIONS` sets how many (2,000), `PYRO_SEED` where to start.
#[test]
fn mutated_serialized_structures_are_read_or_refused() {
    const DRIVER: [u8; 16] = *b"the tests' uuid.";
    let (seed, count) = (number("PYRO_SEED", 1_u64), number("PYRO_MUTATIONS", 2_000_u64));
    let mut random = Random::new(3);
    let bottom = structure(Content::of_triangles(soup(&mut random, 30, |_| GEOMETRY_OPAQUE), &OneThread));
    let placements = (0..5).map(|index| placement(index, random_affine(&mut random), &bottom)).collect();
    let top = structure(Content::of_instances(placements, &OneThread));
    let mapped = structure(with_micromap(&mut random));
    let [spheres, swept] =
        [Kind::Spheres, Kind::SweptSpheres].map(|kind| structure(sphere_content(&mut random, kind)));
    let forms = [&bottom, &top, &mapped, &spheres, &swept]
        .map(|structure| serial::write(&structure.content().expect("a content"), DRIVER, 1 << 16));
    let mut read = 0;
    for round in 0..count {
        let mut random = Random::new((seed + round).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut bytes = forms[random.below(forms.len())].clone();
        for _ in 0..1 + random.below(4) {
            let place = 32 + random.below(bytes.len() - 32);
            match random.below(4) {
                0 => bytes[place] ^= 1 << random.below(8),
                1 => bytes[place] = random.pick(&[0, 1, 0x7f, 0x80, 0xff]),
                2 => bytes.truncate(place),
                _ => bytes[place..].iter_mut().take(4).for_each(|byte| *byte = 0xff),
            }
            if bytes.len() <= 40 {
                break;
            }
        }
        let resolve = |address: u64| (address != 1).then(|| Arc::clone(&bottom));
        let Some(content) = serial::read(&bytes, DRIVER, &resolve, &OneThread) else { continue };
        read += 1;
        let kind = content.kind;
        let mut found = structure(content);
        if kind != Kind::Instances {
            found = structure(Content::of_instances(vec![placement(0, IDENTITY, &found)], &OneThread));
        }
        for _ in 0..8 {
            let mut state = ray(&found, point(&mut random, 30.0), point(&mut random, 15.0), 0);
            start(&mut state);
            // Every primitive is a candidate once at most.
            let steps = (0..2_000).take_while(|_| go_on(&mut state) != Step::Done).count();
            assert!(steps < 2_000, "round {round}");
        }
    }
    assert!(read > 0);
}
