//! The register file.
//!
//! Lanes of varying values lie in arrays of 16 ([`WIDTH`]) of their own width, a *chunk* each: a subgroup of
//! 64 has four chunks in a row, one of 4 or 8 lanes has one chunk whose upper lanes are computed along and
//! never looked at. Uniform values and masks (varying `i1`: bit `i` is lane `i`, bits past the subgroup are
//! zero) are single 64-bit words, zero-extended.

use pyro_abi::Word;
use pyro_ir::{Scalar, Type};

/// Lanes of a chunk.
pub(crate) const WIDTH: usize = 16;

/// The lanes of one chunk.
pub(crate) type Chunk<T> = [T; WIDTH];

/// Which array a value lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// A uniform value: one word.
    Uniform,
    /// A mask: one word.
    Mask,
    /// Lanes of 8 bits.
    W8,
    /// Lanes of 16 bits.
    W16,
    /// Lanes of 32 bits.
    W32,
    /// Lanes of 64 bits.
    W64,
}

impl Class {
    /// Where values of this type lie.
    pub(crate) fn of(ty: Type) -> Class {
        match ty.scalar.bits() {
            _ if ty.is_uniform() => Class::Uniform,
            1 => Class::Mask,
            8 => Class::W8,
            16 => Class::W16,
            32 => Class::W32,
            _ => Class::W64,
        }
    }
}

/// Where a value lies: its class, and its first chunk or its word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) class: Class,
    pub(crate) index: u32,
}

/// All values of a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Registers {
    pub(crate) w8: Vec<Chunk<u8>>,
    pub(crate) w16: Vec<Chunk<u16>>,
    pub(crate) w32: Vec<Chunk<u32>>,
    pub(crate) w64: Vec<Chunk<u64>>,
    pub(crate) words: Vec<u64>,
}

impl Registers {
    /// Makes room for one more value; `None` when there are too many.
    pub(crate) fn allocate(&mut self, class: Class, chunks: usize) -> Option<Place> {
        fn grow<T: Clone>(list: &mut Vec<T>, count: usize, fill: T) -> usize {
            let index = list.len();
            list.resize(index + count, fill);
            index
        }
        let index = match class {
            Class::Uniform | Class::Mask => grow(&mut self.words, 1, 0),
            Class::W8 => grow(&mut self.w8, chunks, [0; WIDTH]),
            Class::W16 => grow(&mut self.w16, chunks, [0; WIDTH]),
            Class::W32 => grow(&mut self.w32, chunks, [0; WIDTH]),
            Class::W64 => grow(&mut self.w64, chunks, [0; WIDTH]),
        };
        Some(Place { class, index: u32::try_from(index).ok().filter(|&index| index < u32::MAX / 2)? })
    }

    /// One lane's bits, zero-extended.
    pub(crate) fn lane(&self, place: Place, lane: usize) -> u64 {
        let index = place.index as usize;
        let (chunk, within) = (index + lane / WIDTH, lane % WIDTH);
        match place.class {
            Class::Uniform => self.words[index],
            Class::Mask => self.words[index] >> lane & 1,
            Class::W8 => self.w8[chunk][within].into(),
            Class::W16 => self.w16[chunk][within].into(),
            Class::W32 => self.w32[chunk][within].into(),
            Class::W64 => self.w64[chunk][within],
        }
    }

    /// Sets one lane's bits; a uniform value has one lane for all.
    pub(crate) fn set_lane(&mut self, place: Place, lane: usize, bits: u64) {
        let index = place.index as usize;
        let (chunk, within) = (index + lane / WIDTH, lane % WIDTH);
        match place.class {
            Class::Uniform => self.words[index] = bits,
            Class::Mask => self.words[index] = self.words[index] & !(1 << lane) | (bits & 1) << lane,
            Class::W8 => self.w8[chunk][within] = bits as u8,
            Class::W16 => self.w16[chunk][within] = bits as u16,
            Class::W32 => self.w32[chunk][within] = bits as u32,
            Class::W64 => self.w64[chunk][within] = bits,
        }
    }

    /// Copies a value of `chunks` chunks.
    pub(crate) fn copy(&mut self, class: Class, from: u32, to: u32, chunks: usize) {
        let (from, to) = (from as usize, to as usize);
        match class {
            Class::Uniform | Class::Mask => self.words[to] = self.words[from],
            Class::W8 => self.w8.copy_within(from..from + chunks, to),
            Class::W16 => self.w16.copy_within(from..from + chunks, to),
            Class::W32 => self.w32.copy_within(from..from + chunks, to),
            Class::W64 => self.w64.copy_within(from..from + chunks, to),
        }
    }
}

/// What a lane holds, as the type that operations on it work with.
pub(crate) trait Lane: Copy + Default {
    /// The type that has these bits.
    fn from_bits(bits: u64) -> Self;
    /// Its bits, zero-extended.
    fn bits(self) -> u64;
    /// The lanes of a chunk.
    fn read(registers: &Registers, chunk: usize) -> Chunk<Self>;
    /// Sets the lanes of a chunk.
    fn write(registers: &mut Registers, chunk: usize, lanes: Chunk<Self>);
}

macro_rules! lanes {
    ($($ty:ty, $word:ty, $array:ident, $from:expr, $to:expr;)+) => { $(
        impl Lane for $ty {
            #[inline(always)]
            fn from_bits(bits: u64) -> $ty {
                $from(bits as $word)
            }

            #[inline(always)]
            fn bits(self) -> u64 {
                u64::from($to(self))
            }

            #[inline(always)]
            fn read(registers: &Registers, chunk: usize) -> Chunk<$ty> {
                registers.$array[chunk].map($from)
            }

            #[inline(always)]
            fn write(registers: &mut Registers, chunk: usize, lanes: Chunk<$ty>) {
                registers.$array[chunk] = lanes.map($to);
            }
        }
    )+ };
}

lanes! {
    u8, u8, w8, std::convert::identity, std::convert::identity;
    u16, u16, w16, std::convert::identity, std::convert::identity;
    u32, u32, w32, std::convert::identity, std::convert::identity;
    u64, u64, w64, std::convert::identity, std::convert::identity;
    i8, u8, w8, u8::cast_signed, i8::cast_unsigned;
    i16, u16, w16, u16::cast_signed, i16::cast_unsigned;
    i32, u32, w32, u32::cast_signed, i32::cast_unsigned;
    i64, u64, w64, u64::cast_signed, i64::cast_unsigned;
    f32, u32, w32, f32::from_bits, f32::to_bits;
    f64, u64, w64, f64::from_bits, f64::to_bits;
}

/// A lane as plain bits.
pub(crate) trait Bits: Lane + Word {
    /// The lanes of a chunk, to change.
    fn chunk_mut(registers: &mut Registers, chunk: usize) -> &mut Chunk<Self>;
}

macro_rules! bits {
    ($($ty:ty, $array:ident;)+) => { $(
        impl Bits for $ty {
            #[inline(always)]
            fn chunk_mut(registers: &mut Registers, chunk: usize) -> &mut Chunk<$ty> {
                &mut registers.$array[chunk]
            }
        }
    )+ };
}

bits! {
    u8, w8;
    u16, w16;
    u32, w32;
    u64, w64;
}

/// Puts the same bits into every lane of a value.
pub(crate) fn fill(registers: &mut Registers, place: Place, scalar: Scalar, bits: u64, lanes: usize) {
    match place.class {
        Class::Uniform => registers.words[place.index as usize] = bits & scalar.mask(),
        _ => (0..lanes).for_each(|lane| registers.set_lane(place, lane, bits & scalar.mask())),
    }
}
