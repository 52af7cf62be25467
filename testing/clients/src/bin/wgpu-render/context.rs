//! A device, and short ways to the objects that the scenes are made of.

use wgpu::util::{BufferInitDescriptor, DeviceExt};
use wgpu::{
    BindGroup, Buffer, BufferUsages, RenderPipeline, Texture, TextureFormat, TextureUsages, TextureView,
};

/// Pixels of a side of every picture; its rows are whole in the alignment that copies need.
pub(crate) const SIZE: u32 = 256;
pub(crate) const COLOR: TextureFormat = TextureFormat::Rgba8Unorm;
pub(crate) const DEPTH: TextureFormat = TextureFormat::Depth32Float;

pub(crate) struct Context {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pub(crate) name: String,
}

/// A pipeline's state where it differs from: one colour attachment, triangles, no blending, no depth.
pub(crate) struct Shape<'a> {
    pub(crate) vertex: &'a str,
    pub(crate) fragment: Option<&'a str>,
    pub(crate) buffers: &'a [wgpu::VertexBufferLayout<'a>],
    pub(crate) topology: wgpu::PrimitiveTopology,
    pub(crate) color: TextureFormat,
    pub(crate) depth: bool,
    pub(crate) additive: bool,
    pub(crate) samples: u32,
}

impl Default for Shape<'_> {
    fn default() -> Self {
        Self {
            vertex: "vertex",
            fragment: Some("fragment"),
            buffers: &[],
            topology: wgpu::PrimitiveTopology::TriangleList,
            color: COLOR,
            depth: false,
            additive: false,
            samples: 1,
        }
    }
}

impl Context {
    pub(crate) fn open() -> Self {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = wgpu::Backends::VULKAN;
        // Drivers that report no conformance version are offered only on request.
        descriptor.flags |= wgpu::InstanceFlags::ALLOW_UNDERLYING_NONCOMPLIANT_ADAPTER;
        let instance = wgpu::Instance::new(descriptor);
        let adapter = pollster::block_on(instance.request_adapter(&Default::default())).expect("an adapter");
        let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
            required_limits: wgpu::Limits::downlevel_defaults(),
            ..Default::default()
        }))
        .expect("a device");
        Self { device, queue, name: adapter.get_info().name }
    }

    pub(crate) fn module(&self, source: &str) -> wgpu::ShaderModule {
        self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(source.into()),
        })
    }

    pub(crate) fn pipeline(&self, module: &wgpu::ShaderModule, shape: &Shape<'_>) -> RenderPipeline {
        let one = wgpu::BlendComponent {
            src_factor: wgpu::BlendFactor::One,
            dst_factor: wgpu::BlendFactor::One,
            operation: wgpu::BlendOperation::Add,
        };
        let targets = [Some(wgpu::ColorTargetState {
            format: shape.color,
            blend: shape.additive.then_some(wgpu::BlendState { color: one, alpha: one }),
            write_mask: wgpu::ColorWrites::ALL,
        })];
        self.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: None,
            layout: None,
            vertex: wgpu::VertexState {
                module,
                entry_point: Some(shape.vertex),
                compilation_options: Default::default(),
                buffers: shape.buffers,
            },
            primitive: wgpu::PrimitiveState { topology: shape.topology, ..Default::default() },
            depth_stencil: shape.depth.then(|| wgpu::DepthStencilState {
                format: DEPTH,
                depth_write_enabled: Some(true),
                depth_compare: Some(wgpu::CompareFunction::Less),
                stencil: Default::default(),
                bias: Default::default(),
            }),
            multisample: wgpu::MultisampleState { count: shape.samples, ..Default::default() },
            fragment: shape.fragment.map(|name| wgpu::FragmentState {
                module,
                entry_point: Some(name),
                compilation_options: Default::default(),
                targets: &targets,
            }),
            multiview_mask: None,
            cache: None,
        })
    }

    pub(crate) fn kernel(&self, module: &wgpu::ShaderModule, name: &str) -> wgpu::ComputePipeline {
        self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module,
            entry_point: Some(name),
            compilation_options: Default::default(),
            cache: None,
        })
    }

    pub(crate) fn floats(&self, values: &[f32], usage: BufferUsages) -> Buffer {
        let contents: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.device.create_buffer_init(&BufferInitDescriptor { label: None, contents: &contents, usage })
    }

    pub(crate) fn indices(&self, values: &[u16]) -> Buffer {
        let contents: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let usage = BufferUsages::INDEX;
        self.device.create_buffer_init(&BufferInitDescriptor { label: None, contents: &contents, usage })
    }

    pub(crate) fn texture(
        &self,
        format: TextureFormat,
        size: u32,
        levels: u32,
        samples: u32,
        usage: TextureUsages,
    ) -> Texture {
        self.device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d { width: size, height: size, depth_or_array_layers: 1 },
            mip_level_count: levels,
            sample_count: samples,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage,
            view_formats: &[],
        })
    }

    /// A picture's target.
    pub(crate) fn target(&self) -> Texture {
        self.texture(COLOR, SIZE, 1, 1, TextureUsages::RENDER_ATTACHMENT | TextureUsages::COPY_SRC)
    }

    pub(crate) fn depth(&self, size: u32) -> TextureView {
        let usage = TextureUsages::RENDER_ATTACHMENT | TextureUsages::TEXTURE_BINDING;
        self.texture(DEPTH, size, 1, 1, usage).create_view(&Default::default())
    }

    pub(crate) fn linear(&self) -> wgpu::Sampler {
        self.device.create_sampler(&wgpu::SamplerDescriptor {
            address_mode_u: wgpu::AddressMode::Repeat,
            address_mode_v: wgpu::AddressMode::Repeat,
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            mipmap_filter: wgpu::MipmapFilterMode::Linear,
            ..Default::default()
        })
    }

    pub(crate) fn bind(
        &self,
        layout: &wgpu::BindGroupLayout,
        resources: &[wgpu::BindingResource<'_>],
    ) -> BindGroup {
        let entries: Vec<_> = (0..)
            .zip(resources)
            .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource: resource.clone() })
            .collect();
        self.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
    }

    /// One render pass that clears its attachments, submitted.
    pub(crate) fn render(
        &self,
        color: Option<(&TextureView, Option<&TextureView>)>,
        depth: Option<&TextureView>,
        draw: impl FnOnce(&mut wgpu::RenderPass<'_>),
    ) {
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let attachment = color.map(|(view, resolve_target)| wgpu::RenderPassColorAttachment {
            view,
            depth_slice: None,
            resolve_target,
            ops: wgpu::Operations {
                load: wgpu::LoadOp::Clear(wgpu::Color { r: 0.1, g: 0.1, b: 0.2, a: 1.0 }),
                store: wgpu::StoreOp::Store,
            },
        });
        let attachments = [attachment];
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: None,
            color_attachments: if color.is_some() { &attachments } else { &[] },
            depth_stencil_attachment: depth.map(|view| wgpu::RenderPassDepthStencilAttachment {
                view,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(1.0),
                    store: wgpu::StoreOp::Store,
                }),
                stencil_ops: None,
            }),
            timestamp_writes: None,
            occlusion_query_set: None,
            multiview_mask: None,
        });
        draw(&mut pass);
        drop(pass);
        self.queue.submit([encoder.finish()]);
    }

    /// The bytes of a target.
    pub(crate) fn read(&self, texture: &Texture) -> Vec<u8> {
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: u64::from(SIZE * SIZE * 4),
            usage: BufferUsages::COPY_DST | BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_texture_to_buffer(
            texture.as_image_copy(),
            wgpu::TexelCopyBufferInfo {
                buffer: &buffer,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(SIZE * 4),
                    rows_per_image: None,
                },
            },
            wgpu::Extent3d { width: SIZE, height: SIZE, depth_or_array_layers: 1 },
        );
        self.queue.submit([encoder.finish()]);
        buffer.slice(..).map_async(wgpu::MapMode::Read, |mapped| mapped.expect("the buffer maps"));
        self.device.poll(wgpu::PollType::wait_indefinitely()).expect("the device answers");
        buffer.slice(..).get_mapped_range().to_vec()
    }
}

/// Columns of a matrix; products and projections for right-handed views with depth from 0 to 1.
pub(crate) type Matrix = [[f32; 4]; 4];

pub(crate) fn product(a: Matrix, b: Matrix) -> Matrix {
    std::array::from_fn(|c| std::array::from_fn(|r| (0..4).map(|k| a[k][r] * b[c][k]).sum()))
}

pub(crate) fn look(eye: [f32; 3], target: [f32; 3]) -> Matrix {
    let dot = |a: [f32; 3], b: [f32; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let cross = |a: [f32; 3], b: [f32; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let unit = |a: [f32; 3]| a.map(|value| value / dot(a, a).sqrt());
    let z = unit(std::array::from_fn(|i| eye[i] - target[i]));
    let x = unit(cross([0.0, 1.0, 0.0], z));
    let y = cross(z, x);
    let row = |i: usize| [x[i], y[i], z[i], 0.0];
    [row(0), row(1), row(2), [-dot(x, eye), -dot(y, eye), -dot(z, eye), 1.0]]
}

pub(crate) fn perspective(near: f32, far: f32) -> Matrix {
    let range = near - far;
    [
        [1.8, 0.0, 0.0, 0.0],
        [0.0, 1.8, 0.0, 0.0],
        [0.0, 0.0, far / range, -1.0],
        [0.0, 0.0, near * far / range, 0.0],
    ]
}

pub(crate) fn orthographic(half: f32, far: f32) -> Matrix {
    [
        [1.0 / half, 0.0, 0.0, 0.0],
        [0.0, 1.0 / half, 0.0, 0.0],
        [0.0, 0.0, -1.0 / far, 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ]
}
