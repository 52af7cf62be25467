//! How long image functions take to compile and to run: instructions of the IR, bytes of machine code, time
//! to compile, nanoseconds for a subgroup of 16 lanes, on one thread.
#![allow(unsafe_code)] // Calls functions by address.

use pyro_abi::image::{ImageOp, LodMode, record};
use pyro_abi::{Callable, KernelInfo, Memory, SamplerRecord};
use pyro_image::access::{build, tables_address};
use pyro_image::layout::{ImageLayout, ImageShape};
use pyro_image::{AddressMode, Aspect, Filter, Format, SamplerKey, ViewKey, ViewType};
use std::time::Instant;

const LANES: u32 = 16;
const CALLS: u32 = 20_000;

#[repr(C, align(64))]
struct Record([u8; record::bytes(LANES) as usize]);

fn measure(name: &str, view: &ViewKey, sampler: &SamplerKey, op: ImageOp, levels: u32) {
    let begin = Instant::now();
    let mut function = build(Some(view), Some(sampler), op, LANES).expect("a possible combination");
    let options = pyro_passes::pipeline::Options { verify: false, ..Default::default() };
    pyro_passes::pipeline::run(&mut function, &options, None).expect("passes accept it");
    let passes = begin.elapsed();
    if std::env::args().nth(1).as_deref() == Some(name) {
        println!("{function}");
    }
    let instructions: usize =
        function.block_order.iter().map(|&block| function.blocks[block].insts.len()).sum();
    let Some(features) = pyro_jit::Features::detect() else {
        println!("{name:40} {instructions:6} instructions, no machine code on this processor");
        return;
    };
    let info = KernelInfo { subgroup_size: LANES, ..KernelInfo::default() };
    let begin = Instant::now();
    let compiled = pyro_jit::compile(&function, info, features).expect("machine code");
    let machine = begin.elapsed();
    let callable = Callable { entry: compiled.entry(), context: tables_address() };

    let layers = if view.view_type.is_cube() { 6 } else { 1 };
    let shape = ImageShape {
        format: view.format,
        extent: [256, 256, 1],
        levels,
        layers,
        samples: 1,
        is_3d: false,
        corner_sampled: false,
    };
    let layout = ImageLayout::new(shape).expect("a possible image");
    let mut texels = vec![0x3c3c_3c3c_3c3c_3c3cu64; layout.size as usize / 8 + 8];
    if view.format.is_compressed() {
        // Blocks of all modes.
        let mut random = 1_u64;
        texels.fill_with(|| {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            random ^ random >> 32
        });
    }
    let address = texels.as_mut_ptr().expose_provenance() as u64;
    let mut image = layout.view(address, (0, levels), (0, layers), false, view.format);
    let mut sampler_record =
        SamplerRecord { max_lod: 100.0, max_anisotropy: 8.0, ..SamplerRecord::default() };
    let mut call = Box::new(Record([0; record::bytes(LANES) as usize]));
    let base = (&raw mut *call).expose_provenance() as u64;
    // SAFETY: the record, what it names, and the function live on; the function accesses nothing else.
    let memory = unsafe { Memory::new() };
    memory.store(base + u64::from(record::IMAGE), (&raw mut image).expose_provenance() as u64);
    memory.store(base + u64::from(record::SAMPLER), (&raw mut sampler_record).expose_provenance() as u64);
    memory.store(base + u64::from(record::ACTIVE_LANES), 0xffffu64);
    for lane in 0..LANES {
        let at = |column: u32| base + u64::from(record::column_offset(column, LANES) + 4 * lane);
        let integer = matches!(op, ImageOp::Fetch { .. } | ImageOp::Read | ImageOp::Write { .. });
        let (x, y) = (
            0.3 + 0.006 * (lane & 1) as f32 + 0.012 * (lane >> 2) as f32,
            0.4 + 0.005 * (lane >> 1 & 1) as f32,
        );
        for (column, value) in
            [(record::COORDINATE, x), (record::COORDINATE + 1, y), (record::COORDINATE + 2, 0.9)]
        {
            memory.store(at(column), if integer { (value * 256.0) as u32 } else { value.to_bits() });
        }
        if integer {
            memory.store(at(record::COORDINATE + 2), 0u32);
        }
    }
    let callable_address = (&raw const callable).expose_provenance() as u64;
    let begin = Instant::now();
    for _ in 0..CALLS {
        memory.call(callable_address, base);
    }
    let nanoseconds = begin.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS);
    let code = compiled.machine_code().len();
    println!(
        "{name:40} {instructions:6} instructions, {code:6} bytes, passes {:5.2} ms, code {:5.2} ms, {nanoseconds:7.1} ns",
        passes.as_secs_f64() * 1e3,
        machine.as_secs_f64() * 1e3,
    );
}

fn main() {
    let view = |format, view_type, levels| ViewKey::new(format, Aspect::Color, view_type, levels);
    let linear = SamplerKey { mag: Filter::Linear, min: Filter::Linear, ..SamplerKey::default() };
    let trilinear = SamplerKey { mip: Filter::Linear, ..linear };
    let edge = SamplerKey { address: [AddressMode::ClampToEdge; 3], ..linear };
    let sample = |lod| ImageOp::Sample { lod, dref: false, offset: false, min_lod: false };
    let rgba8 = Format::R8G8B8A8_UNORM;
    let explicit = sample(LodMode::Explicit);
    let implicit = sample(LodMode::Implicit);
    measure("fetch rgba8", &view(rgba8, ViewType::D2, 1), &linear, ImageOp::Fetch { offset: false }, 1);
    measure("read rgba8", &view(rgba8, ViewType::D2, 1), &linear, ImageOp::Read, 1);
    measure("write rgba8", &view(rgba8, ViewType::D2, 1), &linear, ImageOp::Write { level: false }, 1);
    measure("nearest rgba8", &view(rgba8, ViewType::D2, 1), &SamplerKey::default(), explicit, 1);
    measure("bilinear rgba8 repeat", &view(rgba8, ViewType::D2, 1), &linear, explicit, 1);
    measure("bilinear rgba8 edge", &view(rgba8, ViewType::D2, 1), &edge, explicit, 1);
    measure("bilinear rgba16f edge", &view(Format::R16G16B16A16_SFLOAT, ViewType::D2, 1), &edge, explicit, 1);
    measure("bilinear srgb8 edge", &view(Format::R8G8B8A8_SRGB, ViewType::D2, 1), &edge, explicit, 1);
    measure("trilinear rgba8 implicit", &view(rgba8, ViewType::D2, 9), &trilinear, implicit, 9);
    let different = SamplerKey { mag: Filter::Nearest, ..trilinear };
    measure("nearest / trilinear rgba8 implicit", &view(rgba8, ViewType::D2, 9), &different, implicit, 9);
    let anisotropic = SamplerKey { anisotropic: true, ..trilinear };
    measure("anisotropic rgba8 implicit", &view(rgba8, ViewType::D2, 9), &anisotropic, implicit, 9);
    measure("cube trilinear rgba8 implicit", &view(rgba8, ViewType::Cube, 9), &trilinear, implicit, 9);
    measure("bilinear bc1", &view(Format::BC1_RGBA_UNORM_BLOCK, ViewType::D2, 1), &linear, explicit, 1);
    measure("bilinear bc7", &view(Format::BC7_UNORM_BLOCK, ViewType::D2, 1), &linear, explicit, 1);
    measure(
        "trilinear bc7 implicit",
        &view(Format::BC7_UNORM_BLOCK, ViewType::D2, 9),
        &trilinear,
        implicit,
        9,
    );
    measure(
        "nearest bc7",
        &view(Format::BC7_UNORM_BLOCK, ViewType::D2, 1),
        &SamplerKey::default(),
        explicit,
        1,
    );
    for (name, format) in [
        ("etc2 rgb8", Format::ETC2_R8G8B8_UNORM_BLOCK),
        ("etc2 rgba8", Format::ETC2_R8G8B8A8_UNORM_BLOCK),
        ("astc 4x4", Format::ASTC_4x4_UNORM_BLOCK),
        ("astc 8x6", Format::ASTC_8x6_UNORM_BLOCK),
    ] {
        let view = view(format, ViewType::D2, 1);
        measure(&format!("nearest {name}"), &view, &SamplerKey::default(), explicit, 1);
        measure(&format!("bilinear {name}"), &view, &linear, explicit, 1);
    }
    measure("bilinear bc6h", &view(Format::BC6H_UFLOAT_BLOCK, ViewType::D2, 1), &linear, explicit, 1);
}
