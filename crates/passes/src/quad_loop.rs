//! One call for many subgroups of quads: the fragment function becomes the body of a loop over a list of them.
//!
//! The function draws the subgroup whose rows are in the record; with this pass it draws those of
//! `FragmentSubgroup::blocks`, each a `QuadSubgroup`, one after the other. What is the same for all of them
//! (descriptors, addresses of attachments) is invariant in the loop, and other passes move it out. The shape of the loop
//! is that of [`crate::block_loop`].

use crate::loop_body;
use pyro_abi::graphics::{ROW_BYTES, graphics_offset as at};
use pyro_ir::{Builder, Function, MemoryOp, Opcode, Scalar, Space, Value};

/// Lanes that a `QuadSubgroup` holds.
const LANES: u32 = 16;

/// Makes the loop, in a function of 16 lanes in mask form without suspend points.
pub fn run(function: &mut Function) {
    debug_assert_eq!(function.lanes, LANES);
    let size = |b: &mut Builder<'_>, count: Value| {
        let bytes = b.i32(at::QUAD_SUBGROUP_BYTES);
        [bytes, b.op(Opcode::IMul, &[count, bytes])]
    };
    loop_body::over_list(function, size, |b, quads, place, always| {
        let rows = Rows::read(b, quads, place, always);
        move |place| rows.value(place)
    });
}

/// What the rows of the record are, for one subgroup of a list.
struct Rows {
    x: Value,
    y: Value,
    coverage: Value,
    primitives: Value,
    /// Of each quad, the same for all lanes.
    quad_primitives: [Value; LANES as usize / 4],
}

impl Rows {
    /// Reads those of the subgroup at `quads + place`.
    fn read(b: &mut Builder<'_>, quads: Value, place: Value, always: Value) -> Rows {
        let memory = MemoryOp::new(Space::Context).speculatable();
        let lane = b.op(Opcode::LaneId, &[]);
        let [one, two, sixteen, low] = [1, 2, 16, 0xffff].map(|bits| {
            let bits = b.i32(bits);
            b.splat(bits)
        });
        let lane_bytes = b.op(Opcode::Shl, &[lane, two]);
        let lanes_place = b.splat(place);
        let lanes_place = b.op(Opcode::IAdd, &[lanes_place, lane_bytes]);
        let all = b.splat(always);
        let coverage = b.load(Scalar::I32, memory.at(at::QUAD_COVERAGE as i32), quads, lanes_place, all);
        // Words of quads, then what lies behind them, so that it is one row. Each goes to its quad's lanes.
        let quad = b.op(Opcode::LShr, &[lane, two]);
        let [corner, primitives] = [at::QUAD_CORNERS, at::QUAD_PRIMITIVES].map(|field| {
            let words = b.load(Scalar::I32, memory.at(field as i32), quads, lanes_place, all);
            b.op(Opcode::Shuffle, &[words, quad])
        });
        let x = b.op(Opcode::And, &[corner, low]);
        let right = b.op(Opcode::And, &[lane, one]);
        let y = b.op(Opcode::LShr, &[corner, sixteen]);
        let below = b.op(Opcode::LShr, &[lane, one]);
        let below = b.op(Opcode::And, &[below, one]);
        let quad_primitives = [0, 4, 8, 12].map(|word| {
            b.load(Scalar::I32, memory.at((at::QUAD_PRIMITIVES + word) as i32), quads, place, always)
        });
        Rows {
            x: b.op(Opcode::IAdd, &[x, right]),
            y: b.op(Opcode::IAdd, &[y, below]),
            coverage,
            primitives,
            quad_primitives,
        }
    }

    /// What a load of the record's field at an offset gives; the same for all lanes, or each lane's.
    fn value(&self, place: u32) -> [Option<Value>; 2] {
        let of_quad =
            place.checked_sub(at::PRIMITIVES).filter(|offset| offset % 16 == 0 && *offset < ROW_BYTES);
        let quad = of_quad.and_then(|offset| self.quad_primitives.get(offset as usize / 16).copied());
        let row = match place {
            at::X => Some(self.x),
            at::Y => Some(self.y),
            at::COVERAGE => Some(self.coverage),
            at::PRIMITIVES => Some(self.primitives),
            _ => None,
        };
        [quad, row]
    }
}
