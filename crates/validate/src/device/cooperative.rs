//! What devices list of cooperative matrices and vectors by commands of their own.

/// `VkComponentTypeKHR`, as its number in the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ComponentType(pub u32);

impl ComponentType {
    /// `VK_COMPONENT_TYPE_FLOAT16_KHR`
    pub const FLOAT16: ComponentType = ComponentType(0);
    /// `VK_COMPONENT_TYPE_FLOAT32_KHR`
    pub const FLOAT32: ComponentType = ComponentType(1);
    /// `VK_COMPONENT_TYPE_BFLOAT16_KHR`
    pub const BFLOAT16: ComponentType = ComponentType(1_000_141_000);
    /// `VK_COMPONENT_TYPE_FLOAT8_E4M3_EXT`
    pub const FLOAT8_E4M3: ComponentType = ComponentType(1_000_491_002);
    /// `VK_COMPONENT_TYPE_FLOAT8_E5M2_EXT`
    pub const FLOAT8_E5M2: ComponentType = ComponentType(1_000_491_003);

    /// That of an IEEE 754 float of so many bits.
    pub fn float(width: u32) -> Option<ComponentType> {
        Some(ComponentType(match width {
            16 => 0,
            32 => 1,
            64 => 2,
            _ => return None,
        }))
    }

    /// That of an integer of so many bits.
    pub fn integer(width: u32, is_signed: bool) -> Option<ComponentType> {
        let size = [8, 16, 32, 64].iter().position(|found| *found == width)? as u32;
        Some(ComponentType(if is_signed { 3 } else { 7 } + size))
    }
}

/// `VkCooperativeMatrixPropertiesKHR`, also for the extension before it. `C` and the result may differ in
/// type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CooperativeMatrixProperties {
    /// `MSize`, `NSize`, `KSize`; granularities where [`is_flexible`](Self::is_flexible).
    pub size: [u32; 3],
    /// `AType`, `BType`, `CType`, `ResultType`
    pub types: [ComponentType; 4],
    /// `scope`: `VkScopeKHR`, whose numbers are those of SPIR-V.
    pub scope: u32,
    /// Whether sizes are granularities (`VkCooperativeMatrixFlexibleDimensionsPropertiesNV`).
    pub is_flexible: bool,
}

/// `VkCooperativeVectorPropertiesNV`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CooperativeVectorProperties {
    /// `inputType`
    pub input: ComponentType,
    /// `inputInterpretation`
    pub input_interpretation: ComponentType,
    /// `matrixInterpretation`
    pub matrix_interpretation: ComponentType,
    /// `biasInterpretation`
    pub bias_interpretation: ComponentType,
    /// `resultType`
    pub result: ComponentType,
    /// `transpose`
    pub transpose: bool,
}

impl CooperativeMatrixProperties {
    /// Whether a size in one of the dimensions M, N, K is one of these.
    pub fn has_size(&self, dimension: usize, size: u32) -> bool {
        let own = self.size[dimension];
        own == size || self.is_flexible && own != 0 && size.is_multiple_of(own)
    }
}
