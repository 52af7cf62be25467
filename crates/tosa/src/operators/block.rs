//! Elements as numbers that are computed with, block by block.

use crate::Element;
use crate::float::{from_bf16, from_f8e4m3, from_f8e5m2, from_f16, to_bf16, to_f8e4m3, to_f8e5m2, to_f16};

/// Elements of a block: few enough to stay in the first cache.
pub(crate) const BLOCK: usize = 256;

/// Numbers that elements are computed with.
pub(crate) trait Number: Copy + Send + Sync + Default + 'static {
    /// The numbers of as many elements as `numbers` has room for.
    fn load(element: Element, bytes: &[u8], numbers: &mut [Self]);

    /// Writes numbers as elements.
    fn store(element: Element, numbers: &[Self], bytes: &mut [u8]);
}

impl Number for f32 {
    #[inline(always)]
    fn load(element: Element, bytes: &[u8], numbers: &mut [f32]) {
        load_f32(element, bytes, numbers);
    }

    #[inline(always)]
    fn store(element: Element, numbers: &[f32], bytes: &mut [u8]) {
        store_f32(element, numbers, bytes);
    }
}

impl Number for i32 {
    #[inline(always)]
    fn load(element: Element, bytes: &[u8], numbers: &mut [i32]) {
        load_i32(element, bytes, numbers);
    }

    #[inline(always)]
    fn store(element: Element, numbers: &[i32], bytes: &mut [u8]) {
        store_i32(element, numbers, bytes);
    }
}

impl Number for i64 {
    #[inline(always)]
    fn load(element: Element, bytes: &[u8], numbers: &mut [i64]) {
        load_i64(element, bytes, numbers);
    }

    #[inline(always)]
    fn store(element: Element, numbers: &[i64], bytes: &mut [u8]) {
        store_i64(element, numbers, bytes);
    }
}

/// Converts chunks of bytes.
#[inline(always)]
fn read<const N: usize, T>(bytes: &[u8], numbers: &mut [T], convert: impl Fn([u8; N]) -> T) {
    for (number, &chunk) in numbers.iter_mut().zip(bytes.as_chunks::<N>().0) {
        *number = convert(chunk);
    }
}

/// Converts to chunks of bytes.
#[inline(always)]
fn write<const N: usize, T: Copy>(numbers: &[T], bytes: &mut [u8], convert: impl Fn(T) -> [u8; N]) {
    for (chunk, &number) in bytes.as_chunks_mut::<N>().0.iter_mut().zip(numbers) {
        *chunk = convert(number);
    }
}

/// Elements of a floating-point type.
#[inline(always)]
pub(crate) fn load_f32(element: Element, bytes: &[u8], numbers: &mut [f32]) {
    match element {
        Element::F32 => read(bytes, numbers, f32::from_le_bytes),
        Element::F16 => read(bytes, numbers, |bytes| from_f16(u16::from_le_bytes(bytes))),
        Element::Bf16 => read(bytes, numbers, |bytes| from_bf16(u16::from_le_bytes(bytes))),
        Element::F8E4M3 => read(bytes, numbers, |[byte]| from_f8e4m3(byte)),
        Element::F8E5M2 => read(bytes, numbers, |[byte]| from_f8e5m2(byte)),
        // Integers too are read as numbers of this kind by casts, which go through 64 bits.
        Element::Bool | Element::I8 | Element::I16 | Element::I32 | Element::I48 => {}
    }
}

/// To elements of a floating-point type, rounded.
#[inline(always)]
pub(crate) fn store_f32(element: Element, numbers: &[f32], bytes: &mut [u8]) {
    match element {
        Element::F32 => write(numbers, bytes, f32::to_le_bytes),
        Element::F16 => write(numbers, bytes, |number| to_f16(number).to_le_bytes()),
        Element::Bf16 => write(numbers, bytes, |number| to_bf16(number).to_le_bytes()),
        Element::F8E4M3 => write(numbers, bytes, |number| [to_f8e4m3(number)]),
        Element::F8E5M2 => write(numbers, bytes, |number| [to_f8e5m2(number)]),
        Element::Bool | Element::I8 | Element::I16 | Element::I32 | Element::I48 => {}
    }
}

/// Elements of an integer type, or truth values as 0 and 1; of 64 bits the lower 32.
#[inline(always)]
pub(crate) fn load_i32(element: Element, bytes: &[u8], numbers: &mut [i32]) {
    match element {
        Element::Bool => read(bytes, numbers, |[byte]| i32::from(byte != 0)),
        Element::I8 => read(bytes, numbers, |[byte]| i32::from(byte as i8)),
        Element::I16 => read(bytes, numbers, |bytes| i16::from_le_bytes(bytes).into()),
        Element::I32 => read(bytes, numbers, i32::from_le_bytes),
        Element::I48 => read(bytes, numbers, |bytes| i64::from_le_bytes(bytes) as i32),
        Element::F8E4M3 | Element::F8E5M2 | Element::F16 | Element::Bf16 | Element::F32 => {}
    }
}

/// To elements of an integer type, cut to its bits; to truth values, whether they are not zero.
#[inline(always)]
pub(crate) fn store_i32(element: Element, numbers: &[i32], bytes: &mut [u8]) {
    match element {
        Element::Bool => write(numbers, bytes, |number| [u8::from(number != 0)]),
        Element::I8 => write(numbers, bytes, |number| [number as u8]),
        Element::I16 => write(numbers, bytes, |number| (number as i16).to_le_bytes()),
        Element::I32 => write(numbers, bytes, i32::to_le_bytes),
        Element::I48 => write(numbers, bytes, |number| i64::from(number).to_le_bytes()),
        Element::F8E4M3 | Element::F8E5M2 | Element::F16 | Element::Bf16 | Element::F32 => {}
    }
}

/// An `i48_t` from the 64 bits that hold it.
#[inline(always)]
pub(crate) fn of_48_bits(bits: i64) -> i64 {
    bits << 16 >> 16
}

/// Elements of an integer type, or truth values.
#[inline(always)]
pub(crate) fn load_i64(element: Element, bytes: &[u8], numbers: &mut [i64]) {
    match element {
        Element::Bool => read(bytes, numbers, |[byte]| i64::from(byte != 0)),
        Element::I8 => read(bytes, numbers, |[byte]| i64::from(byte as i8)),
        Element::I16 => read(bytes, numbers, |bytes| i16::from_le_bytes(bytes).into()),
        Element::I32 => read(bytes, numbers, |bytes| i32::from_le_bytes(bytes).into()),
        Element::I48 => read(bytes, numbers, |bytes| of_48_bits(i64::from_le_bytes(bytes))),
        Element::F8E4M3 | Element::F8E5M2 | Element::F16 | Element::Bf16 | Element::F32 => {}
    }
}

/// To elements of an integer type, cut to its bits.
#[inline(always)]
pub(crate) fn store_i64(element: Element, numbers: &[i64], bytes: &mut [u8]) {
    match element {
        Element::Bool => write(numbers, bytes, |number| [u8::from(number != 0)]),
        Element::I8 => write(numbers, bytes, |number| [number as u8]),
        Element::I16 => write(numbers, bytes, |number| (number as i16).to_le_bytes()),
        Element::I32 => write(numbers, bytes, |number| (number as i32).to_le_bytes()),
        Element::I48 => write(numbers, bytes, |number| of_48_bits(number).to_le_bytes()),
        Element::F8E4M3 | Element::F8E5M2 | Element::F16 | Element::Bf16 | Element::F32 => {}
    }
}

/// The one element that a slice holds.
#[inline(always)]
pub(crate) fn one<T: Number>(element: Element, bytes: &[u8]) -> T {
    let mut number = [T::default()];
    T::load(element, bytes, &mut number);
    number[0]
}
