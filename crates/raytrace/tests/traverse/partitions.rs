//! Partitioned structures beside ordinary ones of the same instances.

use super::clusters::{data, halves, room, words};
use super::*;
use pyro_raytrace::acceleration_structure::find;
use pyro_raytrace::partition::{Command, Input};

const INPUT: Input = Input { instance_count: 40, partition_count: 4, has_translations: true };
const GLOBAL: u32 = u32::MAX;

/// A structure at an address of its own.
fn addressed(content: Content) -> Arc<AccelerationStructure> {
    let structure = AccelerationStructure::new(room());
    structure.set_content(Arc::new(content));
    structure
}

fn write(one: &Placement, partition: u32) -> Vec<u8> {
    let mut all: Vec<u32> = one.transform.as_flattened().iter().map(|value| value.to_bits()).collect();
    all.extend([f32::NAN.to_bits(); 6]);
    // Bits that are too many do not count.
    all.extend([one.custom_index, one.mask | 0x100, one.sbt_offset | 1 << 24, one.flags | 0x10]);
    all.extend([one.index, partition]);
    all.extend(halves(one.structure.address()));
    all.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Builds by one operation of some arguments.
fn build([source, destination]: [u64; 2], operation: u32, arguments: &[Vec<u8>]) {
    let [low, high] = halves(data(arguments.concat()));
    let command = Command {
        input: INPUT,
        source,
        destination,
        infos: words(&[operation, arguments.len() as u32, low, high, 0, 0]),
        count: words(&[1]),
    };
    // SAFETY: what it reads is data of the test, which stays.
    command.run(unsafe { Memory::new() }, &OneThread);
}

#[test]
fn partitioned_structures_are_met_as_their_instances_are() {
    let mut random = Random::new(41);
    let meshes = [0, 1].map(|_| addressed(Content::of_triangles(soup(&mut random, 90, |_| 0), &OneThread)));
    let mut all: Vec<Placement> = (0..40)
        .map(|index| {
            let mut one = placement(index, random_affine(&mut random), &meshes[index as usize % 2]);
            one.flags = [0, 4, 8, 0][index as usize % 4];
            one
        })
        .collect();
    let partition = |index: u32| [0, 1, 2, 3, GLOBAL][index as usize % 5];
    let check = |random: &mut Random, all: &[Placement], at: u64| {
        let ordinary = structure(Content::of_instances(all.to_vec(), &OneThread));
        let partitioned = find(at).expect("built");
        let mut hits = 0;
        for _ in 0..300 {
            let origin = point(random, 30.0);
            let to = all[random.below(all.len())].transform.map(|row| row[3]);
            let direction = [0, 1, 2].map(|axis| to[axis] - origin[axis]);
            let [found, expected] = [&partitioned, &ordinary].map(|top| {
                let mut state = ray(top, origin, direction, ray_flags::OPAQUE);
                start(&mut state);
                assert_eq!(go_on(&mut state), Step::Done);
                // But for where the instance's record lies.
                pyro_abi::ray::RayHit { instance: 0, ..state.committed }
            });
            assert_eq!(found, expected);
            hits += usize::from(found.kind != hit_kind::COMMITTED_NONE);
        }
        assert!(hits > 100, "{hits}");
    };
    let places = [room(), room()];
    let written: Vec<_> = all.iter().map(|one| write(one, partition(one.index))).collect();
    build([0, places[0]], 0, &written);
    check(&mut random, &all, places[0]);
    // One with another structure, one with none, in the place of the first.
    let update = |index: u32, offset: u32, structure: u64| -> Vec<u8> {
        let [low, high] = halves(structure);
        [index, offset, low, high].iter().flat_map(|word| word.to_le_bytes()).collect()
    };
    let updates = [update(7, 99, meshes[0].address()), update(39, 0, 0), update(40, 0, meshes[0].address())];
    build([places[0]; 2], 1, &updates);
    (all[7].structure, all[7].sbt_offset) = (Arc::clone(&meshes[0]), 99);
    all.pop();
    check(&mut random, &all, places[0]);
    let before = all.clone();
    // Two partitions and one that does not exist.
    let translate = |partition: u32, by: [f32; 3]| -> Vec<u8> {
        [partition].into_iter().chain(by.map(f32::to_bits)).flat_map(u32::to_le_bytes).collect()
    };
    let by = [5.0, -3.0, 1.0];
    build(places, 2, &[translate(1, by), translate(4, by), translate(GLOBAL, by)]);
    for one in all.iter_mut().filter(|one| matches!(partition(one.index), 1 | GLOBAL)) {
        (0..3).for_each(|axis| one.transform[axis][3] += by[axis]);
    }
    check(&mut random, &all, places[1]);
    check(&mut random, &before, places[0]);
}
