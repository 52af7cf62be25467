//! Tensors (`VK_ARM_tensors`; specification, "Resource Creation", "Tensors").
//!
//! Both tilings lie in memory alike: packed, or as the application's strides say.

use crate::caps::limits::MEMORY_TYPE_BITS;
use crate::error::{Error, Result};
use crate::objects::memory::DeviceMemory;
use crate::objects::memory::mapped::Range;
use pyro_abi::tensor::{BYTES_MAX, DIMENSIONS_MAX, TensorRecord};
use pyro_util::record_pool::RecordPool;
use smallvec::SmallVec;
use std::sync::{Arc, OnceLock};
use vulkanalia_sys as vk;

/// What tensors ask of the offset they are bound at.
pub const TENSOR_ALIGNMENT: u64 = 64;

/// The formats of elements, with their sizes in bytes: those that shaders have types for.
const FORMATS: [(vk::Format, u32); 15] = [
    (vk::Format::R8_BOOL_ARM, 1),
    (vk::Format::R8_UINT, 1),
    (vk::Format::R8_SINT, 1),
    (vk::Format::R16_UINT, 2),
    (vk::Format::R16_SINT, 2),
    (vk::Format::R16_SFLOAT, 2),
    (vk::Format::R16_SFLOAT_FPENCODING_BFLOAT16_ARM, 2),
    (vk::Format::R8_SFLOAT_FPENCODING_FLOAT8E4M3_ARM, 1),
    (vk::Format::R8_SFLOAT_FPENCODING_FLOAT8E5M2_ARM, 1),
    (vk::Format::R32_UINT, 4),
    (vk::Format::R32_SINT, 4),
    (vk::Format::R32_SFLOAT, 4),
    (vk::Format::R64_UINT, 8),
    (vk::Format::R64_SINT, 8),
    (vk::Format::R64_SFLOAT, 8),
];

/// What tensors of a format can do, of either tiling.
pub fn features(format: vk::Format) -> vk::FormatFeatureFlags2 {
    use vk::FormatFeatureFlags2 as F;
    match element_bytes(format) {
        Some(_) if format == vk::Format::R64_SFLOAT => {
            F::TENSOR_SHADER_ARM | F::TRANSFER_SRC | F::TRANSFER_DST
        }
        // Operators of data graphs have all types but that one.
        Some(_) => F::TENSOR_SHADER_ARM | F::TENSOR_DATA_GRAPH_ARM | F::TRANSFER_SRC | F::TRANSFER_DST,
        None => F::empty(),
    }
}

/// Bytes of an element of a format that tensors may have.
fn element_bytes(format: vk::Format) -> Option<u32> {
    FORMATS.iter().find(|(one, _)| *one == format).map(|(_, bytes)| *bytes)
}

/// What a tensor is made from (`VkTensorDescriptionARM`).
#[derive(Clone, Debug)]
pub struct TensorInfo<'i> {
    /// How it lies in memory.
    pub tiling: vk::TensorTilingARM,
    /// Of its elements.
    pub format: vk::Format,
    /// Elements along each dimension, the outermost first.
    pub dimensions: &'i [i64],
    /// Bytes from one element to the next along each dimension; none: packed.
    pub strides: Option<&'i [i64]>,
    /// What it may be used for.
    pub usage: vk::TensorUsageFlagsARM,
}

/// A `VkTensorARM`.
pub struct Tensor {
    format: vk::Format,
    element_bytes: u32,
    dimensions: SmallVec<[u32; 4]>,
    strides: SmallVec<[u32; 4]>,
    size: u64,
    bound: OnceLock<(Arc<DeviceMemory>, u64)>,
    /// The view that descriptors in heaps name: all formats have the same.
    heap_view: OnceLock<TensorView>,
}

impl Tensor {
    /// A tensor without memory.
    ///
    /// # Errors
    /// For formats that have no tensors, sizes and strides beyond the limits or of elements that overlap, and
    /// usages of features that do not exist.
    pub fn new(info: &TensorInfo<'_>) -> Result<Tensor> {
        let element_bytes = element_bytes(info.format).ok_or_else(|| {
            Error::unsupported(format!(
                "tensors of format {:?} (VUID-VkTensorCreateInfoARM-tensorFormat-09728)",
                info.format
            ))
        })?;
        if info.usage.contains(vk::TensorUsageFlagsARM::IMAGE_ALIASING) {
            return Err(Error::unsupported(
                "tensors that share memory with images in their own layout \
                 (VUID-VkTensorCreateInfoARM-tensorFormat-09728)",
            ));
        }
        let count = info.dimensions.len();
        if count == 0 || count > DIMENSIONS_MAX {
            return Err(Error::misuse(format!(
                "a tensor of {count} dimensions (VUID-VkTensorDescriptionARM-dimensionCount-09733)"
            )));
        }
        if info.tiling == vk::TensorTilingARM::OPTIMAL && info.strides.is_some() {
            return Err(Error::misuse(
                "strides of a tensor of optimal tiling (VUID-VkTensorCreateInfoARM-tiling-09721)",
            ));
        }
        let (mut dimensions, mut strides) = (SmallVec::from_elem(0, count), SmallVec::from_elem(0, count));
        // Bytes of what lies along the dimensions behind.
        let mut inner = u64::from(element_bytes);
        for index in (0..count).rev() {
            let number =
                |value: i64| u64::try_from(value).ok().filter(|&value| (1..=BYTES_MAX).contains(&value));
            let size = number(info.dimensions[index]).ok_or_else(|| {
                Error::misuse(format!(
                    "a tensor of {} elements along a dimension (VUID-VkTensorDescriptionARM-pDimensions-09734, \
                     VUID-VkTensorDescriptionARM-pDimensions-09883)",
                    info.dimensions[index]
                ))
            })?;
            let stride = match info.strides {
                None => Some(inner),
                Some(strides) => strides.get(index).and_then(|&stride| number(stride)).filter(|stride| {
                    *stride >= inner
                        && stride.is_multiple_of(element_bytes.into())
                        && (index + 1 < count || *stride == u64::from(element_bytes))
                }),
            };
            let stride = stride.ok_or_else(|| {
                Error::misuse(
                    "a tensor's strides do not fit its dimensions (VUID-VkTensorDescriptionARM-pStrides-09736, \
                     VUID-VkTensorDescriptionARM-pStrides-09737, VUID-VkTensorDescriptionARM-pStrides-09738, \
                     VUID-VkTensorDescriptionARM-pStrides-09739)",
                )
            })?;
            inner = stride * size;
            if inner > BYTES_MAX {
                return Err(Error::new(
                    vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
                    "a tensor larger than maxTensorSize (VUID-VkTensorDescriptionARM-pStrides-09884)",
                ));
            }
            (dimensions[index], strides[index]) = (size as u32, stride as u32);
        }
        let (format, size) = (info.format, inner);
        let (bound, heap_view) = (OnceLock::new(), OnceLock::new());
        Ok(Tensor { format, element_bytes, dimensions, strides, size, bound, heap_view })
    }

    /// What memory it needs.
    pub fn requirements(&self) -> vk::MemoryRequirements {
        vk::MemoryRequirements {
            size: self.size.next_multiple_of(TENSOR_ALIGNMENT),
            alignment: TENSOR_ALIGNMENT,
            memory_type_bits: MEMORY_TYPE_BITS,
        }
    }

    /// Bytes from its first element to behind its last.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Its elements one behind the other, from bytes as it would have them.
    pub(crate) fn packed(&self, bytes: &[u8]) -> Vec<u8> {
        let dims: Vec<_> = self.dimensions.iter().copied().zip(self.strides.iter().copied()).collect();
        let (run, outer) = packed_runs(self.element_bytes, &dims);
        let rows: usize = outer.iter().map(|(count, _)| *count as usize).product();
        let mut packed = Vec::with_capacity(rows * run);
        for row in 0..rows {
            let (mut rest, mut at) = (row, 0);
            for &(count, stride) in outer.iter().rev() {
                at += rest % count as usize * stride as usize;
                rest /= count as usize;
            }
            packed.extend_from_slice(&bytes[at..at + run]);
        }
        packed
    }

    /// Gives it memory.
    ///
    /// # Errors
    /// When it has some already, or the memory does not suffice.
    pub fn bind(&self, memory: Arc<DeviceMemory>, offset: u64) -> Result<()> {
        if !offset.is_multiple_of(TENSOR_ALIGNMENT) {
            return Err(Error::misuse(
                "memoryOffset breaks the alignment (VUID-VkBindTensorMemoryInfoARM-memoryOffset-09715)",
            ));
        }
        memory.check_use(false, "VUID-VkBindTensorMemoryInfoARM-memory-09714")?;
        if Range::new(memory.block(), offset, self.size).is_none() {
            return Err(Error::misuse(
                "the tensor does not fit into the memory (VUID-VkBindTensorMemoryInfoARM-size-09716)",
            ));
        }
        self.bound.set((memory, offset)).map_err(|_| {
            Error::misuse("the tensor is bound already (VUID-VkBindTensorMemoryInfoARM-tensor-09712)")
        })
    }

    /// The view that a descriptor in a heap names, which stays as long as the tensor.
    ///
    /// # Errors
    /// As of [`TensorView::new`].
    pub fn heap_view(&self, format: vk::Format) -> Result<&TensorView> {
        let view = TensorView::new(self, format)?;
        Ok(self.heap_view.get_or_init(|| view))
    }

    /// Its bytes.
    fn range(&self) -> Result<Range> {
        let bound =
            self.bound.get().and_then(|(memory, offset)| Range::new(memory.block(), *offset, self.size));
        bound.ok_or_else(|| Error::misuse("the tensor is not bound to memory"))
    }
}

/// A `VkTensorViewARM`.
pub struct TensorView {
    /// Descriptors hold its address.
    record: Arc<[TensorRecord]>,
    #[expect(dead_code, reason = "keeps the memory")]
    range: Range,
}

impl TensorView {
    /// A view of a bound tensor.
    ///
    /// # Errors
    /// When the tensor has no memory, or elements of the format have another size.
    pub fn new(tensor: &Tensor, format: vk::Format) -> Result<TensorView> {
        if element_bytes(format) != Some(tensor.element_bytes) {
            return Err(Error::misuse(format!(
                "a view of format {format:?} of a tensor of {:?} (VUID-VkTensorViewCreateInfoARM-tensor-09743)",
                tensor.format
            )));
        }
        let range = tensor.range()?;
        let mut record = TensorRecord { address: range.address(), ..TensorRecord::default() };
        record.dimensions[..tensor.dimensions.len()].copy_from_slice(&tensor.dimensions);
        record.strides[..tensor.strides.len()].copy_from_slice(&tensor.strides);
        Ok(TensorView { record: records().place(&[record]), range })
    }

    /// Where shaders find what they read of it.
    pub fn record_address(&self) -> u64 {
        self.record.as_ptr().expose_provenance() as u64
    }
}

impl Drop for TensorView {
    fn drop(&mut self) {
        records().retire(std::mem::replace(&mut self.record, Arc::new([])), TensorRecord::default());
    }
}

/// The memory of the records that descriptors name.
fn records() -> &'static RecordPool<TensorRecord> {
    static RECORDS: OnceLock<RecordPool<TensorRecord>> = OnceLock::new();
    RECORDS.get_or_init(RecordPool::new)
}

/// How many bytes of a tensor lie side by side, and the dimensions outside: elements, and the bytes from one
/// to the next.
pub(crate) fn packed_runs(element_bytes: u32, dims: &[(u32, u32)]) -> (usize, &[(u32, u32)]) {
    let (mut run, mut inner) = (u64::from(element_bytes), dims.len());
    while inner != 0 && u64::from(dims[inner - 1].1) == run {
        inner -= 1;
        run *= u64::from(dims[inner].0);
    }
    (run as usize, &dims[..inner])
}

/// Dimensions: their elements, and the strides in two tensors.
type Outer = SmallVec<[(u32, [u32; 2]); 4]>;

/// How many bytes lie side by side in both of two tensors of equal dimensions, and the dimensions along which
/// such are apart.
fn side_by_side(source: &Tensor, target: &Tensor) -> (u64, Outer) {
    let strides = |index: usize| [source.strides[index], target.strides[index]];
    let (mut run, mut inner) = (u64::from(source.element_bytes), source.dimensions.len());
    while inner != 0 && strides(inner - 1).iter().all(|&stride| u64::from(stride) == run) {
        inner -= 1;
        run *= u64::from(source.dimensions[inner]);
    }
    (run, (0..inner).map(|index| (source.dimensions[index], strides(index))).collect())
}

/// A copy of a whole tensor to another (`vkCmdCopyTensorARM`).
pub struct TensorCopy {
    source: Range,
    target: Range,
    /// Of the dimensions but those along which bytes lie side by side in both: elements, and the strides of
    /// both.
    outer: Outer,
    /// Bytes that lie side by side.
    run: u64,
}

impl TensorCopy {
    /// Looks at both.
    ///
    /// # Errors
    /// When they have other dimensions or elements of other sizes, or no memory.
    pub fn new(source: &Tensor, target: &Tensor) -> Result<TensorCopy> {
        if source.dimensions != target.dimensions {
            return Err(Error::misuse(
                "a copy of a tensor to one of other dimensions (VUID-VkCopyTensorInfoARM-dimensionCount-09684, \
                 VUID-VkCopyTensorInfoARM-pDimensions-09685)",
            ));
        }
        if source.element_bytes != target.element_bytes {
            return Err(Error::misuse("a copy of a tensor to one of another format"));
        }
        let (run, outer) = side_by_side(source, target);
        Ok(TensorCopy { source: source.range()?, target: target.range()?, outer, run })
    }

    /// The memory of the source and of the target.
    pub(crate) fn ranges(&self) -> [&Range; 2] {
        [&self.source, &self.target]
    }

    /// Copies.
    pub(crate) fn run(&self) {
        let mut place: SmallVec<[u32; 4]> = SmallVec::from_elem(0, self.outer.len());
        loop {
            let at = |which: usize| {
                let parts = place.iter().zip(&self.outer);
                parts.map(|(&index, (_, strides))| u64::from(index) * u64::from(strides[which])).sum()
            };
            self.target.copy_part(at(1), &self.source, at(0), self.run);
            // The next place, the innermost dimension first.
            let mut dimension = self.outer.len();
            loop {
                let Some(next) = dimension.checked_sub(1) else { return };
                dimension = next;
                place[dimension] += 1;
                if place[dimension] < self.outer[dimension].0 {
                    break;
                }
                place[dimension] = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info<'i>(dimensions: &'i [i64], strides: Option<&'i [i64]>) -> TensorInfo<'i> {
        TensorInfo {
            tiling: vk::TensorTilingARM::LINEAR,
            format: vk::Format::R16_SFLOAT,
            dimensions,
            strides,
            usage: vk::TensorUsageFlagsARM::SHADER,
        }
    }

    #[test]
    fn strides_are_checked() {
        let packed = Tensor::new(&info(&[3, 5, 7], None)).unwrap();
        assert_eq!((&packed.strides[..], packed.size), (&[70, 14, 2][..], 210));
        let loose = Tensor::new(&info(&[3, 5, 7], Some(&[100, 20, 2]))).unwrap();
        assert_eq!(loose.size, 300);
        let bad: [(&[i64], &[i64]); 6] = [
            (&[3, 5], &[9, 2]),
            (&[3, 5], &[8, 2]),
            (&[3, 5], &[10, 4]),
            (&[3, 5], &[10]),
            (&[3, 0], &[10, 2]),
            (&[3, -5], &[10, 2]),
        ];
        for (dimensions, strides) in bad {
            assert!(Tensor::new(&info(dimensions, Some(strides))).is_err(), "{dimensions:?} {strides:?}");
        }
        assert!(Tensor::new(&info(&[1 << 20, 1 << 20], None)).is_err());
        assert!(Tensor::new(&info(&[], None)).is_err());
        assert!(Tensor::new(&info(&[1; 9], None)).is_err());
    }

    #[test]
    fn copies_take_what_lies_side_by_side_at_once() {
        let [packed, loose] =
            [None, Some(&[200, 20, 2][..])].map(|strides| Tensor::new(&info(&[3, 5, 10], strides)).unwrap());
        let (run, outer) = side_by_side(&packed, &loose);
        assert_eq!((run, &outer[..]), (100, &[(3, [100, 200])][..]));
        let (run, outer) = side_by_side(&packed, &packed);
        assert_eq!((run, outer.len()), (300, 0));
    }
}
