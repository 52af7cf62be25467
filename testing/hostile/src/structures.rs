//! Serialized acceleration structures of any bytes.

use pyro_abi::ray::RayState;
use pyro_random::Random;
use pyro_raytrace::acceleration_structure::Kind;
use pyro_raytrace::input::Placement;
use pyro_raytrace::math::Affine;
use pyro_raytrace::node::{GEOMETRY_OPAQUE, Triangle};
use pyro_raytrace::{AccelerationStructure, Content, OneThread, Step, serial, traverse};
use std::sync::Arc;

/// The driver that wrote them.
const DRIVER: [u8; serial::UUID_BYTES] = *b"hostile bytes of";
const IDENTITY: Affine = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
/// Every primitive is a candidate once at most.
const STEPS: usize = 5_000;

fn structure(content: Content) -> Arc<AccelerationStructure> {
    // No address that something else has.
    let structure = AccelerationStructure::new(0);
    structure.set_content(Arc::new(content));
    structure
}

fn point(random: &mut Random, size: f32) -> [f32; 3] {
    [0; 3].map(|_| random.float(-size, size))
}

fn triangles() -> Content {
    let mut random = Random::new(5);
    let triangle = |primitive| {
        let corner = point(&mut random, 4.0);
        let corners = [corner, corner.map(|x| x + 1.0), point(&mut random, 4.0)];
        Triangle { vertices: corners, primitive, geometry: GEOMETRY_OPAQUE }
    };
    Content::of_triangles((0..12).map(triangle).collect(), &OneThread)
}

fn instances(bottom: &Arc<AccelerationStructure>) -> Content {
    let placement = |index: u32| Placement {
        index,
        transform: IDENTITY,
        custom_index: index,
        mask: 0xff,
        sbt_offset: 0,
        flags: 0,
        structure: bottom.clone(),
        motion: None,
    };
    Content::of_instances((0..3).map(placement).collect(), &OneThread)
}

/// Serialized structures of both levels.
#[must_use]
pub(crate) fn serialized() -> Vec<Vec<u8>> {
    let bottom = structure(triangles());
    let top = structure(instances(&bottom));
    let write = |structure: &Arc<AccelerationStructure>| {
        let content = structure.content()?;
        Some(serial::write(&content, DRIVER, serial::bytes(&content)))
    };
    [&bottom, &top].into_iter().filter_map(write).collect()
}

/// Reads bytes as a structure, and sends rays through what comes of it.
///
/// # Panics
/// When a ray does not end.
pub(crate) fn read(bytes: &[u8]) {
    let bottom = structure(triangles());
    let resolve = |address: u64| (address != 1).then(|| Arc::clone(&bottom));
    let Some(content) = serial::read(bytes, DRIVER, &resolve, &OneThread) else { return };
    let kind = content.kind;
    let mut found = structure(content);
    if kind != Kind::Instances {
        found = structure(instances(&found));
    }
    let mut random = Random::new(9);
    for _ in 0..8 {
        let mut state = RayState {
            structure: found.record_address(),
            cull_mask: 0xff,
            origin: point(&mut random, 30.0),
            direction: point(&mut random, 15.0),
            t_max: 1e9,
            ..RayState::default()
        };
        // SAFETY: the structures live until the end of the function and are not built again.
        let steps = unsafe {
            traverse::initialize(&mut state);
            (0..STEPS).take_while(|_| traverse::proceed(&mut state) != Step::Done).count()
        };
        assert!(steps < STEPS, "a ray does not end");
    }
}
