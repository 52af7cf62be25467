//! Structures that are written to a set after it was bound.

use super::*;
use crate::descriptors::updates::{updatable, updatable_set};

#[test]
fn structures_are_written_after_their_set_was_bound() {
    let rays = Rays::new();
    let (context, device) = (&rays.context, &rays.context.device);
    let (square, count) = rays.square(true);
    let bottom = rays.build(Type::BOTTOM_LEVEL, &[square], &[count]);
    let address = rays.structure_address(bottom);
    let near = rays.top(&[Rays::instance(IDENTITY, [5, 0xff, 0, 0], address)]);
    let far = rays.top(&[Rays::instance(moved(0.0, 0.0, -6.0), [6, 0xff, 0, 0], address)]);
    let storage = (vk::DescriptorType::STORAGE_BUFFER, 1);
    let bindings = [storage, storage, (vk::DescriptorType::ACCELERATION_STRUCTURE_KHR, 2)];
    let none = vk::DescriptorBindingFlags::empty();
    let late = vk::DescriptorBindingFlags::UPDATE_AFTER_BIND;
    let set_layout = updatable(context, &bindings, &[none, none, late]);
    let layout = context.layout(&[set_layout]);
    let (pool, set) = updatable_set(context, set_layout, &bindings, None);
    let input = context.buffer(16 * 8);
    // SAFETY: both are sixteen words.
    let words = unsafe { std::mem::transmute::<Ray, [u32; 16]>(down(0.75, 0.25)) };
    words.iter().enumerate().for_each(|(at, &word)| input.put(at, word));
    let output = context.buffer(64 * 8);
    context.write_range(set, 0, input.buffer, 0);
    context.write_range(set, 1, output.buffer, 0);
    let pipeline = context.pipeline(layout, include_str!("query.comp.spvasm"));
    let commands = context.record(|commands| unsafe {
        let point = vk::PipelineBindPoint::COMPUTE;
        device.cmd_bind_pipeline(commands, point, pipeline);
        device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
        device.cmd_dispatch(commands, 1, 1, 1);
    });
    for (structure, custom, t) in [(near, 5.0, 5.0), (far, 6.0, 8.0)] {
        let structures = [structure, Structure::null()];
        let mut info =
            vk::WriteDescriptorSetAccelerationStructureKHR::builder().acceleration_structures(&structures);
        let mut write = vk::WriteDescriptorSet::builder()
            .dst_set(set)
            .dst_binding(2)
            .descriptor_type(vk::DescriptorType::ACCELERATION_STRUCTURE_KHR)
            .push_next(&mut info);
        write.descriptor_count = 2;
        unsafe { device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]) };
        context.submit_and_wait(commands);
        let found = Found(output.words()[..64].iter().map(|&word| f32::from_bits(word)).collect());
        assert_eq!((found.kind(), found.numbers()[0], found.t()), (1.0, custom, t));
    }
    unsafe {
        device.destroy_descriptor_pool(pool, None);
        device.destroy_descriptor_set_layout(set_layout, None);
    }
}
