//! Matrices of cooperative vectors from one layout and type to another
//! (`VkConvertCooperativeVectorMatrixInfoNV`), on the host and in queues.

use crate::error::{Error, Result};
use crate::objects::memory::mapped::DeviceAddresses;
use half::f16;
use pyro_abi::vector_matrix::{ComponentNumber, MatrixLayout, optimal_stride};
use pyro_compile::Float8;
use std::{iter, ops};
use vulkanalia_sys as vk;

/// Bytes that matrices are aligned to.
const ALIGNMENT: u64 = 64;

/// How a matrix lies in memory.
#[derive(Clone, Copy, Debug)]
struct Placement {
    /// What its elements are there.
    component: ComponentNumber,
    by_columns: bool,
    /// The ends of lines are written too.
    is_whole: bool,
    /// Bytes from one line to the next.
    stride: u64,
    /// Bytes of all of it.
    size: u64,
}

/// A conversion.
#[derive(Clone, Copy, Debug)]
pub struct MatrixConversion {
    rows: u32,
    columns: u32,
    from: Placement,
    to: Placement,
    /// The type that the target's elements are rounded to, whatever they are stored as.
    rounded: ComponentNumber,
    /// Bytes that there are of the source.
    source_size: u64,
    source: u64,
    target: u64,
}

impl Placement {
    fn new(
        component: vk::ComponentTypeKHR,
        layout: vk::CooperativeVectorMatrixLayoutNV,
        stride: usize,
        [rows, columns]: [u32; 2],
    ) -> Result<Placement> {
        let Some(layout) = MatrixLayout::from_number(layout.as_raw() as u32) else {
            return Err(Error::misuse(
                "no layout of a matrix (VUID-VkConvertCooperativeVectorMatrixInfoNV-srcLayout-parameter)",
            ));
        };
        let component = ComponentNumber(component.as_raw() as u32).stored(layout);
        let Some(bytes) = component.bytes() else {
            return Err(Error::misuse(
                "a type that matrices of cooperative vectors cannot have (VUID-VkConvertCooperativeVectorMatrixInfoNV-srcComponentType-10079)",
            ));
        };
        let by_columns = layout == MatrixLayout::ColumnMajor;
        let (lines, line) = if by_columns { (columns, rows) } else { (rows, columns) };
        let end = u64::from(line) * u64::from(bytes);
        let stride = match layout.is_optimal() {
            true => optimal_stride(line, bytes),
            false if (stride as u64) < end || !(stride as u64).is_multiple_of(bytes.into()) => {
                return Err(Error::misuse(
                    "the stride is less than a line, or no multiple of an element (VUID-VkConvertCooperativeVectorMatrixInfoNV-srcLayout-10077, VUID-VkConvertCooperativeVectorMatrixInfoNV-dstLayout-10078)",
                ));
            }
            false => stride as u64,
        };
        // Optimal layouts have whole lines; of others nothing behind the last element is touched.
        let last = if layout.is_optimal() { stride } else { end };
        let size =
            u64::from(lines).saturating_sub(1).checked_mul(stride).and_then(|size| size.checked_add(last));
        let size = size.filter(|&size| size <= isize::MAX as u64);
        let size = size.ok_or_else(|| Error::misuse("a matrix that is larger than all memory"))?;
        let size = if lines == 0 { 0 } else { size };
        Ok(Placement { component, by_columns, is_whole: layout.is_optimal(), stride, size })
    }

    /// The bytes that elements have, of a matrix at an address.
    fn accessed(&self, address: u64, [rows, columns]: [u32; 2]) -> Vec<ops::Range<u64>> {
        let (lines, line) = if self.by_columns { (columns, rows) } else { (rows, columns) };
        let bytes = u64::from(line) * u64::from(self.component.bytes().unwrap_or(1));
        if self.is_whole || bytes == self.stride || self.size == 0 {
            return iter::once(address..address + self.size).collect();
        }
        let starts = (0..u64::from(lines)).map(|index| address + index * self.stride);
        starts.map(|start| start..start + bytes).collect()
    }

    /// Bytes to an element.
    fn offset(&self, row: u32, column: u32, bytes: u32) -> u64 {
        let (line, place) = if self.by_columns { (column, row) } else { (row, column) };
        u64::from(line) * self.stride + u64::from(place) * u64::from(bytes)
    }
}

impl MatrixConversion {
    /// What an application asks for. Addresses are of host or device, which are the same.
    ///
    /// # Errors
    /// When layouts, strides or types are none that there are, or do not go together.
    pub fn new(info: &vk::ConvertCooperativeVectorMatrixInfoNV, source: u64, target: u64) -> Result<Self> {
        let shape = [info.num_rows, info.num_columns];
        let rounded = ComponentNumber(info.dst_component_type.as_raw() as u32);
        let given = ComponentNumber(info.src_component_type.as_raw() as u32);
        let is_integer = |one| matches!(one, ComponentNumber::SINT8 | ComponentNumber::UINT8);
        if given != rounded && (is_integer(given) || is_integer(rounded)) {
            return Err(Error::misuse(
                "a conversion of integers to another type (VUID-VkConvertCooperativeVectorMatrixInfoNV-srcComponentType-10081)",
            ));
        }
        let from = Placement::new(info.src_component_type, info.src_layout, info.src_stride, shape)?;
        let to = Placement::new(info.dst_component_type, info.dst_layout, info.dst_stride, shape)?;
        let [rows, columns] = shape;
        Ok(MatrixConversion {
            rows,
            columns,
            from,
            to,
            rounded,
            source_size: info.src_size as u64,
            source,
            target,
        })
    }

    /// Bytes that the target of what an application asks for takes: in optimal layouts whole cache lines, so
    /// that another matrix may lie right behind it. What the source is does not matter.
    ///
    /// # Errors
    /// When layout, stride or type of the target are none that there are.
    pub fn target_size(info: &vk::ConvertCooperativeVectorMatrixInfoNV) -> Result<u64> {
        let shape = [info.num_rows, info.num_columns];
        let to = Placement::new(info.dst_component_type, info.dst_layout, info.dst_stride, shape)?;
        Ok(if to.is_whole { to.size.next_multiple_of(ALIGNMENT) } else { to.size })
    }

    /// Whether there is as much of the source as it takes.
    pub fn has_source(&self) -> bool {
        self.from.size <= self.source_size
    }

    /// The addresses that it reads, and those that it writes.
    pub(crate) fn ranges(&self) -> [Vec<ops::Range<u64>>; 2] {
        let shape = [self.rows, self.columns];
        [self.from.accessed(self.source, shape), self.to.accessed(self.target, shape)]
    }

    /// Reads the source and writes the target: in optimal layouts whole lines, whose ends are zero.
    pub fn run(&self, memory: DeviceAddresses) {
        if self.from.size == 0 || self.to.size == 0 {
            return;
        }
        let source = memory.range(self.source, self.from.size);
        let target = memory.range(self.target, self.to.size);
        let (read, written) = (self.from.component, self.to.component);
        let is_copy = read == written && written == self.rounded;
        let [from_bytes, to_bytes] = [read, written].map(|one| one.bytes().unwrap_or(1));
        let (mut from, mut to) = ([0; 4], [0; 4]);
        let (from, to) = (&mut from[..from_bytes as usize], &mut to[..to_bytes as usize]);
        for row in 0..self.rows {
            for column in 0..self.columns {
                source.read(self.from.offset(row, column, from_bytes), from);
                if is_copy {
                    to.copy_from_slice(from);
                } else {
                    encode(round(decode(from, read), self.rounded), written, to);
                }
                target.write(self.to.offset(row, column, to_bytes), to);
            }
            if self.to.is_whole {
                let (end, next) =
                    (self.to.offset(row, self.columns, to_bytes), self.to.offset(row + 1, 0, to_bytes));
                (end..next).for_each(|offset| target.write(offset, &[0]));
            }
        }
    }
}

/// The float that an element's bytes are.
fn decode(bytes: &[u8], component: ComponentNumber) -> f32 {
    match (component, bytes) {
        (ComponentNumber::FLOAT16, &[low, high]) => f16::from_bits(u16::from_le_bytes([low, high])).to_f32(),
        (ComponentNumber::FLOAT8_E4M3, &[byte]) => Float8::E4M3.decode(byte) as f32,
        (ComponentNumber::FLOAT8_E5M2, &[byte]) => Float8::E5M2.decode(byte) as f32,
        (_, &[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]),
        _ => 0.0,
    }
}

/// A float as an element, rounded to nearest; what is too large becomes the infinity, or NaN where there is
/// none.
fn encode(number: f32, component: ComponentNumber, bytes: &mut [u8]) {
    let small = |kind: Float8| kind.encode(number.into());
    match component {
        ComponentNumber::FLOAT16 => bytes.copy_from_slice(&f16::from_f32(number).to_bits().to_le_bytes()),
        ComponentNumber::FLOAT8_E4M3 => bytes[0] = small(Float8::E4M3),
        ComponentNumber::FLOAT8_E5M2 => bytes[0] = small(Float8::E5M2),
        _ => bytes.copy_from_slice(&number.to_le_bytes()),
    }
}

/// A float as the nearest of a type.
fn round(number: f32, component: ComponentNumber) -> f32 {
    let mut bytes = [0; 4];
    let bytes = &mut bytes[..component.bytes().unwrap_or(4) as usize];
    encode(number, component, bytes);
    decode(bytes, component)
}
