//! Types of tensors: packed, the last dimension innermost.

use crate::{Element, GraphError, RANK_MAX, TENSOR_BYTES_MAX};
use smallvec::SmallVec;
use std::fmt;

/// Elements along each dimension, the outermost first.
pub type Shape = SmallVec<[u32; 6]>;

/// The element type and the shape of a tensor. Without dimensions it is one element.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorType {
    element: Element,
    shape: Shape,
    count: usize,
}

impl TensorType {
    /// A type.
    ///
    /// # Errors
    /// When a dimension is zero, or the tensor has more dimensions or bytes than there may be.
    pub fn new(element: Element, shape: &[u32]) -> Result<TensorType, GraphError> {
        if shape.len() > RANK_MAX {
            return Err(GraphError::Limit(format!("a tensor of {} dimensions", shape.len())));
        }
        if shape.contains(&0) {
            return Err(GraphError::Invalid(format!("a tensor of the shape {shape:?} has no elements")));
        }
        let count = shape.iter().try_fold(1_u64, |count, &size| count.checked_mul(size.into()));
        let is_small = |count: &u64| *count <= TENSOR_BYTES_MAX / element.bytes() as u64;
        let count = count.filter(is_small).ok_or_else(|| {
            GraphError::Limit(format!("a tensor of the shape {shape:?} is larger than maxTensorSize"))
        })?;
        Ok(TensorType { element, shape: shape.into(), count: count as usize })
    }

    /// The type of one element without dimensions, as attributes have.
    pub fn scalar(element: Element) -> TensorType {
        TensorType { element, shape: Shape::new(), count: 1 }
    }

    /// Of its elements.
    pub fn element(&self) -> Element {
        self.element
    }

    /// Elements along each dimension.
    pub fn shape(&self) -> &[u32] {
        &self.shape
    }

    /// Dimensions.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// Elements.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Bytes.
    pub fn bytes(&self) -> usize {
        self.count * self.element.bytes()
    }

    /// Elements along the dimensions before `axis`, along it, and behind it.
    pub(crate) fn around(&self, axis: usize) -> [usize; 3] {
        let product = |sizes: &[u32]| sizes.iter().map(|&size| size as usize).product::<usize>();
        [product(&self.shape[..axis]), self.shape[axis] as usize, product(&self.shape[axis + 1..])]
    }
}

impl fmt::Display for TensorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.element, self.shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_types_are_checked() {
        assert!(TensorType::new(Element::I8, &[0]).is_err());
        assert!(TensorType::new(Element::I8, &[1; RANK_MAX + 1]).is_err());
        assert!(TensorType::new(Element::F32, &[u32::MAX; 6]).is_err());
        assert!(TensorType::new(Element::F32, &[1 << 29]).is_err());
        let ty = TensorType::new(Element::I48, &[2, 3, 4]).unwrap();
        assert_eq!((ty.count(), ty.bytes(), ty.around(1)), (24, 192, [2, 3, 4]));
        assert_eq!(TensorType::scalar(Element::F16).bytes(), 2);
    }
}
