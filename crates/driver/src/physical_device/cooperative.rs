//! The products of cooperative matrices that the device lists.

use pyro_validate::device::{ComponentType, CooperativeMatrixProperties};
use vulkanalia_sys as vk;

/// One that is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Product {
    /// M, N and K.
    pub size: [u32; 3],
    /// Types of the first factor's components, the second, what is added, and the result.
    pub types: [vk::ComponentTypeKHR; 4],
    /// Accumulation saturates.
    pub saturating: bool,
}

/// All of them, for matrices of a subgroup. Any size works; listed is what the code is best for: rows that fill
/// a register.
pub fn products() -> Vec<Product> {
    use vk::ComponentTypeKHR as T;
    let size = [16, 16, 16];
    let mut list = Vec::new();
    let floats = [
        [T::FLOAT16, T::FLOAT16, T::FLOAT32, T::FLOAT32],
        [T::FLOAT16, T::FLOAT16, T::FLOAT16, T::FLOAT16],
        [T::BFLOAT16, T::BFLOAT16, T::FLOAT32, T::FLOAT32],
        [T::BFLOAT16, T::BFLOAT16, T::BFLOAT16, T::BFLOAT16],
        [T::FLOAT8_E4M3_EXT, T::FLOAT8_E4M3_EXT, T::FLOAT32, T::FLOAT32],
        [T::FLOAT8_E5M2_EXT, T::FLOAT8_E5M2_EXT, T::FLOAT32, T::FLOAT32],
        [T::FLOAT32; 4],
        [T::FLOAT64; 4],
    ];
    list.extend(floats.map(|types| Product { size, types, saturating: false }));
    let bytes = [
        [T::SINT8, T::SINT8, T::SINT32, T::SINT32],
        [T::UINT8, T::UINT8, T::UINT32, T::UINT32],
        [T::UINT8, T::SINT8, T::SINT32, T::SINT32],
        [T::SINT8, T::UINT8, T::SINT32, T::SINT32],
    ];
    for saturating in [false, true] {
        for size in [size, [16, 16, 32]] {
            list.extend(bytes.map(|types| Product { size, types, saturating }));
        }
    }
    list
}

/// Those that the first extension can name: of IEEE 754 floats and integers, not saturating.
pub fn products_nv() -> Vec<Product> {
    let mut list = products();
    list.retain(|product| {
        !product.saturating
            && product.types.iter().all(|ty| ty.as_raw() <= vk::ComponentTypeKHR::UINT64.as_raw())
    });
    list
}

/// The same for the rules on shaders.
pub(crate) fn listed() -> Vec<CooperativeMatrixProperties> {
    let listed = |product: Product| CooperativeMatrixProperties {
        size: product.size,
        types: product.types.map(|ty| ComponentType(ty.as_raw() as u32)),
        scope: vk::ScopeKHR::SUBGROUP.as_raw() as u32,
        is_flexible: false,
    };
    products().into_iter().map(listed).collect()
}
