//! Image operations as IR: one function for each view, sampler and operation that meet.
//!
//! A function in lane form reads its operands from the call record ([`pyro_abi::image::record`], entry
//! argument 1) and writes its result there. Lanes that are not active compute too, on whatever the record
//! holds for them: so coordinates are always brought into range before a texel is read, and only what is
//! *written* looks at the active lanes. The derivatives of implicit levels of detail rest on that.
//!
//! Formulas are those of the chapter "Image Operations" of the Vulkan specification; where it leaves a
//! choice, the preferred one is taken. Functions need no scratch memory and never suspend.

mod address;
mod around;
mod compressed;
mod cube;
mod cubic;
mod filter;
mod inline;
mod lod;
mod near;
mod packed;
mod sample;
mod texel_op;
mod texels_read;
mod ycbcr;

pub(crate) use compressed::tables;
pub use compressed::tables::address as tables_address;
pub use inline::{Operands, Results, is_inlined, operate as inline};
pub use lod::{ANISOTROPY_MAX, SAMPLER_LOD_BIAS_MAX};

use crate::format::NumericClass;
use crate::key::{SamplerKey, ViewKey, ViewType};
use crate::layout::Tile;
use crate::texel::{self, pvrtc::Kind};
use pyro_abi::image::{ImageOp, LEVELS_MAX, image_offset as field, record};
use pyro_abi::sparse;
use pyro_ir::{
    Block, BlockCall, Builder, Form, Function, MemoryOp, Merge, Opcode, Scalar, Space, Terminator, Type,
    Value,
};
use pyro_library::Ops;

/// Why there is no function for a combination. Shaders see zeros then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// Vulkan does not allow the combination.
    #[error("{0}")]
    Invalid(&'static str),
}

/// The function of one operation on views like `view`, in lane form. Without a view (a null descriptor), it
/// reads zeros and drops writes.
///
/// # Errors
/// See [`BuildError`].
///
/// # Panics
/// When `lanes` is no subgroup size.
pub fn build(
    view: Option<&ViewKey>,
    sampler: Option<&SamplerKey>,
    op: ImageOp,
    lanes: u32,
) -> Result<Function, BuildError> {
    let mut function = Function::new(format!("{op:?}"), Form::Lane, lanes);
    let block = function.make_block();
    let mut builder = Builder::new(&mut function);
    builder.start(block);
    match view {
        Some(view) => operate(&mut builder, view, sampler, op)?,
        None => zeros(&mut builder),
    }
    builder.terminate(Terminator::Return(0));
    Ok(function)
}

/// The function of an operation that has none: all results are zero, nothing is written.
pub fn build_zeros(lanes: u32) -> Function {
    let mut function = Function::new("zeros", Form::Lane, lanes);
    let block = function.make_block();
    let mut builder = Builder::new(&mut function);
    builder.start(block);
    zeros(&mut builder);
    builder.terminate(Terminator::Return(0));
    function
}

fn zeros(b: &mut Builder) {
    let zero = b.i32(0);
    for column in record::TEXEL..record::COLUMNS {
        store_column(b, column, zero);
    }
}

fn operate(
    b: &mut Builder,
    view: &ViewKey,
    sampler: Option<&SamplerKey>,
    op: ImageOp,
) -> Result<(), BuildError> {
    let mut access = Access::new(b, view);
    access.operate(sampler, op)
}

/// Writes a value of 32 bits to a column, for the active lanes.
fn store_column(b: &mut Builder, column: u32, value: Value) {
    let base = b.arg(1);
    let offset = lane_offset(b);
    let always = b.bool(true);
    b.store(column_place(b, column), base, offset, value, always);
}

/// The lane's place within a column.
fn lane_offset(b: &mut Builder) -> Value {
    let lane = b.lane_id();
    let two = b.i32(2);
    b.shl(lane, two)
}

fn column_place(b: &Builder, column: u32) -> MemoryOp {
    MemoryOp::new(Space::Scratch).at(record::column_offset(column, b.function.lanes) as i32)
}

/// Which level of the view an access is at.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Level {
    /// The first, for all lanes.
    First,
    /// Within the view's levels, each lane its own.
    Lane(Value),
}

/// Where a texel lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TexelLocation {
    /// Bytes from the view's first texel; of a compressed format, to the block.
    pub(crate) offset: Value,
    /// Column and row within the block of a compressed format, the row above [`compressed::column_bits`].
    pub(crate) within: Option<Value>,
    /// Of PVRTC, bytes to the further blocks that a texel depends on, as [`compressed::Around`] has them.
    pub(crate) around: Option<[Value; 3]>,
}

impl TexelLocation {
    /// Its values, as many for all texels of a format.
    pub(crate) fn values(self) -> Vec<Value> {
        [self.offset].into_iter().chain(self.within).chain(self.around.into_iter().flatten()).collect()
    }

    /// The location that has these values; those that are missing are missing there.
    pub(crate) fn of(values: &[Value]) -> TexelLocation {
        TexelLocation {
            offset: values[0],
            within: values.get(1).copied(),
            around: values.get(2..5).and_then(|values| values.try_into().ok()),
        }
    }
}

/// What texels are until they are filtered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The values that shaders read.
    Decoded,
    /// Normalized components are left as integers (in floats): their scale is applied to the filtered value.
    Unscaled,
    /// Bytes, which [`packed`] filters.
    Packed,
    /// The values that shaders read, where the components of this mask, from red on, are encoded as sRGB is.
    Linear(u8),
}

/// What all operations share while they are written.
pub(crate) struct Access<'a, 'f> {
    pub(crate) b: &'a mut Builder<'f>,
    pub(crate) view: &'a ViewKey,
    /// Address of the image record.
    image: Value,
    /// Of code within a shader: its operands and results. Functions have them in the call record.
    inline: Option<inline::Columns<'a>>,
    /// As what texels come from memory and go through filters.
    pub(crate) stage: Stage,
}

impl<'a, 'f> Access<'a, 'f> {
    fn new(b: &'a mut Builder<'f>, view: &'a ViewKey) -> Access<'a, 'f> {
        let image = header(b, record::IMAGE);
        Access { b, view, image, inline: None, stage: Stage::Decoded }
    }

    /// The operation's code.
    fn operate(&mut self, sampler: Option<&SamplerKey>, op: ImageOp) -> Result<(), BuildError> {
        if self.view.sparse && !op.writes() {
            let resident = self.b.i32(0);
            self.store_column(record::RESIDENCY, resident);
        }
        match op {
            ImageOp::Fetch { offset } => texel_op::fetch(self, offset),
            ImageOp::Read => texel_op::read(self),
            ImageOp::Write { level } => texel_op::write(self, level),
            ImageOp::Atomic(op) => texel_op::atomic(self, op),
            ImageOp::Sample { .. } | ImageOp::Gather { .. } | ImageOp::Pick { .. } | ImageOp::QueryLod => {
                let Some(sampler) = sampler else {
                    return Err(BuildError::Invalid("sampling without a sampler"));
                };
                sample::operate(self, sampler, op)
            }
            ImageOp::Footprint { lod, min_lod } => match sampler {
                Some(sampler) => texels_read::tell(self, sampler, (lod, min_lod)),
                None => Err(BuildError::Invalid("sampling without a sampler")),
            },
        }
    }

    /// A column of the call record: of any lane, active or not.
    pub(crate) fn column(&mut self, column: u32, scalar: Scalar) -> Value {
        if let Some(columns) = &self.inline {
            let value = columns.operand(column);
            return match value {
                Some(value) => self.b.bitcast(value, scalar),
                None => self.b.constant(scalar, 0),
            };
        }
        let base = self.b.arg(1);
        let offset = lane_offset(self.b);
        let always = self.b.bool(true);
        let place = column_place(self.b, column).speculatable();
        self.b.load(scalar, place, base, offset, always)
    }

    /// Writes a value of 32 bits to a column, for the active lanes.
    fn store_column(&mut self, column: u32, value: Value) {
        match &mut self.inline {
            Some(columns) => columns.set_result(column, value),
            None => store_column(self.b, column, value),
        }
    }

    /// Address of the sampler's record.
    pub(crate) fn sampler_record(&mut self) -> Value {
        match &self.inline {
            Some(columns) => columns.sampler(),
            None => header(self.b, record::SAMPLER),
        }
    }

    /// Lanes are known to be a block of pixels.
    fn are_block(&self) -> bool {
        self.inline.as_ref().is_some_and(inline::Columns::are_block)
    }

    /// How texels are read. A function is only called where its image is there, so its loads may come early.
    pub(crate) fn texel_memory(&self, space: Space) -> MemoryOp {
        let memory = MemoryOp::new(space);
        if self.inline.is_some() { memory } else { memory.speculatable() }
    }

    /// The block that ends here becomes the header of a construct.
    fn header_block(&mut self) -> Block {
        if self.b.function.blocks[self.b.block()].merge.is_some() {
            let block = self.b.function.make_block();
            self.b.jump(block, &[]);
            self.b.start(block);
        }
        self.b.block()
    }

    /// A field of the image record.
    pub(crate) fn field(&mut self, scalar: Scalar, offset: u32) -> Value {
        let image = self.image;
        context_load(self.b, scalar, image, offset)
    }

    /// An element of one of the image record's arrays of levels.
    fn level_field(&mut self, offset: u32, level: Level) -> Value {
        match level {
            Level::First => self.field(Scalar::I32, offset),
            Level::Lane(level) => {
                // Subgroups of 16 lanes and more load the whole array, an element a lane, and shuffle it.
                let shuffled = self.b.function.lanes as usize >= LEVELS_MAX;
                let (two, mask) = (self.b.i32(2), self.b.i32(LEVELS_MAX as u32 - 1));
                let index = if shuffled {
                    let lane = self.b.lane_id();
                    if self.b.function.lanes as usize == LEVELS_MAX { lane } else { self.b.and(lane, mask) }
                } else {
                    level
                };
                let at = self.b.shl(index, two);
                let always = self.b.bool(true);
                let place = MemoryOp::new(Space::Context).at(offset as i32).speculatable();
                let fields = self.b.load(Scalar::I32, place, self.image, at, always);
                if shuffled { self.b.shuffle(fields, level) } else { fields }
            }
        }
    }

    /// Texels in one dimension (0 to 2) at a level.
    pub(crate) fn extent(&mut self, dimension: usize, level: Level) -> Value {
        let extent = self.field(Scalar::I32, [field::WIDTH, field::HEIGHT, field::DEPTH][dimension]);
        match level {
            Level::First => extent,
            Level::Lane(level) => {
                let one = self.b.i32(1);
                let is_corner_sampled = self.view.corner_sampled;
                // Cells halve as texels of other images do ([`pyro_abi::image::level_extent`]).
                let whole = if is_corner_sampled { self.b.isub(extent, one) } else { extent };
                let halved = self.b.lshr(whole, level);
                let halved = self.b.smax(halved, one);
                if is_corner_sampled { self.b.iadd(halved, one) } else { halved }
            }
        }
    }

    /// As [`Self::extent`], that of which normalized coordinates are fractions, as a float: texels, or cells
    /// of a corner-sampled image.
    pub(crate) fn scale_extent(&mut self, dimension: usize, level: Level) -> Value {
        let extent = self.extent(dimension, level);
        self.scale_of(extent)
    }

    /// Of so many texels, what [`Self::scale_extent`] gives.
    pub(crate) fn scale_of(&mut self, extent: Value) -> Value {
        let extent = if self.view.corner_sampled {
            let one = self.b.i32(1);
            self.b.isub(extent, one)
        } else {
            extent
        };
        self.b.convert(Opcode::SToF, extent, Scalar::F32)
    }

    /// Bytes from the view's first texel to the first one of a level's layer (and sample).
    pub(crate) fn plane_offset(
        &mut self,
        level: Level,
        layer: Option<Value>,
        sample: Option<Value>,
    ) -> Value {
        // The first level begins at the view's address.
        let mut offset = match level {
            Level::First => self.b.i32(0),
            _ => self.level_field(field::LEVEL_OFFSET, level),
        };
        for (index, pitch) in [(layer, field::LAYER_PITCH), (sample, field::SAMPLE_PITCH)] {
            if let Some(index) = index {
                let pitch = self.field(Scalar::I32, pitch);
                let part = self.b.imul(index, pitch);
                offset = self.b.iadd(offset, part);
            }
        }
        offset
    }

    /// The place of the texel at these coordinates, which are in range, in a plane. The one place that knows
    /// the tiling.
    pub(crate) fn texel_place(&mut self, plane: Value, level: Level, at: &[Value]) -> TexelLocation {
        let format = self.view.format;
        let mut within = None;
        let mut at = at.to_vec();
        if format.is_compressed() {
            let extent = format.block_extent();
            let bits = compressed::column_bits(format);
            let mut number = self.b.i32(0);
            let axes = if extent[2] > 1 { 3 } else { 2 };
            for (axis, index) in at.iter_mut().take(axes).enumerate() {
                let (block, within) = self.divided(*index, extent[axis]);
                let by = self.b.i32(bits * axis as u32);
                let within = self.b.shl(within, by);
                number = self.b.or(number, within);
                *index = block;
            }
            within = Some(number);
            if let Some(kind) = Kind::of(format) {
                let row = at.get(1).copied().unwrap_or_else(|| self.b.i32(0));
                return self.place_around(kind, plane, level, [at[0], row], number);
            }
        }
        if self.view.sparse && self.view.view_type != ViewType::Buffer {
            let offset = self.place_in_tiles(plane, level, &at);
            return TexelLocation { offset, within, around: None };
        }
        let mut offset = plane;
        for (&index, pitch) in at[1..].iter().zip([field::ROW_PITCH, field::SLICE_PITCH]) {
            let pitch = self.level_field(pitch, level);
            let part = self.b.imul(index, pitch);
            offset = self.b.iadd(offset, part);
        }
        let bytes = self.b.i32(format.block_bytes());
        let x = self.b.imul(at[0], bytes);
        TexelLocation { offset: self.b.iadd(offset, x), within, around: None }
    }

    /// The place of a texel (or block) of an image in tiles.
    fn place_in_tiles(&mut self, plane: Value, level: Level, at: &[Value]) -> Value {
        let format = self.view.format;
        let tile = self.tile();
        let mut offset = plane;
        let (mut texel, mut above) = (self.b.i32(0), 0);
        for (axis, &index) in at.iter().enumerate() {
            let (bits, mask) = (self.b.i32(tile.bits[axis]), self.b.i32((1 << tile.bits[axis]) - 1));
            let (number, within) = (self.b.lshr(index, bits), self.b.and(index, mask));
            let pitch = match axis {
                0 => self.b.i32(sparse::BLOCK_BYTES as u32),
                1 => self.level_field(field::ROW_PITCH, level),
                _ => self.level_field(field::SLICE_PITCH, level),
            };
            let part = self.b.imul(number, pitch);
            offset = self.b.iadd(offset, part);
            let by = self.b.i32(above);
            let within = self.b.shl(within, by);
            texel = self.b.or(texel, within);
            above += tile.bits[axis];
        }
        let bytes = self.b.i32(format.block_bytes());
        let within = self.b.imul(texel, bytes);
        self.b.iadd(offset, within)
    }

    /// The tile of a sparse image's view.
    fn tile(&self) -> Tile {
        let is_3d = self.view.view_type == ViewType::D3;
        // Images of formats without a tile are not sparse.
        Tile::of(self.view.format, is_3d, 1 << self.view.sample_bits).unwrap_or(Tile { bits: [0; 3] })
    }

    /// Of an image in tiles, whether the texel behind this one in x follows it in memory.
    pub(crate) fn has_next(&mut self, x: Value) -> Option<Value> {
        let in_tiles = self.view.sparse && self.view.view_type != ViewType::Buffer;
        in_tiles.then(|| {
            let mask = self.b.i32((1 << self.tile().bits[0]) - 1);
            let within = self.b.and(x, mask);
            self.b.ine(within, mask)
        })
    }

    /// Of a sparse view, `inside` only where memory is bound at the place.
    pub(crate) fn resident(&mut self, place: TexelLocation, inside: Value) -> Value {
        if !self.view.sparse {
            return inside;
        }
        let address = self.address();
        let b = &mut *self.b;
        let (space, size, bits) = (
            b.i64(!(sparse::SPACE_ALIGNMENT - 1)),
            b.i64(sparse::SPACE_BYTES),
            b.i64(sparse::BLOCK_BITS.into()),
        );
        let table = b.and(address, space);
        let first = b.isub(address, table);
        let first = b.lshr(first, bits);
        let table = b.iadd(table, size);
        let table = b.iadd(table, first);
        let (low, bits) = (b.i64(sparse::BLOCK_BYTES - 1), b.i32(sparse::BLOCK_BITS));
        let low = b.and(address, low);
        let low = b.resize_u(low, Scalar::I32);
        let at = b.iadd(place.offset, low);
        let block = b.lshr(at, bits);
        let state = b.load(Scalar::I8, MemoryOp::new(Space::Global), table, block, inside);
        let state = b.resize_u(state, Scalar::I32);
        let bound = b.i32(sparse::BOUND.into());
        let is_bound = b.ieq(state, bound);
        b.and(inside, is_bound)
    }

    /// Tells the residency code of texels that count where `inside`, of a sparse view.
    pub(crate) fn note_residency(&mut self, place: TexelLocation, inside: Value) {
        if !self.view.sparse {
            return;
        }
        let resident = self.resident(place, inside);
        let missing = self.b.xor(resident, inside);
        let (base, offset, always) = (self.b.arg(1), lane_offset(self.b), self.b.bool(true));
        let column = column_place(self.b, record::RESIDENCY);
        let old = self.b.load(Scalar::I32, column, base, offset, always);
        let one = self.b.i32(1);
        let code = self.b.select(missing, one, old);
        store_column(self.b, record::RESIDENCY, code);
    }

    /// The quotient and the remainder of a texel's index over the texels of a block.
    fn divided(&mut self, index: Value, texels: u32) -> (Value, Value) {
        let b = &mut *self.b;
        if texels.is_power_of_two() {
            let (by, mask) = (b.i32(texels.ilog2()), b.i32(texels - 1));
            return (b.lshr(index, by), b.and(index, mask));
        }
        // Exact for indices within an image: the reciprocal is at most 2^-18 too large.
        const { assert!((crate::layout::EXTENT_MAX as u64) * 12 < 1 << 18) };
        let (reciprocal, by, texels) = (b.i32((1_u32 << 18).div_ceil(texels)), b.i32(18), b.i32(texels));
        let product = b.imul(index, reciprocal);
        let quotient = b.lshr(product, by);
        let whole = b.imul(quotient, texels);
        (quotient, b.isub(index, whole))
    }

    /// The decoded texel at a place where `inside`, else zeros, with an alpha of 1 for formats without alpha
    /// ("Robust Image Access 2"). `inside` has to tell whether the place is in the image, not which lanes are
    /// active.
    pub(crate) fn load(
        &mut self,
        place: TexelLocation,
        inside: Value,
        space: Space,
    ) -> Result<[Value; 4], BuildError> {
        let format = self.view.format;
        let address = self.address();
        let memory = self.texel_memory(space);
        if let (Some(within), Some(around)) = (place.within, place.around) {
            let blocks = [place.offset, around[0], around[1], around[2]];
            let words = blocks.map(|offset| {
                [0, 4].map(|at| self.b.load(Scalar::I32, memory.at(at), address, offset, inside))
            });
            let texel = compressed::decode_around(self, &words, within)?;
            let zero = self.b.f32(0.0);
            return Ok(texel.map(|value| self.b.select(inside, value, zero)));
        }
        if let Some(within) = place.within {
            let words: Vec<Value> = (0..format.block_bytes() / 4)
                .map(|word| {
                    let memory = memory.at(4 * word as i32);
                    self.b.load(Scalar::I32, memory, address, place.offset, inside)
                })
                .collect();
            let texel = compressed::decode(self, &words, within)?;
            // A block of zeros is a valid block of other values, in most of these formats.
            let (zero, one) = self.zero_and_one();
            let present = texel::aspect_components(format, self.view.aspect);
            let outside = [0, 1, 2, 3].map(|index| match present[index] {
                None if index == 3 => one,
                _ => zero,
            });
            return Ok([0, 1, 2, 3].map(|index| self.b.select(inside, texel[index], outside[index])));
        }
        let words = texel::load_words(self.b, format, memory, address, place.offset, inside);
        Ok(self.decode(&words))
    }

    /// The values of an uncompressed texel's words.
    pub(crate) fn decode(&mut self, words: &[Value]) -> [Value; 4] {
        let format = self.view.format;
        match self.stage {
            Stage::Unscaled => texel::decode_unscaled(self.b, format, words),
            Stage::Linear(mask) => {
                let values = texel::decode(self.b, format, self.view.aspect, words);
                let present = texel::aspect_components(format, self.view.aspect);
                [0, 1, 2, 3].map(|index| match present[index].is_some() && mask & 1 << index != 0 {
                    true => pyro_library::texel::srgb_to_linear(self.b, values[index]),
                    false => values[index],
                })
            }
            _ => texel::decode(self.b, format, self.view.aspect, words),
        }
    }

    /// The first level that the view's least level of detail lets texels be read from.
    pub(crate) fn least_level(&mut self) -> Value {
        let least = self.field(Scalar::F32, field::LOD_MIN);
        self.b.convert(Opcode::FToS, least, Scalar::I32)
    }

    /// Address of the view's first texel.
    pub(crate) fn address(&mut self) -> Value {
        self.field(Scalar::I64, field::ADDRESS)
    }

    /// 0 and 1 in the texel's numeric class, for component mappings.
    pub(crate) fn zero_and_one(&mut self) -> (Value, Value) {
        let scalar = texel::value_scalar(self.view.format, self.view.aspect);
        match self.view.numeric_class() {
            NumericClass::Float => (self.b.float(scalar, 0.0), self.b.float(scalar, 1.0)),
            _ => (self.b.constant(scalar, 0), self.b.constant(scalar, 1)),
        }
    }

    /// The view's component mapping.
    pub(crate) fn swizzle(&mut self, values: [Value; 4]) -> [Value; 4] {
        let (zero, one) = self.zero_and_one();
        self.view.swizzle.map(|swizzle| match swizzle.component() {
            Some(index) => values[index],
            None if swizzle == crate::key::Swizzle::One => one,
            None => zero,
        })
    }

    /// Writes results to the texel columns, of 64-bit ones the high halves too.
    pub(crate) fn store_texel(&mut self, values: &[Value]) {
        for (index, &value) in (0..).zip(values) {
            let scalar = self.b.function.ty(value).scalar;
            if scalar.bits() == 32 {
                self.store_column(record::TEXEL + index, value);
                continue;
            }
            let value = self.b.bitcast(value, Scalar::I64);
            let shift = self.b.i64(32);
            let high = self.b.lshr(value, shift);
            let (low, high) = (self.b.resize_u(value, Scalar::I32), self.b.resize_u(high, Scalar::I32));
            self.store_column(record::TEXEL + index, low);
            self.store_column(record::TEXEL_HIGH + index, high);
        }
    }
}

/// The integer that a float is, whose magnitude is below 2^22: the conversion of any float takes longer.
pub(crate) fn small_integer(b: &mut Builder, integral: Value) -> Value {
    const SHIFT: f32 = 12_582_912.0; // 1.5 * 2^23: integers from 2^23 to 2^24 are the mantissa's last bits.
    let (shift, bits) = (b.f32(SHIFT), b.i32(SHIFT.to_bits()));
    let shifted = b.fadd(integral, shift);
    let shifted = b.bitcast(shifted, Scalar::I32);
    b.isub(shifted, bits)
}

/// Values by one of two ways: a branch.
pub(crate) fn if_else(
    access: &mut Access,
    condition: Value,
    then: impl FnOnce(&mut Access) -> Result<Vec<Value>, BuildError>,
    otherwise: impl FnOnce(&mut Access) -> Result<Vec<Value>, BuildError>,
) -> Result<Vec<Value>, BuildError> {
    let header = access.header_block();
    let function = &mut *access.b.function;
    let [then_block, else_block, merge] = [(); 3].map(|()| function.make_block());
    access.b.function.blocks[header].merge = Some(Merge::Selection { merge });
    access.b.branch(condition, BlockCall::new(then_block, &[]), BlockCall::new(else_block, &[]));
    access.b.start(then_block);
    let values = then(access)?;
    access.b.jump(merge, &values);
    access.b.start(else_block);
    let other = otherwise(access)?;
    access.b.jump(merge, &other);
    let params =
        values.iter().map(|&value| access.b.function.add_param(merge, access.b.function.ty(value))).collect();
    access.b.start(merge);
    Ok(params)
}

/// Values by one of several ways: those that `case` makes for selectors below `count`, else `otherwise`'s.
pub(crate) fn switch(
    access: &mut Access,
    selector: Value,
    count: usize,
    mut case: impl FnMut(&mut Access, usize) -> Result<Vec<Value>, BuildError>,
    otherwise: impl FnOnce(&mut Access) -> Result<Vec<Value>, BuildError>,
) -> Result<Vec<Value>, BuildError> {
    let header = access.header_block();
    let function = &mut *access.b.function;
    let blocks: Vec<Block> = (0..count).map(|_| function.make_block()).collect();
    let [default, merge] = [(); 2].map(|()| function.make_block());
    access.b.function.blocks[header].merge = Some(Merge::Selection { merge });
    let cases = (0..).zip(&blocks).map(|(literal, &block)| (literal, BlockCall::new(block, &[]))).collect();
    let default_call = BlockCall::new(default, &[]);
    access.b.terminate(Terminator::Switch { selector, cases, default: default_call });
    for (number, &block) in blocks.iter().enumerate() {
        access.b.start(block);
        let values = case(access, number)?;
        access.b.jump(merge, &values);
    }
    access.b.start(default);
    let values = otherwise(access)?;
    access.b.jump(merge, &values);
    let params =
        values.iter().map(|&value| access.b.function.add_param(merge, access.b.function.ty(value))).collect();
    access.b.start(merge);
    Ok(params)
}

/// A loop: while `condition` holds of the state, `body` makes the next one. Gives the last state.
pub(crate) fn repeat(
    access: &mut Access,
    start: &[Value],
    condition: impl FnOnce(&mut Access, &[Value]) -> Value,
    body: impl FnOnce(&mut Access, &[Value]) -> Result<Vec<Value>, BuildError>,
) -> Result<Vec<Value>, BuildError> {
    let function = &mut *access.b.function;
    let [header, inside, again, behind]: [Block; 4] = [(); 4].map(|()| function.make_block());
    let types: Vec<Type> = start.iter().map(|&value| function.ty(value)).collect();
    let state: Vec<Value> = types.iter().map(|&ty| function.add_param(header, ty)).collect();
    let next: Vec<Value> = types.iter().map(|&ty| function.add_param(again, ty)).collect();
    let end: Vec<Value> = types.iter().map(|&ty| function.add_param(behind, ty)).collect();
    access.b.jump(header, start);
    access.b.start(header);
    access.b.function.blocks[header].merge = Some(Merge::Loop { merge: behind, continue_target: again });
    let goes_on = condition(access, &state);
    access.b.branch(goes_on, BlockCall::new(inside, &[]), BlockCall::new(behind, &state));
    access.b.start(inside);
    let made = body(access, &state)?;
    access.b.jump(again, &made);
    access.b.start(again);
    access.b.jump(header, &next);
    access.b.start(behind);
    Ok(end)
}

/// A 64-bit word of the call record's header.
fn header(b: &mut Builder, offset: u32) -> Value {
    let base = b.arg(1);
    context_load(b, Scalar::I64, base, offset)
}

/// A field of a record that nothing writes meanwhile.
fn context_load(b: &mut Builder, scalar: Scalar, base: Value, offset: u32) -> Value {
    let (zero, always) = (b.i32(0), b.bool(true));
    let place = MemoryOp::new(Space::Context).at(offset as i32).speculatable();
    b.load(scalar, place, base, zero, always)
}
