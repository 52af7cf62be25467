//! Partitioned top-level structures (`VK_NV_partitioned_acceleration_structure`) beside ordinary ones of the
//! same instances.

use super::clusters::halves;
use super::*;
use vulkanalia::vk::NvPartitionedAccelerationStructureExtensionDeviceCommands as _;

const PARTITIONED: vk::DescriptorType = vk::DescriptorType::PARTITIONED_ACCELERATION_STRUCTURE_NV;
const GLOBAL: u32 = vk::PARTITIONED_ACCELERATION_STRUCTURE_PARTITION_INDEX_GLOBAL_NV;

/// Operations of commands.
const WRITE: u32 = 0;
const UPDATE: u32 = 1;
const TRANSLATE: u32 = 2;

/// An instance as it is written.
#[derive(Clone, Copy)]
struct Written {
    transform: [[f32; 4]; 3],
    custom: u32,
    mask: u32,
    offset: u32,
    flags: u32,
    index: u32,
    partition: u32,
    structure: u64,
}

impl Written {
    fn words(&self) -> Vec<u32> {
        let mut words: Vec<u32> = self.transform.as_flattened().iter().map(|value| value.to_bits()).collect();
        // No box is asked for.
        words.extend([f32::NAN.to_bits(); 6]);
        words.extend([self.custom, self.mask, self.offset, self.flags, self.index, self.partition]);
        words.extend([self.structure as u32, (self.structure >> 32) as u32]);
        words
    }

    /// The same of an ordinary structure, moved by its partition's translation.
    fn instance(&self, [x, y, z]: [f32; 3]) -> Vec<u32> {
        let mut transform = self.transform;
        [x, y, z].iter().zip(&mut transform).for_each(|(by, row)| row[3] += by);
        Rays::instance(transform, [self.custom, self.mask, self.offset, self.flags], self.structure)
    }
}

fn update(index: u32, offset: u32, structure: u64) -> Vec<u32> {
    vec![index, offset, structure as u32, (structure >> 32) as u32]
}

fn translate(partition: u32, by: [f32; 3]) -> Vec<u32> {
    let [x, y, z] = by.map(f32::to_bits);
    vec![partition, x, y, z]
}

/// What a structure has room for.
#[derive(Clone, Copy)]
struct Limits {
    instances: u32,
    partitions: u32,
    translations: bool,
}

const LIMITS: Limits = Limits { instances: 6, partitions: 3, translations: true };

impl Rays {
    fn with_partitioned_input<R>(
        &self,
        limits: Limits,
        body: impl FnOnce(&vk::PartitionedAccelerationStructureInstancesInputNV) -> R,
    ) -> R {
        let mut flags = vk::PartitionedAccelerationStructureFlagsNV {
            enable_partition_translation: limits.translations.into(),
            ..Default::default()
        };
        body(&vk::PartitionedAccelerationStructureInstancesInputNV {
            next: (&raw mut flags).cast(),
            instance_count: limits.instances,
            max_instance_per_partition_count: limits.instances,
            partition_count: limits.partitions,
            max_instance_in_global_partition_count: limits.instances,
            ..Default::default()
        })
    }

    /// Memory for a structure.
    fn partitioned_room(&self, limits: Limits) -> u64 {
        let mut sizes = vk::AccelerationStructureBuildSizesInfoKHR::default();
        self.with_partitioned_input(limits, |input| unsafe {
            self.context.device.get_partitioned_acceleration_structures_build_sizes_nv(input, &mut sizes);
        });
        assert!(sizes.acceleration_structure_size > 0);
        self.room(sizes.acceleration_structure_size)
    }

    /// Builds one from another, or from nothing, by operations with their arguments. Words lie between
    /// these.
    fn partitioned(
        &self,
        limits: Limits,
        (source, destination): (u64, u64),
        operations: &[(u32, Vec<Vec<u32>>)],
    ) {
        let mut infos = Vec::new();
        for (number, (operation, arguments)) in operations.iter().enumerate() {
            let gap = 2 * (number % 2);
            let mut words = Vec::new();
            for argument in arguments {
                words.extend(argument);
                words.resize(words.len() + gap, 0xdead_beef);
            }
            let stride = if gap == 0 { 0 } else { 4 * (arguments[0].len() + gap) as u64 };
            infos.extend([*operation, arguments.len() as u32]);
            infos.extend(halves(self.data(&words)));
            // Of the stride, the low half counts.
            infos.extend([stride as u32, 7]);
        }
        let count = self.data(&[operations.len() as u32]);
        self.with_partitioned_input(limits, |input| {
            let info = vk::BuildPartitionedAccelerationStructureInfoNV {
                input: *input,
                src_acceleration_structure_data: source,
                dst_acceleration_structure_data: destination,
                scratch_data: self.room(1 << 12),
                src_infos: self.data(&infos),
                src_infos_count: count,
                ..Default::default()
            };
            self.context.run(|commands| unsafe {
                self.context.device.cmd_build_partitioned_acceleration_structures_nv(commands, &info);
            });
        });
    }

    /// What the structure at an address says to rays.
    fn trace_address(&self, address: u64, rays: &[Ray]) -> Vec<Found> {
        let rays: Vec<Ray> =
            rays.iter().map(|ray| Ray { mode: ray.mode | BY_ADDRESS, address, ..*ray }).collect();
        self.trace([Structure::null(); 2], &rays)
    }
}

/// A grid of places.
fn grid() -> Vec<Ray> {
    let place = |number: u32| down((number % 40) as f32 * 0.5 - 3.9, (number / 40) as f32 * 0.5 - 3.8);
    (0..800).map(place).collect()
}

/// All that rays say.
fn words(found: &[Found]) -> Vec<Vec<u32>> {
    found.iter().map(|found| found.0[..42].iter().map(|value| value.to_bits()).collect()).collect()
}

fn instances(structures: [u64; 2]) -> [Written; 6] {
    let of = |index: u32| Written {
        transform: moved(index as f32 * 1.5, (index % 3) as f32, index as f32 * 0.25),
        custom: 100 + index,
        mask: 0xff,
        offset: 3 * index,
        // Those of instances: FORCE_NO_OPAQUE for some.
        flags: if index == 4 { 8 } else { 0 },
        index,
        partition: [0, 1, GLOBAL, 2, 1, 0][index as usize],
        structure: structures[index as usize % 2],
    };
    [0, 1, 2, 3, 4, 5].map(of)
}

fn structures(rays: &Rays) -> [u64; 2] {
    let (geometry, count) = rays.square(true);
    let square = rays.build(Type::BOTTOM_LEVEL, &[geometry], &[count]);
    [square, rays.boxes(2)].map(|structure| rays.structure_address(structure))
}

#[test]
fn partitioned_structures_have_the_hits_of_their_instances() {
    let rays = Rays::new();
    let structures = structures(&rays);
    let mut all = instances(structures);
    let mut by = [[0.0; 3]; 4];
    let places: Vec<Ray> =
        grid().into_iter().map(|ray| Ray { mode: CONFIRM | GENERATE, value: 3.0, ..ray }).collect();
    let check = |address: u64, all: &[Written], by: &[[f32; 3]; 4], what: &str| {
        let present = all.iter().filter(|written| written.structure != 0);
        let instance = |written: &Written| written.instance(by[written.partition.min(3) as usize]);
        let top = rays.top(&present.clone().map(instance).collect::<Vec<_>>());
        let expected = rays.trace_one(top, &places);
        let mut expected = words(&expected);
        // Instances of ordinary structures have the numbers of their places.
        let numbers: Vec<f32> = present.map(|written| written.index as f32).collect();
        for found in &mut expected {
            if f32::from_bits(found[5]) != 0.0 {
                found[8] = numbers[f32::from_bits(found[8]) as usize].to_bits();
            }
        }
        let found = words(&rays.trace_address(address, &places));
        assert!(found.iter().filter(|found| found[5] != 0).count() > 10, "{what}");
        assert!(found == expected, "{what}");
    };
    let first = rays.partitioned_room(LIMITS);
    let write = |all: &[Written]| (WRITE, all.iter().map(Written::words).collect::<Vec<_>>());
    rays.partitioned(LIMITS, (0, first), &[write(&all)]);
    check(first, &all, &by, "written");
    // In its place: some instances anew, one with another structure, one without any, and a partition that
    // moves.
    all[1].transform = moved(-2.0, -2.0, 1.0);
    all[1].partition = 2;
    (all[2].structure, all[2].offset) = (structures[1], 77);
    all[5].structure = 0;
    by[2] = [0.5, 1.0, -1.0];
    by[3] = [-1.0, 0.0, 0.5];
    let changes = [
        write(&all[1..2]),
        (UPDATE, vec![update(2, 77, structures[1]), update(5, 0, 0)]),
        (TRANSLATE, vec![translate(2, by[2]), translate(GLOBAL, by[3])]),
    ];
    rays.partitioned(LIMITS, (first, first), &changes);
    check(first, &all, &by, "changed in its place");
    // Elsewhere: the source stays as it is.
    let second = rays.partitioned_room(LIMITS);
    let (before, by_before) = (all, by);
    by[0] = [0.0, 2.0, 0.0];
    all[0].transform = moved(3.0, 3.0, 3.0);
    rays.partitioned(LIMITS, (first, second), &[(TRANSLATE, vec![translate(0, by[0])]), write(&all[..1])]);
    check(second, &all, &by, "changed elsewhere");
    check(first, &before, &by_before, "the source");
    // Without translations, and fewer instances.
    let fewer = Limits { instances: 4, translations: false, ..LIMITS };
    rays.partitioned(fewer, (0, second), &[write(&all), (TRANSLATE, vec![translate(0, by[0])])]);
    check(second, &all[..4], &[[0.0; 3]; 4], "fewer");
    // An ordinary structure in the place of another's.
    rays.partitioned(LIMITS, (second, first), &[(UPDATE, vec![update(3, 0, structures[0])])]);
    all[3].structure = structures[0];
    all[3].offset = 0;
    check(first, &all[..4], &[[0.0; 3]; 4], "from a smaller one");
}

#[test]
fn partitioned_structures_are_descriptors() {
    let rays = Rays::new();
    let context = &rays.context;
    let device = &context.device;
    let structures = structures(&rays);
    let address = rays.partitioned_room(LIMITS);
    let all = instances(structures);
    let layout = context.set_layout(
        vk::DescriptorSetLayoutCreateFlags::empty(),
        &[(vk::DescriptorType::STORAGE_BUFFER, 1), (vk::DescriptorType::STORAGE_BUFFER, 1), (PARTITIONED, 2)],
    );
    let pipeline_layout = context.layout(&[layout]);
    let pipeline = context.pipeline(pipeline_layout, include_str!("query.comp.spvasm"));
    let places = grid();
    let input = context.buffer(16 * places.len());
    for (number, place) in places.iter().enumerate() {
        let ray = Ray { structure: 1, mode: CONFIRM | GENERATE, value: 3.0, ..*place };
        // SAFETY: both are sixteen words.
        let words = unsafe { std::mem::transmute::<Ray, [u32; 16]>(ray) };
        words.iter().enumerate().for_each(|(word, &value)| input.put(16 * number + word, value));
    }
    let output = context.buffer(64 * places.len());
    let set = context.set_of(layout, &[(vk::DescriptorType::STORAGE_BUFFER, 2), (PARTITIONED, 2)]);
    context.write_range(set, 0, input.buffer, 0);
    context.write_range(set, 1, output.buffer, 0);
    // Before anything is there.
    let addresses = [0, address];
    let mut info = vk::WriteDescriptorSetPartitionedAccelerationStructureNV {
        acceleration_structure_count: 2,
        acceleration_structures: addresses.as_ptr(),
        ..Default::default()
    };
    let mut write =
        vk::WriteDescriptorSet::builder().dst_set(set).dst_binding(2).descriptor_type(PARTITIONED);
    write.descriptor_count = 2;
    write.next = (&raw mut info).cast();
    unsafe { device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]) };
    let run = || {
        context.run(|commands| unsafe {
            let point = vk::PipelineBindPoint::COMPUTE;
            device.cmd_bind_pipeline(commands, point, pipeline);
            device.cmd_bind_descriptor_sets(commands, point, pipeline_layout, 0, &[set], &[]);
            device.cmd_dispatch(commands, places.len() as u32 / 8, 1, 1);
        });
        output.words().chunks(64).filter(|words| words[5] != 0).count()
    };
    assert_eq!(run(), 0);
    let write = |all: &[Written]| (WRITE, all.iter().map(Written::words).collect::<Vec<_>>());
    rays.partitioned(LIMITS, (0, address), &[write(&all)]);
    let hits = run();
    assert!(hits > 10);
    rays.partitioned(LIMITS, (0, address), &[write(&all[..1])]);
    assert!((1..hits).contains(&run()));
}

/// Counts, indices and addresses that are not there change nothing, and too many partitions are refused.
#[test]
fn hostile_partitioned_builds_are_sound() {
    let rays = Rays::new();
    let structures = structures(&rays);
    let address = rays.partitioned_room(LIMITS);
    let all = instances(structures);
    let good = (WRITE, all.iter().map(Written::words).collect::<Vec<_>>());
    rays.partitioned(LIMITS, (0, address), std::slice::from_ref(&good));
    let hits = |address: u64| {
        let places: Vec<Ray> =
            grid().into_iter().map(|ray| Ray { mode: GENERATE, value: 3.0, ..ray }).collect();
        rays.trace_address(address, &places).iter().filter(|found| found.kind() != 0.0).count()
    };
    let before = hits(address);
    assert!(before > 10);
    let mut wrong = all;
    wrong[0].index = u32::MAX;
    wrong[1].index = 6;
    wrong[2].structure = 12_345;
    wrong[3].transform[1][1] = f32::INFINITY;
    let words = wrong[..4].iter().map(Written::words).collect::<Vec<_>>();
    let to = rays.partitioned_room(LIMITS);
    let changes = [
        (99, vec![vec![1; 4]]),
        (UPDATE, vec![update(6, 0, structures[0]), update(u32::MAX, 0, structures[0])]),
        (TRANSLATE, vec![translate(3, [5.0; 3]), translate(7, [f32::NAN; 3])]),
        // One operation too many.
        (WRITE, vec![Written { structure: 0, ..all[0] }.words()]),
    ];
    // Where a source is none, nothing was there before.
    rays.partitioned(LIMITS, (address, to), &changes);
    assert_eq!(hits(to), before);
    rays.partitioned(LIMITS, (structures[0], to), std::slice::from_ref(&good));
    assert_eq!(hits(to), before);
    rays.partitioned(LIMITS, (0, to), &[(WRITE, words)]);
    assert_eq!(hits(to), 0);
    // A translation that is no number leaves the partition out.
    rays.partitioned(LIMITS, (address, to), &[(TRANSLATE, vec![translate(0, [f32::NAN; 3])])]);
    assert!((1..before).contains(&hits(to)));
    let properties = {
        let mut partitioned = vk::PhysicalDevicePartitionedAccelerationStructurePropertiesNV::default();
        let mut properties =
            vk::PhysicalDeviceProperties2 { next: (&raw mut partitioned).cast(), ..Default::default() };
        unsafe {
            let physical = rays.context.physical_device;
            rays.context.instance.get_physical_device_properties2(physical, &mut properties);
        }
        partitioned.max_partition_count
    };
    assert!(properties >= (1 << 24) - 1);
    let mut sizes = vk::AccelerationStructureBuildSizesInfoKHR::default();
    let limits = Limits { partitions: u32::MAX, ..LIMITS };
    rays.with_partitioned_input(limits, |input| unsafe {
        rays.context.device.get_partitioned_acceleration_structures_build_sizes_nv(input, &mut sizes);
    });
    assert_eq!(sizes.acceleration_structure_size, 0);
}
