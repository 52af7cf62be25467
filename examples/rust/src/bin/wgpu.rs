//! `wgpu` on the driver in this process: a compute shader in WGSL doubles numbers.
//!
//! `wgpu` loads Vulkan by itself; so its Vulkan backend is opened here with the driver's entry, and handed to it.

use wgpu::hal::vulkan;
use wgpu::util::DeviceExt as _;

const SHADER: &str = "
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] *= 2u; }
";

/// An instance of `wgpu` whose only driver is the one that is linked into this program.
fn instance() -> Result<wgpu::Instance, Box<dyn std::error::Error>> {
    // The device is not certified, and `wgpu` shows such devices only on request.
    let flags = wgpu::InstanceFlags::ALLOW_UNDERLYING_NONCOMPLIANT_ADAPTER;
    // SAFETY: the entry is the driver's; the raw instance is handed over with the extensions it was made with.
    unsafe {
        let entry = ash::Entry::from_static_fn(ash::StaticFn {
            get_instance_proc_addr: std::mem::transmute::<
                pyroclast::GetInstanceProcAddr,
                ash::vk::PFN_vkGetInstanceProcAddr,
            >(pyroclast::get_instance_proc_addr),
        });
        let version = ash::vk::API_VERSION_1_3;
        let extensions = vulkan::Instance::desired_extensions(&entry, version, flags)?;
        let names: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
        let application = ash::vk::ApplicationInfo::default().api_version(version);
        let info = ash::vk::InstanceCreateInfo::default()
            .application_info(&application)
            .enabled_extension_names(&names);
        let raw = entry.create_instance(&info, None)?;
        let budget = wgpu::MemoryBudgetThresholds::default();
        let instance =
            vulkan::Instance::from_raw(entry, raw, version, 0, None, extensions, flags, budget, false, None)?;
        Ok(wgpu::Instance::from_hal::<vulkan::Api>(instance))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let instance = instance()?;
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
    let adapter = adapters.into_iter().next().ok_or("no adapter")?;
    let (device, queue) = pollster::block_on(adapter.request_device(&Default::default()))?;
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(SHADER.into()),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: Default::default(),
        cache: None,
    });
    let bytes: Vec<u8> = (0..64_u32).flat_map(u32::to_le_bytes).collect();
    let data = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: None,
        contents: &bytes,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
    });
    let result = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: data.size(),
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[wgpu::BindGroupEntry { binding: 0, resource: data.as_entire_binding() }],
    });
    let mut commands = device.create_command_encoder(&Default::default());
    {
        let mut pass = commands.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(1, 1, 1);
    }
    commands.copy_buffer_to_buffer(&data, 0, &result, 0, data.size());
    queue.submit([commands.finish()]);
    result.slice(..).map_async(wgpu::MapMode::Read, |mapped| mapped.expect("a mapping"));
    device.poll(wgpu::PollType::wait_indefinitely())?;
    let doubled = result.slice(..).get_mapped_range();
    let expected: Vec<u8> = (0..64_u32).flat_map(|number| (number * 2).to_le_bytes()).collect();
    assert_eq!(&doubled[..], &expected[..]);
    println!("wgpu: {}", adapter.get_info().name);
    Ok(())
}
