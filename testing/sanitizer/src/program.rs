//! Cases as programs: a dispatch or a draw through the entry points.

use crate::case::{Case, Stage, Variant};
use crate::graphs::GraphDevice;
use crate::kernels;
use crate::stages::StageDevice;
use crate::{capabilities, module};
use pyro_test_kit::kernels::KernelDevice;
use pyro_test_kit::scene::{Lab, Scene, With};
use pyro_test_kit::{Client, Gpu};
use std::cell::OnceCell;
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::ArmTensorsExtensionDeviceCommands as _;

/// Words of the buffer.
const WORDS: usize = 4096;
/// Bytes of the range of small buffers.
pub const SMALL_BYTES: u64 = 32;
/// Bytes of push constants.
const PUSH_BYTES: u32 = 16;
/// Texels of a side of the image.
const SIDE: u32 = 8;

/// What is at each binding of set 0 of compute shaders, and how many of it; tensors where there are some. The
/// last shows the same image as the storage image.
const BINDINGS: [(vk::DescriptorType, u32); 10] = [
    (vk::DescriptorType::STORAGE_BUFFER, 1),
    (vk::DescriptorType::STORAGE_BUFFER, 4),
    (vk::DescriptorType::STORAGE_IMAGE, 1),
    (vk::DescriptorType::UNIFORM_TEXEL_BUFFER, 1),
    (vk::DescriptorType::UNIFORM_BUFFER, 1),
    (vk::DescriptorType::STORAGE_BUFFER, 1),
    (vk::DescriptorType::SAMPLED_IMAGE, 1),
    (vk::DescriptorType::SAMPLED_IMAGE, 1),
    (vk::DescriptorType::TENSOR_ARM, 1),
    (vk::DescriptorType::COMBINED_IMAGE_SAMPLER, 1),
];
const STORAGE_AND_SAMPLED: vk::ImageUsageFlags = vk::ImageUsageFlags::from_bits_truncate(
    vk::ImageUsageFlags::STORAGE.bits() | vk::ImageUsageFlags::SAMPLED.bits(),
);
/// The images in the order of their bindings: one for storage, one with levels and layers, one with samples.
const SHAPES: [ImageShape; 3] = [
    ImageShape { usage: STORAGE_AND_SAMPLED, ..ImageShape::SMALLEST },
    ImageShape { levels: 2, layers: 2, ..ImageShape::SMALLEST },
    ImageShape { format: vk::Format::R32_SFLOAT, samples: vk::SampleCountFlags::_4, ..ImageShape::SMALLEST },
];

/// What an image is made of.
struct ImageShape {
    format: vk::Format,
    levels: u32,
    layers: u32,
    samples: vk::SampleCountFlags,
    usage: vk::ImageUsageFlags,
}

impl ImageShape {
    const SMALLEST: ImageShape = ImageShape {
        format: vk::Format::R32_UINT,
        levels: 1,
        layers: 1,
        samples: vk::SampleCountFlags::_1,
        usage: vk::ImageUsageFlags::SAMPLED,
    };
}

/// Elements of the tensor in each dimension.
const TENSOR_SIZE: [i64; 2] = [4, 8];

/// A device for compute cases, and its objects.
struct ComputeDevice {
    gpu: Gpu,
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    pool: vk::DescriptorPool,
    set: vk::DescriptorSet,
    buffer: (vk::Buffer, vk::DeviceMemory, *mut u8),
    images: [(vk::Image, vk::ImageView, vk::DeviceMemory); SHAPES.len()],
    texels: vk::BufferView,
    sampler: vk::Sampler,
    /// None where the driver has no tensors.
    tensor: Option<(vk::TensorARM, vk::TensorViewARM, vk::DeviceMemory)>,
}

/// What runs programs.
#[derive(Default)]
pub struct Programs {
    compute: OnceCell<ComputeDevice>,
    lab: OnceCell<Lab>,
    stages: OnceCell<StageDevice>,
    graphs: OnceCell<GraphDevice>,
    kernels: OnceCell<KernelDevice>,
    declares_used: bool,
}

impl Programs {
    /// With devices of their own.
    pub fn new() -> Programs {
        Programs::default()
    }

    /// The same, whose shaders declare no capability that they do not use.
    pub fn of_any_driver() -> Programs {
        Programs { declares_used: true, ..Programs::default() }
    }

    /// Makes the device of a stage's programs.
    pub fn prepare(&self, stage: Stage) {
        match stage {
            Stage::Compute => {
                self.compute.get_or_init(ComputeDevice::new);
            }
            Stage::Vertex | Stage::Control | Stage::Evaluation | Stage::Geometry | Stage::Fragment => {
                self.lab.get_or_init(|| Lab::new(&[]));
            }
            Stage::Node => {
                self.graphs.get_or_init(GraphDevice::new);
            }
            Stage::Kernel => {
                self.kernels.get_or_init(KernelDevice::new);
            }
            _ => {
                self.stages.get_or_init(StageDevice::new);
            }
        }
    }

    /// Runs a variant of a case in a stage; gives the buffer's words.
    pub fn run(&self, case: &Case, stage: Stage, variant: Variant) -> Vec<u32> {
        if stage == Stage::Kernel {
            let device = self.kernels.get_or_init(KernelDevice::new);
            return kernels::run(device, case, &kernels::text(case, variant));
        }
        let mut text = module::text(case, stage, variant);
        if self.declares_used {
            text = capabilities::used(&text);
        }
        match stage {
            // The device is lost.
            Stage::Compute if case.aborts() => ComputeDevice::new().run(case, variant, &text),
            Stage::Compute => self.compute.get_or_init(ComputeDevice::new).run(case, variant, &text),
            Stage::Node => self.graphs.get_or_init(GraphDevice::new).run(case, &text),
            Stage::Vertex | Stage::Control | Stage::Evaluation | Stage::Geometry | Stage::Fragment => {
                draw(self.lab.get_or_init(|| Lab::new(&[])), case, (stage, variant), &text)
            }
            _ => self.stages.get_or_init(StageDevice::new).run(case, (stage, variant), &text),
        }
    }
}

/// Draws with a shader of a stage, and plain ones in the other stages; gives the buffer's words.
pub fn draw(lab: &Lab, case: &Case, (stage, variant): (Stage, Variant), text: &str) -> Vec<u32> {
    let of = |wanted: Stage| match (wanted, case.reads) {
        _ if wanted == stage => text.to_owned(),
        _ if case.before == Some(wanted) => module::shader_before(case, wanted, variant),
        (Stage::Fragment, Some(location)) => module::reading_shader(location),
        _ => module::plain_shader(wanted),
    };
    let vertices = [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]].map(|[x, y]| [[x, y, 0.0, 1.0], [0.0; 4]]);
    let triangles = case.triangles[usize::from(variant == Variant::Good)];
    let vertices = vertices.repeat(triangles as usize);
    let mut scene = Scene::new(&of(Stage::Vertex), &of(Stage::Fragment), &vertices);
    match stage {
        Stage::Control | Stage::Evaluation => {
            scene.between = vec![
                (vk::ShaderStageFlags::TESSELLATION_CONTROL, of(Stage::Control)),
                (vk::ShaderStageFlags::TESSELLATION_EVALUATION, of(Stage::Evaluation)),
            ];
            scene.state.topology = vk::PrimitiveTopology::PATCH_LIST;
            scene.state.patch_vertices = 3;
        }
        Stage::Geometry => scene.between = vec![(vk::ShaderStageFlags::GEOMETRY, of(Stage::Geometry))],
        _ => {}
    }
    if case.compares_equal {
        scene.state.depth_test = true;
        scene.state.depth_compare = vk::CompareOp::EQUAL;
    }
    scene.words.clone_from(&case.input);
    lab.draw(&scene, With::Pipeline).words
}

impl ComputeDevice {
    fn new() -> ComputeDevice {
        let client = Client::new(vk::make_version(1, 3, 0), &[]);
        let features = unsafe { client.instance.get_physical_device_features(client.physical_device) };
        let mut tensors =
            vk::PhysicalDeviceTensorFeaturesARM::builder().tensors(true).shader_tensor_access(true);
        let name = c"VK_ARM_tensors";
        let has_tensors = client.has_extension(name);
        let gpu = match has_tensors {
            true => client.device(&[name], Some(&features), (&raw mut tensors).cast()),
            false => client.device(&[], Some(&features), std::ptr::null_mut()),
        };
        let kinds: Vec<_> = (0..)
            .zip(BINDINGS)
            .filter(|&(_, (ty, _))| has_tensors || ty != vk::DescriptorType::TENSOR_ARM)
            .collect();
        let device = &gpu.device;
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::UNIFORM_BUFFER
            | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER
            | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        let buffer = gpu.mapped_buffer(4 * WORDS as u64, usage);
        unsafe {
            let bindings: Vec<_> = kinds
                .iter()
                .map(|&(binding, (ty, count))| {
                    vk::DescriptorSetLayoutBinding::builder()
                        .binding(binding)
                        .descriptor_type(ty)
                        .descriptor_count(count)
                        .stage_flags(vk::ShaderStageFlags::COMPUTE)
                })
                .collect();
            let info = vk::DescriptorSetLayoutCreateInfo::builder().bindings(&bindings);
            let set_layout = device.create_descriptor_set_layout(&info, None).expect("a set layout");
            let range = vk::PushConstantRange {
                stage_flags: vk::ShaderStageFlags::COMPUTE,
                offset: 0,
                size: PUSH_BYTES,
            };
            let info = vk::PipelineLayoutCreateInfo::builder()
                .set_layouts(slice::from_ref(&set_layout))
                .push_constant_ranges(slice::from_ref(&range));
            let layout = device.create_pipeline_layout(&info, None).expect("a layout");
            let size = |&(_, (type_, descriptor_count))| vk::DescriptorPoolSize { type_, descriptor_count };
            let sizes: Vec<_> = kinds.iter().map(size).collect();
            let info = vk::DescriptorPoolCreateInfo::builder().max_sets(1).pool_sizes(&sizes);
            let pool = device.create_descriptor_pool(&info, None).expect("a pool");
            let info = vk::DescriptorSetAllocateInfo::builder()
                .descriptor_pool(pool)
                .set_layouts(slice::from_ref(&set_layout));
            let set = device.allocate_descriptor_sets(&info).expect("a set")[0];
            let images = SHAPES.map(|shape| make_image(&gpu, &shape));
            let info = vk::BufferViewCreateInfo::builder()
                .buffer(buffer.0)
                .format(vk::Format::R32_UINT)
                .range(SMALL_BYTES);
            let texels = device.create_buffer_view(&info, None).expect("a buffer view");
            let info = vk::SamplerCreateInfo::default();
            let sampler = device.create_sampler(&info, None).expect("a sampler");
            let tensor = has_tensors.then(|| make_tensor(&gpu));
            let made =
                ComputeDevice { set_layout, layout, pool, set, buffer, images, texels, sampler, tensor, gpu };
            made.write_set();
            made
        }
    }

    unsafe fn write_set(&self) {
        let whole = vk::DescriptorBufferInfo { buffer: self.buffer.0, offset: 0, range: vk::WHOLE_SIZE };
        let small = vk::DescriptorBufferInfo { range: SMALL_BYTES, ..whole };
        let images = self.images.map(|(_, image_view, _)| vk::DescriptorImageInfo {
            image_view,
            image_layout: vk::ImageLayout::GENERAL,
            sampler: self.sampler,
        });
        let (whole, several, small) = ([whole], [small; 4], [small]);
        let write = |binding: u32| {
            let write = vk::WriteDescriptorSet::builder()
                .dst_set(self.set)
                .dst_binding(binding)
                .descriptor_type(BINDINGS[binding as usize].0);
            match binding {
                0 => write.buffer_info(&whole),
                1 => write.buffer_info(&several),
                2 => write.image_info(&images[..1]),
                3 => write.texel_buffer_view(slice::from_ref(&self.texels)),
                6 => write.image_info(&images[1..2]),
                7 => write.image_info(&images[2..]),
                9 => write.image_info(&images[..1]),
                _ => write.buffer_info(&small),
            }
        };
        let writes = [0, 1, 2, 3, 4, 5, 6, 7, 9].map(write);
        unsafe { self.gpu.device.update_descriptor_sets(&writes, &[] as &[vk::CopyDescriptorSet]) };
        let Some((_, view, _)) = &self.tensor else { return };
        let views = vk::WriteDescriptorSetTensorARM {
            tensor_view_count: 1,
            tensor_views: &raw const *view,
            ..Default::default()
        };
        let of_tensor = vk::WriteDescriptorSet {
            next: (&raw const views).cast(),
            dst_set: self.set,
            dst_binding: 8,
            descriptor_count: 1,
            descriptor_type: vk::DescriptorType::TENSOR_ARM,
            ..Default::default()
        };
        unsafe { self.gpu.device.update_descriptor_sets(&[of_tensor], &[] as &[vk::CopyDescriptorSet]) };
    }

    fn run(&self, case: &Case, variant: Variant, text: &str) -> Vec<u32> {
        let device = &self.gpu.device;
        let words = self.buffer.2.cast::<u32>();
        for index in 0..WORDS {
            let word = case.input.get(index).copied().unwrap_or(0);
            unsafe { words.add(index).write_volatile(word) };
        }
        let put_address = |index: usize, buffer: vk::Buffer| {
            let info = vk::BufferDeviceAddressInfo::builder().buffer(buffer);
            let address = unsafe { device.get_buffer_device_address(&info) };
            for (index, word) in (index..).zip([address as u32, (address >> 32) as u32]) {
                unsafe { words.add(index).write_volatile(word) };
            }
        };
        if case.is_physical {
            put_address(0, self.buffer.0);
        }
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        let second = case.has_second.then(|| self.gpu.mapped_buffer(SMALL_BYTES, usage));
        if let Some((buffer, _, bytes)) = second {
            put_address(2, buffer);
            unsafe {
                bytes.write_bytes(0, SMALL_BYTES as usize);
                if variant == Variant::Bad {
                    device.destroy_buffer(buffer, None);
                }
            }
        }
        let mut size = vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo::default();
        unsafe {
            let module = self.gpu.shader_module(text);
            let mut stage = vk::PipelineShaderStageCreateInfo::builder()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(b"main\0");
            if let Some(lanes) = case.lanes {
                size.required_subgroup_size = lanes;
                stage = stage.push_next(&mut size);
            }
            let info = vk::ComputePipelineCreateInfo::builder().stage(stage).layout(self.layout).build();
            let made = device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
            let pipeline = made.unwrap_or_else(|error| panic!("{}: {error}\n{text}", case.name)).0[0];
            let commands = self.gpu.record(|commands| {
                let point = vk::PipelineBindPoint::COMPUTE;
                device.cmd_bind_pipeline(commands, point, pipeline);
                device.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[self.set], &[]);
                let bytes = [0; PUSH_BYTES as usize];
                let bytes = &bytes[..case.pushed as usize];
                device.cmd_push_constants(commands, self.layout, vk::ShaderStageFlags::COMPUTE, 0, bytes);
                device.cmd_dispatch(commands, case.groups, 1, 1);
            });
            let done = self.gpu.try_submit_and_wait(commands);
            let expected = match case.aborts() && variant == Variant::Bad {
                true => Err(vk::ErrorCode::DEVICE_LOST),
                false => Ok(()),
            };
            assert_eq!(done, expected, "{}", case.name);
            device.destroy_pipeline(pipeline, None);
            device.destroy_shader_module(module, None);
        }
        if let Some((buffer, memory, _)) = second {
            unsafe {
                if variant == Variant::Good {
                    device.destroy_buffer(buffer, None);
                }
                device.free_memory(memory, None);
            }
        }
        let read = |index| unsafe { words.add(index).read_volatile() };
        let mut left: Vec<u32> = (0..WORDS).map(read).collect();
        if case.is_physical {
            // Addresses are others in each process.
            left[..if case.has_second { 4 } else { 2 }].fill(0);
        }
        left
    }
}

/// A tensor of words.
unsafe fn make_tensor(gpu: &Gpu) -> (vk::TensorARM, vk::TensorViewARM, vk::DeviceMemory) {
    let (device, format) = (&gpu.device, vk::Format::R32_UINT);
    let description = vk::TensorDescriptionARM {
        tiling: vk::TensorTilingARM::LINEAR,
        format,
        dimension_count: TENSOR_SIZE.len() as u32,
        dimensions: TENSOR_SIZE.as_ptr(),
        usage: vk::TensorUsageFlagsARM::SHADER,
        ..Default::default()
    };
    let info = vk::TensorCreateInfoARM { description: &raw const description, ..Default::default() };
    unsafe {
        let tensor = device.create_tensor_arm(&info, None).expect("a tensor");
        let mut needs = vk::MemoryRequirements2::default();
        let of = vk::TensorMemoryRequirementsInfoARM { tensor, ..Default::default() };
        device.get_tensor_memory_requirements_arm(&of, &mut needs);
        let (memory, _) = gpu.mapped_memory(needs.memory_requirements);
        let bind = vk::BindTensorMemoryInfoARM { tensor, memory, memory_offset: 0, ..Default::default() };
        device.bind_tensor_memory_arm(&[bind]).expect("bound");
        let info = vk::TensorViewCreateInfoARM { tensor, format, ..Default::default() };
        let view = device.create_tensor_view_arm(&info, None).expect("a view");
        (tensor, view, memory)
    }
}

/// An image in the layout that shaders want, of zeros.
unsafe fn make_image(gpu: &Gpu, shape: &ImageShape) -> (vk::Image, vk::ImageView, vk::DeviceMemory) {
    let device = &gpu.device;
    let info = vk::ImageCreateInfo::builder()
        .image_type(vk::ImageType::_2D)
        .format(shape.format)
        .extent(vk::Extent3D { width: SIDE, height: SIDE, depth: 1 })
        .mip_levels(shape.levels)
        .array_layers(shape.layers)
        .samples(shape.samples)
        .tiling(vk::ImageTiling::OPTIMAL)
        .usage(shape.usage | vk::ImageUsageFlags::TRANSFER_DST);
    unsafe {
        let image = device.create_image(&info, None).expect("an image");
        let needs = device.get_image_memory_requirements(image);
        let info = vk::MemoryAllocateInfo::builder().allocation_size(needs.size);
        let memory = device.allocate_memory(&info, None).expect("memory");
        device.bind_image_memory(image, memory, 0).expect("bound");
        let range = vk::ImageSubresourceRange {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            base_mip_level: 0,
            level_count: shape.levels,
            base_array_layer: 0,
            layer_count: shape.layers,
        };
        let info = vk::ImageViewCreateInfo::builder()
            .image(image)
            .view_type(match shape.layers {
                1 => vk::ImageViewType::_2D,
                _ => vk::ImageViewType::_2D_ARRAY,
            })
            .format(shape.format)
            .subresource_range(range);
        let view = device.create_image_view(&info, None).expect("a view");
        gpu.run(|commands| {
            let barrier = vk::ImageMemoryBarrier::builder()
                .old_layout(vk::ImageLayout::UNDEFINED)
                .new_layout(vk::ImageLayout::GENERAL)
                .dst_access_mask(vk::AccessFlags::TRANSFER_WRITE)
                .image(image)
                .subresource_range(range);
            device.cmd_pipeline_barrier(
                commands,
                vk::PipelineStageFlags::TOP_OF_PIPE,
                vk::PipelineStageFlags::TRANSFER,
                vk::DependencyFlags::empty(),
                &[] as &[vk::MemoryBarrier],
                &[] as &[vk::BufferMemoryBarrier],
                &[barrier],
            );
            let color = vk::ClearColorValue::default();
            device.cmd_clear_color_image(commands, image, vk::ImageLayout::GENERAL, &color, &[range]);
        });
        (image, view, memory)
    }
}

impl Drop for ComputeDevice {
    fn drop(&mut self) {
        let device = &self.gpu.device;
        unsafe {
            // A lost device says so; its objects are destroyed all the same.
            let _ = device.device_wait_idle();
            device.destroy_descriptor_pool(self.pool, None);
            device.destroy_pipeline_layout(self.layout, None);
            device.destroy_descriptor_set_layout(self.set_layout, None);
            device.destroy_buffer_view(self.texels, None);
            device.destroy_sampler(self.sampler, None);
            if let Some((tensor, view, memory)) = self.tensor {
                device.destroy_tensor_view_arm(view, None);
                device.destroy_tensor_arm(tensor, None);
                device.free_memory(memory, None);
            }
            for (image, view, memory) in self.images {
                device.destroy_image_view(view, None);
                device.destroy_image(image, None);
                device.free_memory(memory, None);
            }
            device.destroy_buffer(self.buffer.0, None);
            device.free_memory(self.buffer.1, None);
        }
    }
}
