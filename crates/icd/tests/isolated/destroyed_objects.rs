//! Objects that are destroyed between the recording of a command and its submission, which is invalid: what
//! descriptors still name is not the process's heap.

use pyro_test_environment::in_child;
use pyro_test_kit::compute::{Buffer, Compute, shader};
use std::alloc::{Layout, alloc, dealloc};
use std::slice;
use vulkanalia::prelude::v1_3::*;

const V1_3: u32 = vk::make_version(1, 3, 0);
const POINT: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
const WORDS: usize = 1024;
const TEXELS: u32 = 0x4141_4141;

/// Stores texels, in every invocation the same, through a storage texel buffer.
fn store_texels() -> String {
    let body = "
        %loaded = OpLoad %image %texels
        %texel = OpCompositeConstruct %uint4 %push %push %push %push
        OpImageWrite %loaded %gid %texel";
    shader(body)
        .replace("OpCapability Shader", "OpCapability Shader OpCapability ImageBuffer")
        .replace("OpDecorate %buffer Binding 0", "OpDecorate %buffer Binding 1 OpDecorate %texels DescriptorSet 0 OpDecorate %texels Binding 0")
        .replace("%uint3 =", "%uint4 = OpTypeVector %uint 4 %uint3 =")
        .replace("%array =", "%image = OpTypeImage %uint Buffer 0 0 0 2 R32ui %images = OpTypePointer UniformConstant %image %texels = OpVariable %images UniformConstant %array =")
}

fn store_words() -> String {
    shader("%place = OpAccessChain %word %buffer %uint_0 %gid OpStore %place %push")
}

/// Allocations of the process's heap, of sizes that memory of destroyed objects may be given out for.
struct Heap(Vec<(*mut u8, Layout)>);

impl Heap {
    /// All bytes are as of [`TEXELS`].
    fn new() -> Heap {
        let small = (256..=512).step_by(16).flat_map(|size| [size; 100]);
        let large = (4096..=9216).step_by(512).flat_map(|size| [size; 20]);
        let allocate = |size: usize| unsafe {
            let layout = Layout::from_size_align(size, 16).expect("a layout");
            let pointer = alloc(layout);
            pointer.write_bytes(TEXELS as u8, size);
            (pointer, layout)
        };
        Heap(large.chain(small).map(allocate).collect())
    }

    fn is_unchanged(&self) -> bool {
        let bytes =
            |&(pointer, layout): &(*mut u8, Layout)| unsafe { slice::from_raw_parts(pointer, layout.size()) };
        self.0.iter().all(|one| bytes(one).iter().all(|&byte| byte == TEXELS as u8))
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        self.0.iter().for_each(|&(pointer, layout)| unsafe { dealloc(pointer, layout) });
    }
}

/// What is destroyed before the submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gone {
    View,
    Memory,
    All,
}

struct Target {
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    view: vk::BufferView,
}

fn target(context: &Compute, pages: &Buffer) -> Target {
    let device = &context.device;
    let usage = vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER;
    assert!(pages.count >= WORDS);
    let (buffer, memory, _) = context.mapped_buffer(4 * WORDS as u64, usage);
    let info =
        vk::BufferViewCreateInfo::builder().buffer(buffer).format(vk::Format::R32_UINT).range(vk::WHOLE_SIZE);
    let view = unsafe { device.create_buffer_view(&info, None) }.expect("a view");
    Target { buffer, memory, view }
}

#[test]
fn commands_of_destroyed_objects_leave_the_heap_alone() {
    if !in_child(module_path!(), "commands_of_destroyed_objects_leave_the_heap_alone", &[]) {
        return;
    }
    for gone in [Gone::All, Gone::View, Gone::Memory] {
        let context = Compute::new(V1_3, &[], std::ptr::null_mut());
        let device = &context.device;
        let texels = vk::DescriptorType::STORAGE_TEXEL_BUFFER;
        let words = vk::DescriptorType::STORAGE_BUFFER;
        let flags = vk::DescriptorSetLayoutCreateFlags::empty();
        let layouts = [words, texels].map(|ty| context.set_layout(flags, &[(ty, 1)]));
        let pipelines = [store_words(), store_texels()];
        let pages = context.buffer(WORDS);
        let mut lists = Vec::new();
        // Live allocations between them, so that the allocator cannot give what is free back to the system.
        let mut between = Vec::new();
        let targets: Vec<_> = (0..20)
            .map(|_| {
                between.push(vec![0_u8; 2000]);
                target(&context, &pages)
            })
            .collect();
        for target in &targets {
            for (index, (ty, &set_layout)) in [words, texels].into_iter().zip(&layouts).enumerate() {
                let layout = context.layout(&[set_layout]);
                let pipeline = context.pipeline(layout, &pipelines[index]);
                let set = context.set_of(set_layout, &[(ty, 1)]);
                if ty == words {
                    context.write(set, target.buffer);
                } else {
                    let views = [target.view];
                    let write =
                        vk::WriteDescriptorSet::builder().dst_set(set).dst_binding(0).descriptor_type(ty);
                    let write = write.texel_buffer_view(&views);
                    unsafe { device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]) };
                }
                lists.push(context.record(|commands| unsafe {
                    device.cmd_bind_pipeline(commands, POINT, pipeline);
                    device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &[set], &[]);
                    let stage = vk::ShaderStageFlags::COMPUTE;
                    device.cmd_push_constants(commands, layout, stage, 0, &0x5a5a_5a5a_u32.to_le_bytes());
                    device.cmd_dispatch(commands, WORDS as u32, 1, 1);
                }));
            }
        }
        let destroy = |target: &Target, gone: Gone| unsafe {
            if gone != Gone::Memory {
                device.destroy_buffer_view(target.view, None);
            }
            if gone != Gone::View {
                device.destroy_buffer(target.buffer, None);
                device.free_memory(target.memory, None);
            }
        };
        targets.iter().for_each(|target| destroy(target, gone));
        let heap = Heap::new();
        let submit = vk::SubmitInfo::builder().command_buffers(&lists);
        unsafe {
            let submitted = device.queue_submit(context.queue, slice::from_ref(&submit), vk::Fence::null());
            let ended = submitted.and_then(|()| device.queue_wait_idle(context.queue));
            assert!(heap.is_unchanged(), "{gone:?}");
            // Null records, and small memory whose pages stay where they are.
            assert_eq!(ended, Ok(()), "{gone:?}");
        }
        for target in &targets {
            match gone {
                Gone::View => destroy(target, Gone::Memory),
                Gone::Memory => destroy(target, Gone::View),
                Gone::All => {}
            }
        }
    }
}
