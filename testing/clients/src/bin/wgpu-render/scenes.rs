//! The pictures.

use std::f32::consts::TAU;

use wgpu::{
    BindingResource, BufferUsages, TextureUsages, VertexBufferLayout, VertexStepMode, vertex_attr_array,
};

use crate::context::{COLOR, Context, Shape, look, orthographic, perspective, product};

type Draw = fn(&Context) -> Vec<u8>;

/// Every picture.
pub(crate) const ALL: &[(&str, Draw)] = &[
    ("triangle", triangle),
    ("cube", cube),
    ("shadow", shadow),
    ("lines", lines),
    ("mipmaps", mipmaps),
    ("particles", particles),
];

fn triangle(context: &Context) -> Vec<u8> {
    let module = context.module(
        "struct Out { @builtin(position) at: vec4<f32>, @location(0) color: vec3<f32> }
        @vertex fn vertex(@builtin(vertex_index) i: u32) -> Out {
            let corners = array<vec2<f32>, 3>(vec2(-0.9, -0.8), vec2(0.8, -0.6), vec2(0.1, 0.9));
            let colors = array<vec3<f32>, 3>(vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0));
            return Out(vec4(corners[i], 0.0, 1.0), colors[i]);
        }
        @fragment fn fragment(in: Out) -> @location(0) vec4<f32> { return vec4(in.color, 1.0); }",
    );
    let pipeline = context.pipeline(&module, &Shape::default());
    let target = context.target();
    context.render(Some((&target.create_view(&Default::default()), None)), None, |pass| {
        pass.set_pipeline(&pipeline);
        pass.draw(0..3, 0..1);
    });
    let pixels = context.read(&target);
    assert_eq!(pixels[..4], [26, 26, 51, 255], "a corner keeps the clear's colour");
    pixels
}

/// Position, normal and texture coordinates of the corners of a cube's sides, and the indices of its
/// triangles.
fn cube_mesh() -> (Vec<f32>, Vec<u16>) {
    let (mut vertices, mut indices) = (Vec::new(), Vec::new());
    for side in 0..6u16 {
        let (axis, sign) = (usize::from(side / 2), f32::from(side % 2) * 2.0 - 1.0);
        let first = side * 4;
        for corner in 0..4u8 {
            let (u, v) = (f32::from(corner & 1), f32::from(corner >> 1));
            let mut position = [0.0; 3];
            position[axis] = sign;
            position[(axis + 1) % 3] = u * 2.0 - 1.0;
            position[(axis + 2) % 3] = v * 2.0 - 1.0;
            let mut normal = [0.0; 3];
            normal[axis] = sign;
            vertices.extend(position);
            vertices.extend(normal);
            vertices.extend([u, v]);
        }
        indices.extend([0, 1, 2, 1, 3, 2].map(|i| first + i));
    }
    (vertices, indices)
}

const CUBE_VERTEX: VertexBufferLayout<'static> = VertexBufferLayout {
    array_stride: 32,
    step_mode: VertexStepMode::Vertex,
    attributes: &vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Float32x2],
};

/// A texture of `size` texels a side by `texel`, level 0 only.
fn filled(context: &Context, size: u32, levels: u32, texel: impl Fn(u32, u32) -> [u8; 4]) -> wgpu::Texture {
    let usage = TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST | TextureUsages::RENDER_ATTACHMENT;
    let texture = context.texture(COLOR, size, levels, 1, usage);
    let bytes: Vec<u8> = (0..size * size).flat_map(|i| texel(i % size, i / size)).collect();
    context.queue.write_texture(
        texture.as_image_copy(),
        &bytes,
        wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(size * 4), rows_per_image: None },
        wgpu::Extent3d { width: size, height: size, depth_or_array_layers: 1 },
    );
    texture
}

fn cube(context: &Context) -> Vec<u8> {
    let module = context.module(
        "@group(0) @binding(0) var<uniform> matrix: mat4x4<f32>;
        @group(0) @binding(1) var source: texture_2d<f32>;
        @group(0) @binding(2) var filtered: sampler;
        struct Out { @builtin(position) at: vec4<f32>, @location(0) normal: vec3<f32>, @location(1) uv: vec2<f32> }
        @vertex fn vertex(
            @location(0) position: vec3<f32>, @location(1) normal: vec3<f32>, @location(2) uv: vec2<f32>
        ) -> Out {
            return Out(matrix * vec4(position, 1.0), normal, uv);
        }
        @fragment fn fragment(in: Out) -> @location(0) vec4<f32> {
            let light = 0.4 + 0.6 * abs(dot(normalize(in.normal), normalize(vec3(1.0, 2.0, 3.0))));
            return vec4(textureSample(source, filtered, in.uv).rgb * light, 1.0);
        }",
    );
    let shape = Shape { buffers: &[CUBE_VERTEX], depth: true, ..Shape::default() };
    let pipeline = context.pipeline(&module, &shape);
    let (vertices, indices) = cube_mesh();
    let vertex_buffer = context.floats(&vertices, BufferUsages::VERTEX);
    let index_buffer = context.indices(&indices);
    let matrix = product(perspective(0.5, 20.0), look([2.5, 2.0, 3.5], [0.0; 3]));
    let uniform = context.floats(matrix.as_flattened(), BufferUsages::UNIFORM);
    let texture = filled(context, 16, 1, |x, y| {
        if (x / 4 + y / 4) % 2 == 0 { [230, 120, 40, 255] } else { [40, 90, 200, 255] }
    });
    let group = context.bind(
        &pipeline.get_bind_group_layout(0),
        &[
            uniform.as_entire_binding(),
            BindingResource::TextureView(&texture.create_view(&Default::default())),
            BindingResource::Sampler(&context.linear()),
        ],
    );
    let target = context.target();
    let view = target.create_view(&Default::default());
    context.render(Some((&view, None)), Some(&context.depth(crate::SIZE)), |pass| {
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.set_vertex_buffer(0, vertex_buffer.slice(..));
        pass.set_index_buffer(index_buffer.slice(..), wgpu::IndexFormat::Uint16);
        pass.draw_indexed(0..indices.len() as u32, 0, 0..1);
    });
    context.read(&target)
}

fn shadow(context: &Context) -> Vec<u8> {
    let module = context.module(
        "struct Scene { view: mat4x4<f32>, light: mat4x4<f32> }
        @group(0) @binding(0) var<uniform> scene: Scene;
        @group(0) @binding(1) var map: texture_depth_2d;
        @group(0) @binding(2) var compared: sampler_comparison;
        struct Out { @builtin(position) at: vec4<f32>, @location(0) world: vec3<f32>, @location(1) normal: vec3<f32> }
        // Instance 0 is the floor, the others are boxes.
        fn placed(position: vec3<f32>, instance: u32) -> vec3<f32> {
            if instance == 0u { return position * vec3(4.0, 0.1, 4.0) - vec3(0.0, 1.1, 0.0); }
            let i = f32(instance) - 2.0;
            return position * 0.5 + vec3(i * 1.6, 0.3 * i, 0.4 * i);
        }
        @vertex fn light_vertex(
            @location(0) position: vec3<f32>, @builtin(instance_index) instance: u32
        ) -> @builtin(position) vec4<f32> {
            return scene.light * vec4(placed(position, instance), 1.0);
        }
        @vertex fn vertex(
            @location(0) position: vec3<f32>, @location(1) normal: vec3<f32>, @builtin(instance_index) instance: u32
        ) -> Out {
            let world = placed(position, instance);
            return Out(scene.view * vec4(world, 1.0), world, normal);
        }
        @fragment fn fragment(in: Out) -> @location(0) vec4<f32> {
            let clip = scene.light * vec4(in.world, 1.0);
            let lit = textureSampleCompareLevel(
                map, compared, clip.xy * vec2(0.5, -0.5) + 0.5, clip.z - 0.01);
            let facing = max(dot(in.normal, normalize(vec3(2.0, 4.0, 1.0))), 0.0);
            return vec4(vec3(0.9, 0.8, 0.7) * (0.2 + 0.8 * facing * lit), 1.0);
        }",
    );
    let buffers = [CUBE_VERTEX];
    let cast =
        Shape { vertex: "light_vertex", fragment: None, buffers: &buffers, depth: true, ..Shape::default() };
    let cast = context.pipeline(&module, &cast);
    let drawn = context.pipeline(&module, &Shape { buffers: &buffers, depth: true, ..Shape::default() });
    let (vertices, indices) = cube_mesh();
    let vertex_buffer = context.floats(&vertices, BufferUsages::VERTEX);
    let index_buffer = context.indices(&indices);
    let eye = product(perspective(0.5, 30.0), look([3.0, 3.5, 6.0], [0.0, -0.3, 0.0]));
    let light = product(orthographic(5.0, 20.0), look([4.0, 8.0, 2.0], [0.0; 3]));
    let uniform = context.floats(&[eye.as_flattened(), light.as_flattened()].concat(), BufferUsages::UNIFORM);
    let map = context.depth(512);
    let compared = context.device.create_sampler(&wgpu::SamplerDescriptor {
        compare: Some(wgpu::CompareFunction::LessEqual),
        mag_filter: wgpu::FilterMode::Linear,
        min_filter: wgpu::FilterMode::Linear,
        ..Default::default()
    });
    let cast_group = context.bind(&cast.get_bind_group_layout(0), &[uniform.as_entire_binding()]);
    let draw_group = context.bind(
        &drawn.get_bind_group_layout(0),
        &[
            uniform.as_entire_binding(),
            BindingResource::TextureView(&map),
            BindingResource::Sampler(&compared),
        ],
    );
    let boxes = |pass: &mut wgpu::RenderPass<'_>, pipeline, group: &wgpu::BindGroup| {
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, group, &[]);
        pass.set_vertex_buffer(0, vertex_buffer.slice(..));
        pass.set_index_buffer(index_buffer.slice(..), wgpu::IndexFormat::Uint16);
        pass.draw_indexed(0..indices.len() as u32, 0, 0..4);
    };
    context.render(None, Some(&map), |pass| boxes(pass, &cast, &cast_group));
    let target = context.target();
    let view = target.create_view(&Default::default());
    context.render(Some((&view, None)), Some(&context.depth(crate::SIZE)), |pass| {
        boxes(pass, &drawn, &draw_group);
    });
    context.read(&target)
}

fn lines(context: &Context) -> Vec<u8> {
    let module = context.module(
        "@vertex fn vertex(@location(0) at: vec2<f32>) -> @builtin(position) vec4<f32> { return vec4(at, 0.0, 1.0); }
        @fragment fn fragment() -> @location(0) vec4<f32> { return vec4(1.0, 0.9, 0.3, 1.0); }
        @fragment fn filled() -> @location(0) vec4<f32> { return vec4(0.2, 0.6, 0.9, 1.0); }",
    );
    let buffers = [VertexBufferLayout {
        array_stride: 8,
        step_mode: VertexStepMode::Vertex,
        attributes: &vertex_attr_array![0 => Float32x2],
    }];
    let shape = Shape { buffers: &buffers, samples: 4, ..Shape::default() };
    let fan = context.pipeline(&module, &Shape { fragment: Some("filled"), ..shape });
    let shape = Shape { buffers: &buffers, samples: 4, ..Shape::default() };
    let rays = Shape { topology: wgpu::PrimitiveTopology::LineList, ..shape };
    let rays = context.pipeline(&module, &rays);
    let point = |turn: f32, radius: f32| [(turn * TAU).cos() * radius, (turn * TAU).sin() * radius];
    let mut blades = Vec::new();
    let mut spokes = Vec::new();
    for i in 0..24u8 {
        let turn = (f32::from(i) + 0.3) / 24.0;
        blades.extend([[0.0; 2], point(turn, 0.55), point(turn + 0.012, 0.55)].concat());
        spokes.extend([point(turn + 0.02, 0.6), point(turn + 0.02, 0.95)].concat());
    }
    let blade_buffer = context.floats(&blades, BufferUsages::VERTEX);
    let spoke_buffer = context.floats(&spokes, BufferUsages::VERTEX);
    let samples = context.texture(COLOR, crate::SIZE, 1, 4, TextureUsages::RENDER_ATTACHMENT);
    let samples = samples.create_view(&Default::default());
    let target = context.target();
    let view = target.create_view(&Default::default());
    context.render(Some((&samples, Some(&view))), None, |pass| {
        pass.set_pipeline(&fan);
        pass.set_vertex_buffer(0, blade_buffer.slice(..));
        pass.draw(0..blades.len() as u32 / 2, 0..1);
        pass.set_pipeline(&rays);
        pass.set_vertex_buffer(0, spoke_buffer.slice(..));
        pass.draw(0..spokes.len() as u32 / 2, 0..1);
    });
    context.read(&target)
}

fn mipmaps(context: &Context) -> Vec<u8> {
    let module = context.module(
        "@group(0) @binding(0) var source: texture_2d<f32>;
        @group(0) @binding(1) var filtered: sampler;
        struct Out { @builtin(position) at: vec4<f32>, @location(0) uv: vec2<f32> }
        @vertex fn vertex(@builtin(vertex_index) i: u32) -> Out {
            let uv = vec2(f32((i << 1u) & 2u), f32(i & 2u));
            return Out(vec4(uv.x * 2.0 - 1.0, 1.0 - uv.y * 2.0, 0.0, 1.0), uv);
        }
        @fragment fn fragment(in: Out) -> @location(0) vec4<f32> {
            return textureSample(source, filtered, in.uv);
        }
        @vertex fn floor_vertex(@builtin(vertex_index) i: u32) -> Out {
            let corner = vec2(f32(i & 1u), f32(i >> 1u));
            let w = mix(1.0, 9.0, corner.y);
            let at = vec2(corner.x * 2.0 - 1.0, -0.9 + 1.6 * corner.y);
            return Out(vec4(at * w, 0.5 * w, w), corner * vec2(3.0, 14.0));
        }",
    );
    let shrink = context.pipeline(&module, &Shape::default());
    let floor = context.pipeline(
        &module,
        &Shape {
            vertex: "floor_vertex",
            topology: wgpu::PrimitiveTopology::TriangleStrip,
            ..Shape::default()
        },
    );
    let levels = 7;
    let texture = filled(context, 64, levels, |x, y| {
        let ring = (((x as f32 - 31.5).hypot(y as f32 - 31.5) / 6.0).sin() * 100.0 + 128.0) as u8;
        [ring, (x * 4) as u8, (y * 4) as u8, 255]
    });
    let level = |first| {
        texture.create_view(&wgpu::TextureViewDescriptor {
            base_mip_level: first,
            mip_level_count: Some(1),
            ..Default::default()
        })
    };
    let bound = |pipeline: &wgpu::RenderPipeline, view: &wgpu::TextureView| {
        let resources = [BindingResource::TextureView(view), BindingResource::Sampler(&context.linear())];
        context.bind(&pipeline.get_bind_group_layout(0), &resources)
    };
    for to in 1..levels {
        let group = bound(&shrink, &level(to - 1));
        context.render(Some((&level(to), None)), None, |pass| {
            pass.set_pipeline(&shrink);
            pass.set_bind_group(0, &group, &[]);
            pass.draw(0..3, 0..1);
        });
    }
    let group = bound(&floor, &texture.create_view(&Default::default()));
    let target = context.target();
    context.render(Some((&target.create_view(&Default::default()), None)), None, |pass| {
        pass.set_pipeline(&floor);
        pass.set_bind_group(0, &group, &[]);
        pass.draw(0..4, 0..1);
    });
    context.read(&target)
}

fn particles(context: &Context) -> Vec<u8> {
    let module = context.module(
        "struct Particle { at: vec2<f32>, speed: vec2<f32> }
        @group(0) @binding(0) var<storage, read_write> particles: array<Particle>;
        @compute @workgroup_size(64) fn move_all(@builtin(global_invocation_id) id: vec3<u32>) {
            var p = particles[id.x];
            p.speed += vec2(0.0, -0.02);
            p.at += p.speed * 0.05;
            if p.at.y < -0.8 { p.at.y = -1.6 - p.at.y; p.speed.y *= -0.7; }
            particles[id.x] = p;
        }",
    );
    let move_all = context.kernel(&module, "move_all");
    let module = context.module(
        "struct Out { @builtin(position) at: vec4<f32>, @location(0) corner: vec2<f32>, @location(1) hot: f32 }
        @vertex fn vertex(
            @builtin(vertex_index) i: u32, @location(0) at: vec2<f32>, @location(1) speed: vec2<f32>
        ) -> Out {
            let corner = vec2(f32(i & 1u), f32(i >> 1u)) * 2.0 - 1.0;
            return Out(vec4(at + corner * 0.05, 0.0, 1.0), corner, length(speed));
        }
        @fragment fn fragment(in: Out) -> @location(0) vec4<f32> {
            let bright = max(1.0 - dot(in.corner, in.corner), 0.0) * 0.35;
            return vec4(bright, bright * in.hot * 0.6, bright * 0.2, 0.0);
        }",
    );
    let buffers = [VertexBufferLayout {
        array_stride: 16,
        step_mode: VertexStepMode::Instance,
        attributes: &vertex_attr_array![0 => Float32x2, 1 => Float32x2],
    }];
    let shape = Shape {
        buffers: &buffers,
        topology: wgpu::PrimitiveTopology::TriangleStrip,
        additive: true,
        ..Shape::default()
    };
    let pipeline = context.pipeline(&module, &shape);
    let count = 512u16;
    let start: Vec<f32> = (0..count)
        .flat_map(|i| {
            let turn = f32::from(i) * 0.618_034 * TAU;
            let fast = 0.4 + 0.9 * f32::from(i) / f32::from(count);
            [0.0, 0.0, turn.cos() * fast, turn.sin() * fast]
        })
        .collect();
    let buffer = context.floats(&start, BufferUsages::STORAGE | BufferUsages::VERTEX);
    let group = context.bind(&move_all.get_bind_group_layout(0), &[buffer.as_entire_binding()]);
    let mut encoder = context.device.create_command_encoder(&Default::default());
    for _ in 0..20 {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&move_all);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(u32::from(count) / 64, 1, 1);
    }
    context.queue.submit([encoder.finish()]);
    let target = context.target();
    context.render(Some((&target.create_view(&Default::default()), None)), None, |pass| {
        pass.set_pipeline(&pipeline);
        pass.set_vertex_buffer(0, buffer.slice(..));
        pass.draw(0..4, 0..u32::from(count));
    });
    context.read(&target)
}
