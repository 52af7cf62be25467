//! The `wgpu` crate through WGSL: Collatz step counts, a tiled matrix product, prefix sums over several
//! passes, structures and dynamic offsets; every result checked against plain Rust.

use wgpu::util::{BufferInitDescriptor, DeviceExt};
use wgpu::{BufferUsages, ComputePipeline, Device, Queue};

const COLLATZ: &str = "
@group(0) @binding(0) var<storage, read_write> values: array<u32>;
fn steps(start: u32) -> u32 {
    var n = start;
    var i = 0u;
    loop {
        if n <= 1u { break; }
        if n % 2u == 0u { n = n / 2u; } else { n = 3u * n + 1u; }
        i = i + 1u;
    }
    return i;
}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) { values[id.x] = steps(values[id.x]); }";

const PRODUCT: &str = "
const TILE = 8u;
struct Matrix { size: vec2<u32>, numbers: array<f32> }
@group(0) @binding(0) var<storage, read> left: Matrix;
@group(0) @binding(1) var<storage, read> right: Matrix;
@group(0) @binding(2) var<storage, read_write> product: Matrix;
var<workgroup> leftTile: array<array<f32, TILE>, TILE>;
var<workgroup> rightTile: array<array<f32, TILE>, TILE>;
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_id) at: vec3<u32>) {
    let depth = left.size.y;
    var sum = 0.0;
    for (var first = 0u; first < depth; first += TILE) {
        leftTile[at.y][at.x] = left.numbers[id.y * depth + first + at.x];
        rightTile[at.y][at.x] = right.numbers[(first + at.y) * right.size.y + id.x];
        workgroupBarrier();
        for (var k = 0u; k < TILE; k++) { sum = fma(leftTile[at.y][k], rightTile[k][at.x], sum); }
        workgroupBarrier();
    }
    product.numbers[id.y * right.size.y + id.x] = sum;
}";

const DOUBLING: &str = "
struct Pass { reach: u32, count: u32 }
@group(0) @binding(0) var<uniform> step: Pass;
@group(0) @binding(1) var<storage, read> before: array<u32>;
@group(0) @binding(2) var<storage, read_write> after: array<u32>;
@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= step.count { return; }
    var sum = before[id.x];
    if id.x >= step.reach { sum += before[id.x - step.reach]; }
    after[id.x] = sum;
}";

struct Context {
    device: Device,
    queue: Queue,
}

impl Context {
    fn pipeline(&self, source: &str) -> ComputePipeline {
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(source.into()),
        });
        self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: Default::default(),
            cache: None,
        })
    }

    fn buffer(&self, words: &[u32], usage: BufferUsages) -> wgpu::Buffer {
        let contents: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.device.create_buffer_init(&BufferInitDescriptor { label: None, contents: &contents, usage })
    }

    fn bind(&self, pipeline: &ComputePipeline, buffers: &[&wgpu::Buffer]) -> wgpu::BindGroup {
        let entries: Vec<_> = buffers
            .iter()
            .enumerate()
            .map(|(i, buffer)| wgpu::BindGroupEntry {
                binding: i as u32,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        let layout = pipeline.get_bind_group_layout(0);
        self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &layout,
            entries: &entries,
        })
    }

    fn run(&self, passes: &[(&ComputePipeline, &wgpu::BindGroup, [u32; 2])]) {
        let mut encoder = self.device.create_command_encoder(&Default::default());
        for (pipeline, group, size) in passes {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, *group, &[]);
            pass.dispatch_workgroups(size[0], size[1], 1);
        }
        self.queue.submit([encoder.finish()]);
    }

    fn read(&self, buffer: &wgpu::Buffer) -> Vec<u32> {
        let back = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: buffer.size(),
            usage: BufferUsages::MAP_READ | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(buffer, 0, &back, 0, buffer.size());
        self.queue.submit([encoder.finish()]);
        back.slice(..).map_async(wgpu::MapMode::Read, |mapped| mapped.expect("the buffer maps"));
        self.device.poll(wgpu::PollType::wait_indefinitely()).expect("the device answers");
        let bytes = back.slice(..).get_mapped_range();
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
    }
}

fn main() {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::VULKAN;
    // Drivers that report no conformance version are offered only on request.
    descriptor.flags |= wgpu::InstanceFlags::ALLOW_UNDERLYING_NONCOMPLIANT_ADAPTER;
    let instance = wgpu::Instance::new(descriptor);
    let adapter = pollster::block_on(instance.request_adapter(&Default::default())).expect("an adapter");
    let info = adapter.get_info();
    let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
        required_limits: wgpu::Limits::downlevel_defaults(),
        ..Default::default()
    }))
    .expect("a device");
    let context = Context { device, queue };
    let data = BufferUsages::STORAGE | BufferUsages::COPY_SRC;

    let inputs: Vec<u32> = (1..=4096).collect();
    let buffer = context.buffer(&inputs, data);
    let pipeline = context.pipeline(COLLATZ);
    context.run(&[(&pipeline, &context.bind(&pipeline, &[&buffer]), [64, 1])]);
    let steps = |mut n: u32| {
        let mut count = 0;
        while n > 1 {
            n = if n.is_multiple_of(2) { n / 2 } else { 3 * n + 1 };
            count += 1;
        }
        count
    };
    let expected: Vec<u32> = inputs.iter().map(|&n| steps(n)).collect();
    assert_eq!(context.read(&buffer), expected, "collatz");

    let (rows, depth, columns) = (40u32, 24u32, 56u32);
    let matrix = |rows: u32, columns: u32, seed: u32| {
        let numbers = (0..rows * columns).map(move |i| (((i * seed) % 17) as f32 - 8.0).to_bits());
        [rows, columns].into_iter().chain(numbers).collect::<Vec<u32>>()
    };
    let (left, right) = (matrix(rows, depth, 5), matrix(depth, columns, 7));
    let buffers = [
        context.buffer(&left, data),
        context.buffer(&right, data),
        context.buffer(&matrix(rows, columns, 0), data),
    ];
    let pipeline = context.pipeline(PRODUCT);
    let group = context.bind(&pipeline, &[&buffers[0], &buffers[1], &buffers[2]]);
    context.run(&[(&pipeline, &group, [columns / 8, rows / 8])]);
    let product = context.read(&buffers[2]);
    let at = |matrix: &[u32], i: u32| f32::from_bits(matrix[2 + i as usize]);
    for i in 0..rows * columns {
        let (row, column) = (i / columns, i % columns);
        let expected: f32 =
            (0..depth).map(|k| at(&left, row * depth + k) * at(&right, k * columns + column)).sum();
        assert_eq!(at(&product, i), expected, "matrix product, element {i}");
    }

    let count = 1000u32;
    let values: Vec<u32> = (0..count).map(|i| i.wrapping_mul(2_654_435_761) >> 8).collect();
    let ping = context.buffer(&values, data);
    let pong = context.buffer(&values, data);
    let pipeline = context.pipeline(DOUBLING);
    let mut groups = Vec::new();
    let mut reach = 1;
    while reach < count {
        let uniform = context.buffer(&[reach, count], BufferUsages::UNIFORM);
        let (from, to) = if groups.len() % 2 == 0 { (&ping, &pong) } else { (&pong, &ping) };
        groups.push(context.bind(&pipeline, &[&uniform, from, to]));
        reach *= 2;
    }
    let passes: Vec<_> = groups.iter().map(|group| (&pipeline, group, [count.div_ceil(32), 1])).collect();
    context.run(&passes);
    let mut sum = 0u32;
    let expected: Vec<u32> = values
        .iter()
        .map(|value| {
            sum = sum.wrapping_add(*value);
            sum
        })
        .collect();
    let result = if groups.len() % 2 == 0 { &ping } else { &pong };
    assert_eq!(context.read(result), expected, "prefix sums");
    println!("wgpu on {}", info.name);
}
