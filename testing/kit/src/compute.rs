//! A device for compute work in this process, and short ways to what tests need of it.

use crate::{Client, Gpu};
use std::cell::RefCell;
use std::ffi::{CStr, c_void};
use std::slice;
use vulkanalia::prelude::v1_3::*;

/// An instance, a device with four queues, and what was made of it.
pub struct Compute {
    gpu: Gpu,
    made: RefCell<Made>,
}

#[derive(Default)]
struct Made {
    buffers: Vec<Buffer>,
    set_layouts: Vec<vk::DescriptorSetLayout>,
    layouts: Vec<vk::PipelineLayout>,
    pipelines: Vec<vk::Pipeline>,
    pools: Vec<vk::DescriptorPool>,
}

/// A buffer with mapped memory.
#[derive(Clone, Copy)]
pub struct Buffer {
    /// The buffer.
    pub buffer: vk::Buffer,
    /// Its memory.
    pub memory: vk::DeviceMemory,
    /// The address of its words.
    pub words: *mut u32,
    /// How many words it has.
    pub count: usize,
}

impl Buffer {
    /// Its words.
    pub fn words(&self) -> Vec<u32> {
        (0..self.count).map(|index| unsafe { self.words.add(index).read_volatile() }).collect()
    }

    /// Writes a word.
    pub fn put(&self, index: usize, word: u32) {
        assert!(index < self.count);
        unsafe { self.words.add(index).write_volatile(word) };
    }
}

/// A compute shader around this body, which may use `%gid` (the invocation, a `%uint`), `%buffer` (a runtime
/// array of `%uint` at set 0, binding 0, through `%word` pointers), `%push` (a word), and `%uint_0` to
/// `%uint_4`.
pub fn shader(body: &str) -> String {
    let header = "
        OpCapability Shader
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main \"main\" %id
        OpExecutionMode %main LocalSize 1 1 1
        OpDecorate %id BuiltIn GlobalInvocationId
        OpDecorate %array ArrayStride 4
        OpDecorate %block BufferBlock
        OpMemberDecorate %block 0 Offset 0
        OpDecorate %buffer DescriptorSet 0
        OpDecorate %buffer Binding 0
        OpDecorate %constants Block
        OpMemberDecorate %constants 0 Offset 0
        %void = OpTypeVoid
        %fn = OpTypeFunction %void
        %bool = OpTypeBool
        %uint = OpTypeInt 32 0
        %uint3 = OpTypeVector %uint 3
        %in_uint3 = OpTypePointer Input %uint3
        %id = OpVariable %in_uint3 Input
        %array = OpTypeRuntimeArray %uint
        %block = OpTypeStruct %array
        %blocks = OpTypePointer Uniform %block
        %word = OpTypePointer Uniform %uint
        %buffer = OpVariable %blocks Uniform
        %constants = OpTypeStruct %uint
        %push_block = OpTypePointer PushConstant %constants
        %push_word = OpTypePointer PushConstant %uint
        %pushed = OpVariable %push_block PushConstant
        %uint_0 = OpConstant %uint 0
        %uint_1 = OpConstant %uint 1
        %uint_2 = OpConstant %uint 2
        %uint_3 = OpConstant %uint 3
        %uint_4 = OpConstant %uint 4
        %main = OpFunction %void None %fn
        %entry = OpLabel
        %ids = OpLoad %uint3 %id
        %gid = OpCompositeExtract %uint %ids 0
        %push_pointer = OpAccessChain %push_word %pushed %uint_0
        %push = OpLoad %uint %push_pointer
        ";
    format!("{header}{body}\nOpReturn\nOpFunctionEnd\n")
}

/// A shader that adds the pushed word to a word of the buffer for each invocation.
#[must_use]
pub fn adding() -> String {
    shader(
        "%at = OpAccessChain %word %buffer %uint_0 %gid
         %old = OpLoad %uint %at
         %new = OpIAdd %uint %old %push
         OpStore %at %new",
    )
}

impl std::ops::Deref for Compute {
    type Target = Gpu;

    fn deref(&self) -> &Gpu {
        &self.gpu
    }
}

impl From<Gpu> for Compute {
    fn from(gpu: Gpu) -> Compute {
        Compute { gpu, made: RefCell::default() }
    }
}

impl Compute {
    /// A device of this version of the API, with these extensions and this chain of features.
    pub fn new(version: u32, extensions: &[&CStr], features: *mut c_void) -> Compute {
        Client::new(version, &[]).device(extensions, None, features).into()
    }

    /// A buffer of so many words, zeros.
    pub fn buffer(&self, count: usize) -> Buffer {
        self.buffer_with(count, vk::BufferUsageFlags::empty())
    }

    /// The same with further uses.
    pub fn buffer_with(&self, count: usize, usage: vk::BufferUsageFlags) -> Buffer {
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::UNIFORM_BUFFER
            | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER
            | vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER
            | vk::BufferUsageFlags::INDIRECT_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST
            | usage;
        let (buffer, memory, address) = self.mapped_buffer(4 * count as u64, usage);
        let buffer = Buffer { buffer, memory, words: address.cast(), count };
        self.made.borrow_mut().buffers.push(buffer);
        buffer
    }

    /// A set layout with these bindings: type and count, numbered from 0.
    pub fn set_layout(
        &self,
        flags: vk::DescriptorSetLayoutCreateFlags,
        bindings: &[(vk::DescriptorType, u32)],
    ) -> vk::DescriptorSetLayout {
        let bindings: Vec<_> = (0..)
            .zip(bindings)
            .map(|(binding, (ty, count))| vk::DescriptorSetLayoutBinding {
                binding,
                descriptor_type: *ty,
                descriptor_count: *count,
                stage_flags: vk::ShaderStageFlags::ALL,
                immutable_samplers: std::ptr::null(),
            })
            .collect();
        let info = vk::DescriptorSetLayoutCreateInfo::builder().flags(flags).bindings(&bindings);
        let layout = unsafe { self.device.create_descriptor_set_layout(&info, None) }.expect("a set layout");
        self.made.borrow_mut().set_layouts.push(layout);
        layout
    }

    /// A pipeline layout of these sets, and one word of push constants.
    pub fn layout(&self, sets: &[vk::DescriptorSetLayout]) -> vk::PipelineLayout {
        let range = vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::COMPUTE, offset: 0, size: 4 };
        let info = vk::PipelineLayoutCreateInfo::builder()
            .set_layouts(sets)
            .push_constant_ranges(slice::from_ref(&range));
        let layout = unsafe { self.device.create_pipeline_layout(&info, None) }.expect("a layout");
        self.made.borrow_mut().layouts.push(layout);
        layout
    }

    /// A pipeline of assembly text.
    pub fn pipeline(&self, layout: vk::PipelineLayout, text: &str) -> vk::Pipeline {
        self.staged_pipeline(layout, text, vk::PipelineShaderStageCreateFlags::empty(), None)
    }

    /// A pipeline of a module's words.
    pub fn pipeline_of(&self, layout: vk::PipelineLayout, words: &[u32]) -> vk::Pipeline {
        let flags = vk::PipelineShaderStageCreateFlags::empty();
        self.pipeline_with(layout, self.module_of(words), flags, None)
    }

    /// A pipeline of assembly text with flags for its stage, and a size that its subgroups must have.
    pub fn staged_pipeline(
        &self,
        layout: vk::PipelineLayout,
        text: &str,
        flags: vk::PipelineShaderStageCreateFlags,
        subgroup_size: Option<u32>,
    ) -> vk::Pipeline {
        self.pipeline_with(layout, self.shader_module(text), flags, subgroup_size)
    }

    /// A pipeline of a module, which is destroyed.
    fn pipeline_with(
        &self,
        layout: vk::PipelineLayout,
        module: vk::ShaderModule,
        flags: vk::PipelineShaderStageCreateFlags,
        subgroup_size: Option<u32>,
    ) -> vk::Pipeline {
        let mut size = vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo::default();
        unsafe {
            let mut stage = vk::PipelineShaderStageCreateInfo::builder()
                .flags(flags)
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(b"main\0");
            if let Some(lanes) = subgroup_size {
                size.required_subgroup_size = lanes;
                stage = stage.push_next(&mut size);
            }
            let info = vk::ComputePipelineCreateInfo::builder().stage(stage).layout(layout).build();
            let null = vk::PipelineCache::null();
            let made = self.device.create_compute_pipelines(null, &[info], None).expect("a pipeline");
            self.device.destroy_shader_module(module, None);
            self.made.borrow_mut().pipelines.push(made.0[0]);
            made.0[0]
        }
    }

    /// A set of this layout of buffers, from a pool of its own.
    pub fn set(&self, layout: vk::DescriptorSetLayout) -> vk::DescriptorSet {
        let sizes = [
            (vk::DescriptorType::STORAGE_BUFFER, 64),
            (vk::DescriptorType::UNIFORM_BUFFER, 64),
            (vk::DescriptorType::STORAGE_BUFFER_DYNAMIC, 64),
        ];
        self.set_of(layout, &sizes)
    }

    /// A set of this layout, from a pool of its own that holds so many of each type.
    pub fn set_of(
        &self,
        layout: vk::DescriptorSetLayout,
        sizes: &[(vk::DescriptorType, u32)],
    ) -> vk::DescriptorSet {
        let sizes: Vec<_> = sizes
            .iter()
            .map(|&(type_, descriptor_count)| vk::DescriptorPoolSize { type_, descriptor_count })
            .collect();
        let mut inline =
            vk::DescriptorPoolInlineUniformBlockCreateInfo::builder().max_inline_uniform_block_bindings(4);
        let info =
            vk::DescriptorPoolCreateInfo::builder().max_sets(1).pool_sizes(&sizes).push_next(&mut inline);
        unsafe {
            let pool = self.device.create_descriptor_pool(&info, None).expect("a pool");
            self.made.borrow_mut().pools.push(pool);
            let info = vk::DescriptorSetAllocateInfo::builder()
                .descriptor_pool(pool)
                .set_layouts(slice::from_ref(&layout));
            self.device.allocate_descriptor_sets(&info).expect("a set")[0]
        }
    }

    /// Writes a storage buffer to binding 0 of a set.
    pub fn write(&self, set: vk::DescriptorSet, buffer: vk::Buffer) {
        self.write_range(set, 0, buffer, 0);
    }

    /// Writes a storage buffer from this byte on to a binding of a set.
    pub fn write_range(&self, set: vk::DescriptorSet, binding: u32, buffer: vk::Buffer, offset: u64) {
        let info = vk::DescriptorBufferInfo { buffer, offset, range: vk::WHOLE_SIZE };
        let write = vk::WriteDescriptorSet::builder()
            .dst_set(set)
            .dst_binding(binding)
            .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
            .buffer_info(slice::from_ref(&info));
        unsafe { self.device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]) };
    }
}

impl Drop for Compute {
    fn drop(&mut self) {
        let made = self.made.take();
        let device = &self.device;
        unsafe {
            // A lost device says so; the objects go all the same.
            let _ = device.device_wait_idle();
            made.pipelines.iter().for_each(|&pipeline| device.destroy_pipeline(pipeline, None));
            made.layouts.iter().for_each(|&layout| device.destroy_pipeline_layout(layout, None));
            made.pools.iter().for_each(|&pool| device.destroy_descriptor_pool(pool, None));
            made.set_layouts.iter().for_each(|&layout| device.destroy_descriptor_set_layout(layout, None));
            for buffer in made.buffers {
                device.destroy_buffer(buffer.buffer, None);
                device.free_memory(buffer.memory, None);
            }
        }
    }
}
