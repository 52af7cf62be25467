//! Vertex fetch: formats, bounds, divisors.

use crate::support::{LANES, Random, compile};
use pyro_abi::DrawContext;
use pyro_abi::VertexSubgroup;
use pyro_fixed::state::{InputRate, VertexAttribute, VertexBuffer, VertexInputState};
use pyro_fixed::{Vertex, vertex::attribute_scalar};
use pyro_image::texel::host;
use pyro_image::{Aspect, Format};
use pyro_ir::{Builder, Form, Function, Scalar, Terminator};

/// Fetches the only attribute into columns 0 to 3 (low halves) and 4 to 7 (high halves).
fn fetch_function(state: &VertexInputState) -> pyro_interp::Interpreter {
    let mut function = Function::new("vertex", Form::Lane, LANES as u32);
    let entry = function.make_block();
    let mut builder = Builder::new(&mut function);
    let b = &mut builder;
    b.start(entry);
    let vertex = Vertex::begin(b);
    let values = vertex.fetch(b, state, 0);
    for (column, value) in values.into_iter().enumerate() {
        let column = column as u32;
        if attribute_scalar(state.attributes[0].format).bits() == 64 {
            let bits = b.bitcast(value, Scalar::I64);
            let low = b.convert(pyro_ir::Opcode::Truncate, bits, Scalar::I32);
            let shift = b.i64(32);
            let high = b.op(pyro_ir::Opcode::LShr, &[bits, shift]);
            let high = b.convert(pyro_ir::Opcode::Truncate, high, Scalar::I32);
            vertex.store_column(b, column, low);
            vertex.store_column(b, column + 4, high);
        } else {
            vertex.store_column(b, column, value);
        }
    }
    b.terminate(Terminator::Return(0));
    compile(function)
}

fn state(format: Format, offset: u32, rate: InputRate) -> VertexInputState {
    VertexInputState { attributes: vec![VertexAttribute { location: 0, binding: 0, format, offset, rate }] }
}

/// Runs it; gives the values of each lane as `host::decode` does.
fn fetch(
    state: &VertexInputState,
    buffer: VertexBuffer,
    vertices: [u32; LANES],
    instances: [u32; LANES],
    base_instance: u32,
) -> Vec<[u64; 4]> {
    let function = fetch_function(state);
    let mut context = Box::new(DrawContext::default());
    context.attributes[0] = VertexInputState::record(&state.attributes[0], buffer);
    let mut outputs = [0u32; 8 * LANES];
    let mut record = VertexSubgroup {
        outputs: outputs.as_mut_ptr().expose_provenance() as u64,
        base_instance,
        ..VertexSubgroup::default()
    };
    record.subgroup.active_lanes = (1 << LANES) - 1;
    record.vertex_index[..LANES].copy_from_slice(&vertices);
    record.instance_index[..LANES].copy_from_slice(&instances);
    let addresses =
        [(&raw mut *context).expose_provenance() as u64, (&raw mut record).expose_provenance() as u64];
    // SAFETY: all that the function accesses is in the records above and in the buffer.
    #[allow(unsafe_code)]
    let exit = unsafe { function.call(addresses) };
    assert_eq!(exit, pyro_abi::Exit::Done);
    (0..LANES)
        .map(|lane| {
            let word = |column: usize| u64::from(outputs[column * LANES + lane]);
            [0, 1, 2, 3].map(|column| word(column) | word(column + 4) << 32)
        })
        .collect()
}

#[test]
fn formats_at_odd_strides() {
    let mut random = Random::new(17);
    let bytes: Vec<u8> = (0..4096).map(|_| random.bits() as u8).collect();
    let vertices = [(); LANES].map(|()| random.below(60) as u32);
    let (mut fetched, offset) = (0, 4);
    for &format in Format::ALL {
        if !format.features().vertex_buffer {
            continue;
        }
        let stride = format.block_bytes() + 8;
        let buffer = VertexBuffer {
            address: bytes.as_ptr().expose_provenance() as u64,
            size: bytes.len() as u64,
            stride,
        };
        let got = fetch(&state(format, offset, InputRate::Vertex), buffer, vertices, [0; LANES], 0);
        for (got, &vertex) in got.iter().zip(&vertices) {
            let at = (vertex * stride + offset) as usize;
            let wanted = host::decode(format, Aspect::Color, &bytes[at..at + format.block_bytes() as usize]);
            for (&got, wanted) in got.iter().zip(wanted) {
                let nan = |bits: u64| match attribute_scalar(format) {
                    Scalar::F32 => f32::from_bits(bits as u32).is_nan(),
                    Scalar::F64 => f64::from_bits(bits).is_nan(),
                    _ => false,
                };
                assert!(got == wanted || nan(got) && nan(wanted), "{format:?}: {got:#x} {wanted:#x}");
            }
        }
        fetched += 1;
    }
    assert!(fetched > 80, "only {fetched} formats");
}

#[test]
fn elements_behind_the_buffer_are_zero() {
    let words: Vec<f32> = (0..64).map(|word| word as f32 + 1.0).collect();
    let buffer =
        VertexBuffer { address: words.as_ptr().expose_provenance() as u64, size: 4 * 30 + 3, stride: 8 };
    let mut vertices = [0; LANES];
    vertices[..6].copy_from_slice(&[14, 15, 16, u32::MAX, 0x2000_0000, 0]);
    let got = fetch(&state(Format::R32G32_SFLOAT, 0, InputRate::Vertex), buffer, vertices, [0; LANES], 0);
    let texel = |x: f32, y: f32| [x, y, 0.0, 1.0].map(|value| u64::from(value.to_bits()));
    assert_eq!(got[0], texel(29.0, 30.0));
    for lane in &got[1..5] {
        assert_eq!(*lane, texel(0.0, 0.0));
    }
    assert_eq!(got[5], texel(1.0, 2.0));
}

#[test]
fn divisors() {
    let words: Vec<u32> = (0..64).map(|word| 100 + word).collect();
    let buffer = VertexBuffer { address: words.as_ptr().expose_provenance() as u64, size: 256, stride: 4 };
    let instances = std::array::from_fn(|lane| 5 + lane as u32);
    for (divisor, element) in [(0, [5, 5, 5]), (1, [5, 8, 20]), (3, [5, 6, 10])] {
        let state = state(Format::R32_UINT, 0, InputRate::Instance { divisor });
        let got = fetch(&state, buffer, [9; LANES], instances, 5);
        let picked = [0, 3, 15].map(|lane| got[lane][0] as u32 - 100);
        assert_eq!(picked, element, "divisor {divisor}");
    }
}
