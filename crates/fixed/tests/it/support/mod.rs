//! Runs fixed functions around an empty shader, on 16 fragments in a row.
#![allow(unreachable_pub)]
#![allow(unsafe_code)] // Functions follow the addresses that a test gives them.

use pyro_abi::graphics::{AttachmentRecord, PrimitiveSetup, SETUP_HEADER_BYTES};
use pyro_abi::{DrawContext, FragmentSubgroup, KernelInfo};
use pyro_fixed::{EarlyTests, Fragment, FragmentOutputKey, Outputs, Variant};
use pyro_interp::Interpreter;
use pyro_ir::{Builder, Form, Function, Scalar, Terminator};
use pyro_passes::pipeline;
pub use pyro_random::Random;

pub const LANES: usize = 16;
/// Words of a primitive's setup data: header, two colours, depth and sample mask outputs.
const SETUP_WORDS: usize = SETUP_HEADER_BYTES as usize / 4 + 16;

/// Sends a function in lane form through the passes.
pub fn compile(mut function: Function) -> Interpreter {
    let options = pipeline::Options { verify: true, ..pipeline::Options::default() };
    pyro_ir::verify::verify(&function).unwrap_or_else(|errors| panic!("{errors}\n{function}"));
    pipeline::run(&mut function, &options, None).expect("passes accept the function");
    let info = KernelInfo { subgroup_size: function.lanes, ..KernelInfo::default() };
    Interpreter::new(function, info).expect("finished mask form")
}

/// What the shader around which the fixed functions stand does.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shader {
    pub early: Option<EarlyTests>,
    pub writes_depth: bool,
    pub writes_sample_mask: bool,
    /// Lanes whose number is odd are discarded.
    pub discards: bool,
}

/// A fragment function whose outputs are flat words of the setup data.
pub fn fragment_function(key: &FragmentOutputKey, variant: Variant, shader: Shader) -> Interpreter {
    let mut function = Function::new("fragment", Form::Lane, LANES as u32);
    let entry = function.make_block();
    let mut builder = Builder::new(&mut function);
    let b = &mut builder;
    b.start(entry);
    let mut fragment = Fragment::begin(b, key, variant);
    if let Some(how) = shader.early {
        fragment.test_early(b, how);
    }
    let word = |b: &mut Builder, index: u32| fragment.flat(b, SETUP_HEADER_BYTES + 4 * index);
    let color = [0, 1, 2, 3].map(|index| word(b, index));
    let second = [4, 5, 6, 7].map(|index| word(b, index));
    let mut outputs = Outputs { second_color: Some(second), ..Outputs::default() };
    outputs.colors[0] = Some(color);
    if shader.writes_depth {
        let depth = word(b, 8);
        outputs.depth = Some(b.bitcast(depth, Scalar::F32));
    }
    if shader.writes_sample_mask {
        outputs.sample_mask = Some(word(b, 9));
    }
    let alive = if shader.discards {
        let lane = b.op(pyro_ir::Opcode::LaneId, &[]);
        let one = b.i32(1);
        let odd = b.op(pyro_ir::Opcode::And, &[lane, one]);
        b.op(pyro_ir::Opcode::INe, &[odd, one])
    } else {
        b.bool(true)
    };
    fragment.finish(b, &outputs, alive);
    b.terminate(Terminator::Return(0));
    compile(function)
}

/// One fragment's inputs and what the attachments hold for it.
#[derive(Clone, Debug)]
pub struct Pixel {
    pub setup: PrimitiveSetup,
    pub words: [u32; 10],
    pub coverage: u32,
}

/// Draws 16 pixels, pixel `i` at (i, 0); `color` and `depth` are the attachments' memory, a texel of 16 bytes
/// for each pixel and sample (samples are 256 bytes apart). Gives the samples that passed.
pub fn draw(
    function: &Interpreter,
    packed: bool,
    context: &mut DrawContext,
    pixels: &[Pixel],
    color: &mut [u8],
    depth: &mut [u8],
    formats: (u32, u32),
) -> [u32; LANES] {
    assert_eq!(pixels.len(), LANES);
    let attachment = |memory: &mut [u8], bytes: u32| AttachmentRecord {
        address: memory.as_mut_ptr().expose_provenance() as u64,
        row_pitch: bytes * LANES as u32,
        sample_pitch: bytes * LANES as u32,
        ..AttachmentRecord::default()
    };
    context.colors[0] = attachment(color, formats.0);
    context.depth_stencil = attachment(depth, formats.1);
    let mut setup = vec![[0u32; SETUP_WORDS]; LANES];
    for (words, pixel) in setup.iter_mut().zip(pixels) {
        let header = header_words(&pixel.setup);
        words[..32].copy_from_slice(&header);
        words[32..42].copy_from_slice(&pixel.words);
    }
    let mut record = FragmentSubgroup {
        setup: setup.as_mut_ptr().expose_provenance() as u64,
        ..FragmentSubgroup::default()
    };
    assert!(packed, "each pixel has its own primitive");
    let mut passed = [0; LANES];
    // A quad has one primitive: of each, one pixel after another is covered.
    for turn in 0..4 {
        for (lane, pixel) in pixels.iter().enumerate() {
            record.x[lane] = lane as u32;
            record.coverage[lane] = if lane % 4 == turn { pixel.coverage } else { 0 };
            record.primitives[lane] = ((lane / 4 * 4 + turn) * SETUP_WORDS * 4) as u32;
        }
        record.subgroup.active_lanes = (1 << LANES) - 1;
        let addresses =
            [(&raw mut *context).expose_provenance() as u64, (&raw mut record).expose_provenance() as u64];
        // SAFETY: all that the function accesses is in the records above.
        assert_eq!(unsafe { function.call(addresses) }, pyro_abi::Exit::Done);
        for lane in (turn..LANES).step_by(4) {
            passed[lane] = record.passed[lane];
        }
    }
    passed
}

/// The words of a header.
fn header_words(setup: &PrimitiveSetup) -> [u32; 32] {
    let mut words = [0; 32];
    (words[2], words[6]) = (setup.layer, setup.front_facing);
    for (at, plane) in [
        (8, setup.depth),
        (11, setup.inverse_w),
        (14, setup.perspective_i),
        (17, setup.perspective_j),
        (20, setup.linear_i),
        (23, setup.linear_j),
    ] {
        words[at..at + 3].copy_from_slice(&[plane.value, plane.dx, plane.dy].map(f32::to_bits));
    }
    let rest = [setup.depth_least, setup.depth_greatest, setup.clamp_least, setup.clamp_greatest];
    words[26..30].copy_from_slice(&rest.map(f32::to_bits));
    words
}

/// A header of constant depth, without limits.
pub fn flat_setup(depth: f32, front_facing: bool) -> PrimitiveSetup {
    PrimitiveSetup {
        front_facing: front_facing.into(),
        depth: pyro_abi::graphics::Plane { value: depth, dx: 0.0, dy: 0.0 },
        depth_least: depth,
        depth_greatest: depth,
        clamp_least: 0.25,
        clamp_greatest: 0.75,
        ..PrimitiveSetup::default()
    }
}
