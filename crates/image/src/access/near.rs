//! Reading one texel for each lane, which may well lie close to those of the other lanes.

use super::{Access, BuildError, Level, TexelLocation, if_else};
use crate::key::ViewType;
use crate::texel;
use pyro_abi::image::image_offset as field;
use pyro_ir::{MemoryOp, Opcode, Scalar, Space, Value};
use pyro_library::Ops;
use pyro_util::cpu;

/// The lanes of subgroups whose texels are looked for in windows of as many texels.
const WINDOW_LANES: u32 = 16;
/// The lanes of their first and of their last pixel in the upper row, where each four are a quad and all are
/// side by side. Those of the lower row are two behind.
const ROW_ENDS: [u32; 2] = [0, 13];

/// Windows of rows of texels of one or two words in which two neighbouring texels of some rows lie for each
/// of 16 lanes: of each row one window for the lanes in the upper row of their quads, and one for the others.
pub(super) struct PairWindows {
    /// The texels do lie there, the same in all lanes.
    pub(super) is_near: Value,
    /// Rows are as long as windows, the same in all lanes.
    has_windows: Value,
    /// The lane's first texel in its windows.
    first: Value,
    /// Where its windows begin, for each row.
    windows: Vec<Value>,
    /// Words of a texel.
    words: u32,
}

impl Access<'_, '_> {
    /// As [`Access::load`], for one texel of each lane that may well lie close to those of the other lanes:
    /// then they are one or two accesses instead of a gather, which takes as long as several dozen
    /// instructions.
    pub(crate) fn load_near(
        &mut self,
        place: TexelLocation,
        inside: Value,
    ) -> Result<[Value; 4], BuildError> {
        let format = self.view.format;
        if format.is_compressed() || !matches!(format.block_bytes(), 1 | 2 | 4) {
            return self.load(place, inside, Space::Global);
        }
        // Rows of tiles do not lie behind each other.
        let is_image =
            !self.view.sparse && self.view.view_type != ViewType::Buffer && !self.view.multisampled;
        // With AVX2 each window takes eight permutations across registers, which cost what gathers do: runs
        // of lanes side by side are the rule in workgroups, and a plain load.
        let takes_windows = self.are_block() || cpu::Level::from_environment() != cpu::Level::Avx2;
        let is_word = format.block_bytes() == 4 && self.b.function.lanes == WINDOW_LANES;
        let words = if is_image && is_word && takes_windows {
            self.load_windows(place, inside)?
        } else {
            self.load_run(place, inside)?
        };
        Ok(self.decode(&words))
    }

    /// Whether a condition holds in no lane that is active and `inside`, the same in all lanes.
    fn holds_nowhere(&mut self, condition: Value, inside: Value) -> Value {
        let b = &mut *self.b;
        let condition = b.and(condition, inside);
        let active = b.active();
        let condition = b.and(condition, active);
        let (lanes, none) = (b.ballot(condition), b.i64(0));
        b.ieq(lanes, none)
    }

    /// The words of a texel of each lane, each of which may well lie behind the lane before's.
    fn load_run(&mut self, place: TexelLocation, inside: Value) -> Result<Vec<Value>, BuildError> {
        let format = self.view.format;
        let b = &mut *self.b;
        let (lane, bytes, first_lane) = (b.lane_id(), b.i32(format.block_bytes()), b.i32(0));
        let first = b.op(Opcode::LaneRead, &[place.offset, first_lane]);
        let behind = b.imul(lane, bytes);
        let run = b.iadd(first, behind);
        let differs = b.ine(place.offset, run);
        let is_run = self.holds_nowhere(differs, inside);
        // The places of a run are right for the lanes that were asked, which the others need not be.
        let (of_run, of_lanes) = (MemoryOp::new(Space::Global), self.texel_memory(Space::Global));
        let address = self.address();
        let load = |access: &mut Access, memory: MemoryOp, offset: Value| {
            Ok(texel::load_words(access.b, format, memory, address, offset, inside))
        };
        let run = |access: &mut Access| load(access, of_run, run);
        if_else(self, is_run, run, |access| load(access, of_lanes, place.offset))
    }

    /// The words of a texel of each of 16 lanes, texels of one word. Those of fragments, of which each four
    /// are a quad, mostly lie in two rows of texels, and each row's within as many texels as there are lanes:
    /// where that is so, these are loaded, and each lane takes its own. It is also so where the texel of each
    /// lane lies behind the lane before's.
    fn load_windows(&mut self, place: TexelLocation, inside: Value) -> Result<Vec<Value>, BuildError> {
        let last = self.last_window();
        let b = &mut *self.b;
        let (lane, two, zero) = (b.lane_id(), b.i32(2), b.i32(0));
        // Lanes 0 and 2 are where the rows of the first quad begin.
        let begin = b.and(lane, two);
        let window = b.shuffle(place.offset, begin);
        let window = b.umin(window, last);
        let within = b.isub(place.offset, window);
        let bytes = b.i32(4 * WINDOW_LANES);
        let is_far = b.ule(bytes, within);
        let has_windows = b.sle(zero, last);
        let is_near = self.holds_nowhere(is_far, inside);
        let is_near = self.b.and(is_near, has_windows);
        let (memory, address) = (self.texel_memory(Space::Global), self.address());
        let windows = |access: &mut Access| {
            let b = &mut *access.b;
            let (behind, index) = (b.shl(lane, two), b.lshr(within, two));
            let memory = MemoryOp::new(Space::Global).speculatable();
            let [upper, lower] = [zero, two].map(|lane| {
                let window = b.op(Opcode::LaneRead, &[window, lane]);
                let texel = b.iadd(window, behind);
                // All lanes load, whether they are active or not.
                let row = b.load(Scalar::I32, memory, address, texel, has_windows);
                b.shuffle(row, index)
            });
            let is_lower = b.ine(begin, zero);
            let texel = b.select(is_lower, lower, upper);
            Ok(vec![b.select(inside, texel, zero)])
        };
        if_else(self, is_near, windows, |access| {
            Ok(vec![access.b.load(Scalar::I32, memory, address, place.offset, inside)])
        })
    }

    /// Windows for two neighbouring texels in each of some rows, of one or two words each. `rows` are the
    /// first ones' places, `column` theirs; the second ones are behind them where `adjacent` holds, or
    /// everywhere. None where lanes are no block of pixels, for images in tiles, and where registers are too
    /// short for windows.
    pub(super) fn pair_windows(
        &mut self,
        level: Level,
        (column, adjacent): (Value, Option<Value>),
        rows: &[TexelLocation],
    ) -> Option<PairWindows> {
        let has_registers = cpu::Level::from_environment() == cpu::Level::Avx512;
        let texel_bytes = self.view.format.block_bytes();
        debug_assert!(matches!(texel_bytes, 4 | 8), "texels are one or two words");
        if self.view.sparse || !self.are_block() || self.b.function.lanes != WINDOW_LANES || !has_registers {
            return None;
        }
        let width = self.extent(0, level);
        let b = &mut *self.b;
        let (lane, two, zero) = (b.lane_id(), b.i32(2), b.i32(0));
        let begin = b.and(lane, two);
        // Windows do not leave their rows.
        let all = b.i32(WINDOW_LANES);
        let last = b.isub(width, all);
        let last = match level {
            Level::First => last,
            Level::Lane(_) => b.shuffle(last, begin),
        };
        let [first, end] = ROW_ENDS.map(|end| {
            let lanes = b.i32(end);
            let lanes = b.iadd(begin, lanes);
            b.shuffle(column, lanes)
        });
        let start = b.smin(first, end);
        let start = b.smin(start, last);
        let within = b.isub(column, start);
        let shift = b.i32(texel_bytes.ilog2());
        let bytes = b.shl(within, shift);
        let most = b.i32(WINDOW_LANES - 2);
        let mut is_far = b.ult(most, within);
        if let Some(adjacent) = adjacent {
            let apart = b.not(adjacent);
            is_far = b.or(is_far, apart);
        }
        let mut windows = Vec::new();
        for row in rows {
            let window = b.isub(row.offset, bytes);
            let of_begin = b.shuffle(window, begin);
            let differs = b.ine(window, of_begin);
            is_far = b.or(is_far, differs);
            windows.push(window);
        }
        let always = b.bool(true);
        let is_near = self.holds_nowhere(is_far, always);
        // Lanes 0 and 2, whose windows are loaded, may be others than those that are active.
        let b = &mut *self.b;
        let has_windows = match level {
            Level::First => b.sle(zero, last),
            Level::Lane(_) => {
                let is_short = b.slt(last, zero);
                let (lanes, none) = (b.ballot(is_short), b.i64(0));
                b.ieq(lanes, none)
            }
        };
        let is_near = self.b.and(is_near, has_windows);
        let words = texel_bytes / 4;
        Some(PairWindows { is_near, has_windows, first: within, windows, words })
    }

    /// How far from the view's first texel, in bytes, so many texels of one word as there are lanes can begin
    /// that all lie in the view's first level: the same in all lanes; negative where it has fewer.
    fn last_window(&mut self) -> Value {
        let view = *self.view;
        let layered = view.view_type.is_array() || view.view_type.is_cube();
        let parts = [
            (view.view_type.dimensions() > 1, field::HEIGHT, field::ROW_PITCH),
            (view.view_type.dimensions() > 2, field::DEPTH, field::SLICE_PITCH),
            (layered, field::LAYERS, field::LAYER_PITCH),
        ];
        let (four, one) = (self.b.i32(4), self.b.i32(1));
        let width = self.field(Scalar::I32, field::WIDTH);
        let mut bytes = self.b.imul(width, four);
        for (_, count, pitch) in parts.into_iter().filter(|(is_there, ..)| *is_there) {
            let (count, pitch) = (self.field(Scalar::I32, count), self.field(Scalar::I32, pitch));
            let before = self.b.isub(count, one);
            let before = self.b.imul(before, pitch);
            bytes = self.b.iadd(bytes, before);
        }
        let window = self.b.i32(4 * WINDOW_LANES);
        self.b.isub(bytes, window)
    }
}

impl PairWindows {
    /// The words of the two texels of each row, where they lie in windows: texel by texel.
    pub(super) fn pairs(&self, access: &mut Access) -> Vec<Value> {
        let address = access.address();
        let b = &mut *access.b;
        let (lane, one, two, zero) = (b.lane_id(), b.i32(1), b.i32(2), b.i32(0));
        let behind = b.shl(lane, two);
        let is_lower = b.and(lane, two);
        let is_lower = b.ine(is_lower, zero);
        let next = b.iadd(self.first, one);
        // Of each texel's word the number among those of the window, and whether its second register has it.
        let mut indices = Vec::new();
        for texel in [self.first, next] {
            if self.words == 1 {
                indices.push((texel, None));
                continue;
            }
            let (half, word) = (b.i32(WINDOW_LANES / 2), b.shl(texel, one));
            let is_behind = b.ule(half, texel);
            let second = b.or(word, one);
            indices.extend([(word, Some(is_behind)), (second, Some(is_behind))]);
        }
        let mut pairs = Vec::new();
        for &windows in &self.windows {
            let [upper, lower] = [zero, two].map(|lane| {
                let window = b.op(Opcode::LaneRead, &[windows, lane]);
                let place = b.iadd(window, behind);
                // All lanes load, whether they are active or not.
                let memory = MemoryOp::new(Space::Global).speculatable();
                let mut load = |register: u32| {
                    let memory = memory.at((4 * WINDOW_LANES * register) as i32);
                    b.load(Scalar::I32, memory, address, place, self.has_windows)
                };
                (0..self.words).map(&mut load).collect::<Vec<Value>>()
            });
            for &(index, is_behind) in &indices {
                let [upper, lower] = [&upper, &lower].map(|registers| {
                    let first = b.shuffle(registers[0], index);
                    let Some((is_behind, &register)) = is_behind.zip(registers.get(1)) else { return first };
                    let second = b.shuffle(register, index);
                    b.select(is_behind, second, first)
                });
                pairs.push(b.select(is_lower, lower, upper));
            }
        }
        pairs
    }
}
