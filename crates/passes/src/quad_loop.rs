//! One call for many subgroups of quads: the fragment function becomes the body of a loop over a list of
//! them.
//!
//! The function draws the subgroup whose columns are in the record; with this pass it draws those of
//! `FragmentSubgroup::blocks`, each a `QuadSubgroup`, or a part of `GroupedQuads`, one after the other. What
//! is the same for all of them (descriptors, addresses of attachments) is invariant in the loop, and other
//! passes move it out. The shape of the loop is that of [`crate::block_loop`].

use crate::loop_body;
use pyro_abi::graphics::{COLUMN_BYTES, graphics_offset as at};
use pyro_ir::{Builder, Function, MemoryOp, Opcode, Scalar, Space, Value};

/// What a list has for each subgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QuadList {
    /// A `QuadSubgroup`.
    Subgroups,
    /// Its part of `GroupedQuads`.
    Grouped,
}

/// Lanes that a subgroup of a list holds.
const LANES: u32 = 16;

/// Makes the loop, in a function of 16 lanes in mask form without suspend points.
pub fn run(function: &mut Function, list: QuadList) {
    debug_assert_eq!(function.lanes, LANES);
    let bytes = match list {
        QuadList::Subgroups => at::QUAD_SUBGROUP_BYTES,
        // What places are counted in: the words of four quads.
        QuadList::Grouped => 16,
    };
    let size = |b: &mut Builder<'_>, count: Value| {
        let bytes = b.i32(bytes);
        [bytes, b.op(Opcode::IMul, &[count, bytes])]
    };
    loop_body::over_list(function, size, |b, quads, place, always| {
        let columns = Columns::read(b, quads, place, always, list);
        move |place| columns.value(place)
    });
}

/// What the columns of the record are, for one subgroup of a list.
struct Columns {
    x: Value,
    y: Value,
    /// Of a `QuadSubgroup`.
    coverage: Option<Value>,
    primitives: Value,
    /// The group of `GroupedQuads`.
    group: Option<Value>,
    /// Of each quad of a `QuadSubgroup`, the same for all lanes.
    quad_primitives: Vec<Value>,
}

impl Columns {
    /// Reads those of the subgroup at `quads + place`.
    fn read(b: &mut Builder<'_>, quads: Value, place: Value, always: Value, list: QuadList) -> Columns {
        let memory = MemoryOp::new(Space::Context).speculatable();
        let lane = b.op(Opcode::LaneId, &[]);
        let [one, two, fifteen, sixteen, low] = [1, 2, 15, 16, 0xffff].map(|bits| {
            let bits = b.i32(bits);
            b.splat(bits)
        });
        let lane_bytes = b.op(Opcode::Shl, &[lane, two]);
        let lanes_place = b.splat(place);
        let lanes_place = b.op(Opcode::IAdd, &[lanes_place, lane_bytes]);
        let all = b.splat(always);
        // Words of quads, then what lies behind them, so that it is one column. Each goes to its quad's
        // lanes.
        let quad = b.op(Opcode::LShr, &[lane, two]);
        let column = |b: &mut Builder<'_>, field: u32| {
            b.load(Scalar::I32, memory.at(field as i32), quads, lanes_place, all)
        };
        let of_quads = |b: &mut Builder<'_>, field: u32| {
            let words = column(b, field);
            b.op(Opcode::Shuffle, &[words, quad])
        };
        let word = |b: &mut Builder<'_>, field: u32, place: Value| {
            b.load(Scalar::I32, memory.at(field as i32), quads, place, always)
        };
        let (corner, coverage, primitives, group, quad_primitives) = match list {
            QuadList::Subgroups => {
                let quad_primitives = [0, 4, 8, 12].map(|at| word(b, at::QUAD_PRIMITIVES + at, place));
                (
                    of_quads(b, at::QUAD_CORNERS),
                    Some(column(b, at::QUAD_COVERAGE)),
                    of_quads(b, at::QUAD_PRIMITIVES),
                    None,
                    quad_primitives.to_vec(),
                )
            }
            QuadList::Grouped => {
                let corners = of_quads(b, at::GROUPED_CORNERS);
                let quads = of_quads(b, at::GROUPED_QUADS);
                let two = b.i32(2);
                let place = b.op(Opcode::LShr, &[place, two]);
                (corners, None, quads, Some(word(b, at::GROUPED_GROUPS, place)), Vec::new())
            }
        };
        // The pixel within its quad, x and y in halves: no sum goes over.
        let right = b.op(Opcode::And, &[lane, one]);
        let below = b.op(Opcode::And, &[lane, two]);
        let below = b.op(Opcode::Shl, &[below, fifteen]);
        let within = b.op(Opcode::Or, &[right, below]);
        let pixel = b.op(Opcode::IAdd, &[corner, within]);
        Columns {
            x: b.op(Opcode::And, &[pixel, low]),
            y: b.op(Opcode::LShr, &[pixel, sixteen]),
            coverage,
            primitives,
            group,
            quad_primitives,
        }
    }

    /// What a load of the record's field at an offset gives; the same for all lanes, or each lane's.
    fn value(&self, place: u32) -> [Option<Value>; 2] {
        let of_quad =
            place.checked_sub(at::PRIMITIVES).filter(|offset| offset % 16 == 0 && *offset < COLUMN_BYTES);
        let quad = of_quad.and_then(|offset| self.quad_primitives.get(offset as usize / 16).copied());
        let field = if place == at::PRIMITIVE { self.group } else { quad };
        let column = match place {
            at::X => Some(self.x),
            at::Y => Some(self.y),
            at::COVERAGE => self.coverage,
            at::PRIMITIVES => Some(self.primitives),
            _ => None,
        };
        [field, column]
    }
}
