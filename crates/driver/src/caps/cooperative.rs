//! The products of cooperative matrices and vectors that the device lists.

use pyro_compile::strict::{ComponentType, CooperativeMatrixProperties, CooperativeVectorProperties};
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

/// All of them, for matrices of a subgroup. Any size works; listed is what the code is best for: rows that
/// fill a register. Listed is each type as a factor, and as a sum of its own where that has 16 bits or
/// more, and of the wider type that is usual.
///
/// What fewest devices have comes first: programs that skip what they do not know (`op_constant_null` of the
/// Khronos tests) read past the end when the list ends with it.
pub fn products() -> Vec<Product> {
    use vk::ComponentTypeKHR as T;
    let size = [16, 16, 16];
    let mut list = Vec::new();
    let floats = [
        [T::FLOAT64; 4],
        [T::FLOAT32; 4],
        [T::FLOAT16, T::FLOAT16, T::FLOAT32, T::FLOAT32],
        [T::FLOAT16, T::FLOAT16, T::FLOAT16, T::FLOAT16],
        [T::BFLOAT16, T::BFLOAT16, T::FLOAT32, T::FLOAT32],
        [T::BFLOAT16, T::BFLOAT16, T::BFLOAT16, T::BFLOAT16],
        [T::FLOAT8_E4M3_EXT, T::FLOAT8_E4M3_EXT, T::FLOAT32, T::FLOAT32],
        [T::FLOAT8_E5M2_EXT, T::FLOAT8_E5M2_EXT, T::FLOAT32, T::FLOAT32],
        [T::FLOAT8_E4M3_EXT, T::FLOAT8_E4M3_EXT, T::FLOAT16, T::FLOAT16],
        [T::FLOAT8_E5M2_EXT, T::FLOAT8_E5M2_EXT, T::FLOAT16, T::FLOAT16],
    ];
    list.extend(floats.map(|types| Product { size, types, saturating: false }));
    let wide = [T::SINT64, T::UINT64, T::SINT32, T::UINT32].map(|ty| [ty; 4]);
    list.extend(wide.map(|types| Product { size, types, saturating: false }));
    let narrow = [
        [T::SINT16; 4],
        [T::UINT16; 4],
        [T::SINT16, T::SINT16, T::SINT32, T::SINT32],
        [T::UINT16, T::UINT16, T::UINT32, T::UINT32],
    ];
    for saturating in [true, false] {
        list.extend(narrow.map(|types| Product { size, types, saturating }));
    }
    let bytes = [
        [T::SINT8, T::SINT8, T::SINT32, T::SINT32],
        [T::UINT8, T::UINT8, T::UINT32, T::UINT32],
        [T::UINT8, T::SINT8, T::SINT32, T::SINT32],
        [T::SINT8, T::UINT8, T::SINT32, T::SINT32],
    ];
    for saturating in [true, false] {
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

/// Invocations of the largest workgroup that shares matrices.
pub const WORKGROUP_SIZE_MAX: u32 = 1024;
/// Rows or columns of the largest matrix.
pub const DIMENSION_MAX: u32 = 256;
/// Rows and columns of matrices of any size are multiples of this: rows fill registers.
const GRANULARITY: u32 = 16;

/// Products of matrices of flexible size: what their sizes are multiples of, and the invocations of a
/// workgroup that shares them, none where a subgroup does.
pub fn flexible_products() -> Vec<(Product, Option<u32>)> {
    let mut list = products();
    list.retain(|product| product.size == [GRANULARITY; 3]);
    let workgroups = (5..).map(|bits| 1 << bits).take_while(|&size| size <= WORKGROUP_SIZE_MAX);
    let scopes: Vec<Option<u32>> = [None].into_iter().chain(workgroups.map(Some)).collect();
    scopes.iter().flat_map(|&scope| list.iter().map(move |&product| (product, scope))).collect()
}

/// Products of a subgroup's matrices, or of those that a workgroup of so many invocations shares, whose sizes
/// are multiples of those listed; and whether accumulation saturates.
pub fn products_of(workgroup: Option<u32>, saturating: bool) -> Vec<Product> {
    let flexible = flexible_products().into_iter();
    let asked = flexible.filter(|(product, scope)| *scope == workgroup && product.saturating == saturating);
    asked.map(|(product, _)| product).collect()
}

/// The same for the rules on shaders.
pub(crate) fn listed() -> Vec<CooperativeMatrixProperties> {
    let listed = |product: Product, is_shared: bool, is_flexible| CooperativeMatrixProperties {
        size: product.size,
        types: product.types.map(|ty| ComponentType(ty.as_raw() as u32)),
        scope: if is_shared { vk::ScopeKHR::WORKGROUP } else { vk::ScopeKHR::SUBGROUP }.as_raw() as u32,
        is_flexible,
    };
    let fixed = products().into_iter().map(|product| listed(product, false, false));
    let flexible = flexible_products().into_iter();
    fixed.chain(flexible.map(|(product, size)| listed(product, size.is_some(), true))).collect()
}

/// Stages that have cooperative vectors: all, since each invocation has its own.
pub const VECTOR_STAGES: vk::ShaderStageFlags = vk::ShaderStageFlags::from_bits_truncate(
    vk::ShaderStageFlags::COMPUTE.bits()
        | vk::ShaderStageFlags::ALL_GRAPHICS.bits()
        | vk::ShaderStageFlags::TASK_EXT.bits()
        | vk::ShaderStageFlags::MESH_EXT.bits(),
);

/// A product of a matrix in memory and a cooperative vector that is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VectorProduct {
    /// `inputType`
    pub input: vk::ComponentTypeKHR,
    /// `inputInterpretation`
    pub interpretation: vk::ComponentTypeKHR,
    /// `matrixInterpretation`
    pub matrix: vk::ComponentTypeKHR,
    /// `biasInterpretation`
    pub bias: vk::ComponentTypeKHR,
    /// `resultType`
    pub result: vk::ComponentTypeKHR,
    /// `transpose`
    pub transpose: bool,
}

/// All of them.
pub fn vector_products() -> Vec<VectorProduct> {
    use vk::ComponentTypeKHR as T;
    let mut list = Vec::new();
    let mut add = |[input, interpretation, matrix, bias, result]: [T; 5]| {
        for transpose in [false, true] {
            list.push(VectorProduct { input, interpretation, matrix, bias, result, transpose });
        }
    };
    for input in [T::FLOAT16, T::FLOAT32] {
        for kind in [T::FLOAT16, T::FLOAT8_E4M3_EXT, T::FLOAT8_E5M2_EXT, T::FLOAT32] {
            if kind == T::FLOAT32 && input == T::FLOAT16 {
                continue;
            }
            for result in [T::FLOAT16, T::FLOAT32] {
                for bias in [T::FLOAT16, T::FLOAT32] {
                    add([input, kind, kind, bias, result]);
                }
            }
        }
    }
    for input in [T::SINT8, T::UINT8, T::SINT32, T::UINT32, T::FLOAT16, T::FLOAT32] {
        for interpretation in [T::SINT8, T::UINT8] {
            for matrix in [T::SINT8, T::UINT8] {
                for result in [T::SINT32, T::UINT32] {
                    add([input, interpretation, matrix, result, result]);
                }
            }
        }
    }
    for interpretation in [T::SINT8_PACKED_NV, T::UINT8_PACKED_NV] {
        for matrix in [T::SINT8, T::UINT8] {
            for result in [T::SINT32, T::UINT32] {
                add([T::UINT32, interpretation, matrix, result, result]);
            }
        }
    }
    list
}

/// The same for the rules on shaders.
pub(crate) fn listed_vectors() -> Vec<CooperativeVectorProperties> {
    let number = |ty: vk::ComponentTypeKHR| ComponentType(ty.as_raw() as u32);
    let listed = |product: VectorProduct| CooperativeVectorProperties {
        input: number(product.input),
        input_interpretation: number(product.interpretation),
        matrix_interpretation: number(product.matrix),
        bias_interpretation: number(product.bias),
        result: number(product.result),
        transpose: product.transpose,
    };
    vector_products().into_iter().map(listed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_ends_with_products_that_all_programs_know() {
        use vk::ComponentTypeKHR as T;
        let list = products();
        let narrow = [T::FLOAT16, T::BFLOAT16, T::SINT8, T::UINT8];
        let common = |one: &Product| !one.saturating && narrow.contains(&one.types[0]);
        assert!(list.iter().any(|one| !common(one)));
        assert!(common(&list[list.len() - 1]), "{:?}", list[list.len() - 1]);
    }
}
