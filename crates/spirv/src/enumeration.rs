//! Enumerations with enumerants that the package `spirv` does not have.
//!
//! An enumeration of ours takes every enumerant of the package's, by value, and adds those that published
//! extensions have and the Khronos grammar files lack (`SPV_HUAWEI_cluster_culling_shader`,
//! `SPV_EXT_ocp_microscaling_types`). Users of this crate find them in [`crate::spirv`] in the place of the
//! package's.
//!
//! Invariant: no enumerant of the package is missing (a test compares both).

use std::str::FromStr;

/// Declares an enumeration: the enumerants of the package's one of the same name, then ours.
macro_rules! enumeration {
    (
        $(#[$attribute:meta])* $name:ident { $($known:ident)* }
        adds { $($added:ident = $value:literal)* }
        aliases { $($alias:ident = $target:ident)* }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u32)]
        #[allow(missing_docs)] // Named as in the specification.
        pub enum $name {
            $($known = ::spirv::$name::$known as u32,)*
            $($added = $value,)*
        }

        #[allow(non_upper_case_globals, missing_docs)]
        impl $name {
            $(pub const $alias: Self = Self::$target;)*
        }

        impl $name {
            /// The enumerant of a value.
            pub fn from_u32(value: u32) -> Option<Self> {
                match value {
                    $(known if known == Self::$known as u32 => Some(Self::$known),)*
                    $($value => Some(Self::$added),)*
                    _ => None,
                }
            }
        }

        impl FromStr for $name {
            type Err = ();

            /// The enumerant of a name, aliases included.
            fn from_str(name: &str) -> Result<Self, ()> {
                match name {
                    $(stringify!($added) => Ok(Self::$added),)*
                    _ => Self::from_u32(name.parse::<::spirv::$name>()? as u32).ok_or(()),
                }
            }
        }
    };
}

enumeration! {
    /// Execution models.
    ExecutionModel {
        Vertex TessellationControl TessellationEvaluation Geometry Fragment GLCompute Kernel TaskNV MeshNV
        RayGenerationKHR IntersectionKHR AnyHitKHR ClosestHitKHR MissKHR CallableKHR TaskEXT MeshEXT
    }
    adds { ClusterCullingHUAWEI = 6272 }
    aliases {
        RayGenerationNV = RayGenerationKHR
        IntersectionNV = IntersectionKHR
        AnyHitNV = AnyHitKHR
        ClosestHitNV = ClosestHitKHR
        MissNV = MissKHR
        CallableNV = CallableKHR
    }
}

enumeration! {
    /// Encodings of floats that are not those of IEEE 754.
    FPEncoding { BFloat16KHR Float8E4M3EXT Float8E5M2EXT }
    adds {
        Float6E2M3EXT = 4223
        Float6E3M2EXT = 4224
        Float4E2M1EXT = 4225
        Float8UnsignedE8M0EXT = 4226
        MXInt8EXT = 4227
    }
    aliases {}
}

impl FPEncoding {
    /// Bits of a float in this encoding, the only width that `OpTypeFloat` may give it.
    pub fn width(self) -> u32 {
        match self {
            Self::BFloat16KHR => 16,
            Self::Float6E2M3EXT | Self::Float6E3M2EXT => 6,
            Self::Float4E2M1EXT => 4,
            Self::Float8E4M3EXT | Self::Float8E5M2EXT | Self::Float8UnsignedE8M0EXT | Self::MXInt8EXT => 8,
        }
    }

    /// Whether it is of `SPV_EXT_ocp_microscaling_types`: values are stored and converted only.
    pub fn is_microscaling(self) -> bool {
        Self::Float6E2M3EXT as u32 <= self as u32 && self as u32 <= Self::MXInt8EXT as u32
    }
}

enumeration! {
    /// Built-in variables.
    BuiltIn {
        Position PointSize ClipDistance CullDistance VertexId InstanceId PrimitiveId InvocationId Layer
        ViewportIndex TessLevelOuter TessLevelInner TessCoord PatchVertices FragCoord PointCoord
        FrontFacing SampleId SamplePosition SampleMask FragDepth HelperInvocation NumWorkgroups
        WorkgroupSize WorkgroupId LocalInvocationId GlobalInvocationId LocalInvocationIndex WorkDim
        GlobalSize EnqueuedWorkgroupSize GlobalOffset GlobalLinearId SubgroupSize SubgroupMaxSize
        NumSubgroups NumEnqueuedSubgroups SubgroupId SubgroupLocalInvocationId VertexIndex InstanceIndex
        CoreIDARM CoreCountARM CoreMaxIDARM WarpIDARM WarpMaxIDARM SubgroupEqMask SubgroupGeMask
        SubgroupGtMask SubgroupLeMask SubgroupLtMask BaseVertex BaseInstance DrawIndex
        PrimitiveShadingRateKHR DeviceIndex ViewIndex ShadingRateKHR TileOffsetQCOM TileDimensionQCOM
        TileApronSizeQCOM BaryCoordNoPerspAMD BaryCoordNoPerspCentroidAMD BaryCoordNoPerspSampleAMD
        BaryCoordSmoothAMD BaryCoordSmoothCentroidAMD BaryCoordSmoothSampleAMD BaryCoordPullModelAMD
        FragStencilRefEXT RemainingRecursionLevelsAMDX ShaderIndexAMDX SamplerHeapEXT ResourceHeapEXT
        ViewportMaskNV SecondaryPositionNV SecondaryViewportMaskNV PositionPerViewNV ViewportMaskPerViewNV
        FullyCoveredEXT TaskCountNV PrimitiveCountNV PrimitiveIndicesNV ClipDistancePerViewNV
        CullDistancePerViewNV LayerPerViewNV MeshViewCountNV MeshViewIndicesNV BaryCoordKHR
        BaryCoordNoPerspKHR FragSizeEXT FragInvocationCountEXT PrimitivePointIndicesEXT
        PrimitiveLineIndicesEXT PrimitiveTriangleIndicesEXT CullPrimitiveEXT LaunchIdKHR LaunchSizeKHR
        WorldRayOriginKHR WorldRayDirectionKHR ObjectRayOriginKHR ObjectRayDirectionKHR RayTminKHR
        RayTmaxKHR InstanceCustomIndexKHR ObjectToWorldKHR WorldToObjectKHR HitTNV HitKindKHR
        CurrentRayTimeNV HitTriangleVertexPositionsKHR HitMicroTriangleVertexPositionsNV
        HitMicroTriangleVertexBarycentricsNV IncomingRayFlagsKHR RayGeometryIndexKHR HitIsSphereNV
        HitIsLSSNV HitSpherePositionNV WarpsPerSMNV SMCountNV WarpIDNV SMIDNV HitLSSPositionsNV
        HitKindFrontFacingMicroTriangleNV HitKindBackFacingMicroTriangleNV HitSphereRadiusNV HitLSSRadiiNV
        ClusterIDNV CullMaskKHR
    }
    adds {
        IndexCountHUAWEI = 6274
        VertexCountHUAWEI = 6275
        InstanceCountHUAWEI = 6276
        FirstIndexHUAWEI = 6277
        FirstVertexHUAWEI = 6278
        VertexOffsetHUAWEI = 6279
        FirstInstanceHUAWEI = 6280
        ClusterIDHUAWEI = 6281
        ClusterShadingRateHUAWEI = 6283
    }
    aliases {
        SubgroupEqMaskKHR = SubgroupEqMask
        SubgroupGeMaskKHR = SubgroupGeMask
        SubgroupGtMaskKHR = SubgroupGtMask
        SubgroupLeMaskKHR = SubgroupLeMask
        SubgroupLtMaskKHR = SubgroupLtMask
        BaryCoordNV = BaryCoordKHR
        BaryCoordNoPerspNV = BaryCoordNoPerspKHR
        FragmentSizeNV = FragSizeEXT
        InvocationsPerPixelNV = FragInvocationCountEXT
        LaunchIdNV = LaunchIdKHR
        LaunchSizeNV = LaunchSizeKHR
        WorldRayOriginNV = WorldRayOriginKHR
        WorldRayDirectionNV = WorldRayDirectionKHR
        ObjectRayOriginNV = ObjectRayOriginKHR
        ObjectRayDirectionNV = ObjectRayDirectionKHR
        RayTminNV = RayTminKHR
        RayTmaxNV = RayTmaxKHR
        InstanceCustomIndexNV = InstanceCustomIndexKHR
        ObjectToWorldNV = ObjectToWorldKHR
        WorldToObjectNV = WorldToObjectKHR
        HitKindNV = HitKindKHR
        IncomingRayFlagsNV = IncomingRayFlagsKHR
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_enumerant_of_the_package_is_missing() {
        for value in 0..1 << 16 {
            let theirs = ::spirv::ExecutionModel::from_u32(value).map(|model| format!("{model:?}"));
            let ours = ExecutionModel::from_u32(value).map(|model| format!("{model:?}"));
            assert!(theirs.is_none() || theirs == ours, "{theirs:?} {ours:?}");
            let theirs = ::spirv::BuiltIn::from_u32(value).map(|built_in| format!("{built_in:?}"));
            let ours = BuiltIn::from_u32(value).map(|built_in| format!("{built_in:?}"));
            assert!(theirs.is_none() || theirs == ours, "{theirs:?} {ours:?}");
        }
    }

    #[test]
    fn added_enumerants_have_names_and_values() {
        assert_eq!("ClusterCullingHUAWEI".parse(), Ok(ExecutionModel::ClusterCullingHUAWEI));
        assert_eq!(ExecutionModel::from_u32(6272), Some(ExecutionModel::ClusterCullingHUAWEI));
        assert_eq!(BuiltIn::from_u32(6283), Some(BuiltIn::ClusterShadingRateHUAWEI));
        assert_eq!("ClusterShadingRateHUAWEI".parse(), Ok(BuiltIn::ClusterShadingRateHUAWEI));
        assert_eq!(BuiltIn::from_u32(6282), None);
        assert_eq!("BaryCoordNV".parse(), Ok(BuiltIn::BaryCoordKHR));
    }
}
