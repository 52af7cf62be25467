//! The table of formats, with the facts of the Vulkan registry: name, number (`VkFormat`), bytes of a texel
//! or block, then for each component its channel, first bit, width and numeric format; compressed formats
//! name their compression instead of places. A format with depth and stencil is one texel with both, in our
//! layout.

use super::{Channel, Component, Compression, FormatInfo, Numeric};

macro_rules! formats {
    ($( $name:ident $number:literal $bytes:literal
        [$($channel:ident $offset:literal $bits:literal $numeric:ident),+]
        $($compression:ident $(($($extent:literal),+))?)?; )+) => {
        /// A format: the `VkFormat` of the same name.
        #[allow(non_camel_case_types, missing_docs)] // The names are Vulkan's.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum Format { $( $name, )+ }

        impl Format {
            /// All formats in ascending order of their numbers.
            pub const ALL: &'static [Format] = &[ $( Format::$name, )+ ];
        }

        pub(super) static TABLE: &[FormatInfo] = &[ $(
            FormatInfo {
                name: stringify!($name),
                number: $number,
                block_bytes: $bytes,
                components: &[ $(
                    Component {
                        channel: Channel::$channel,
                        offset: $offset,
                        bits: $bits,
                        numeric: Numeric::$numeric,
                    },
                )+ ],
                compression: formats!(@compression $($compression $(($($extent),+))?)?),
            },
        )+ ];
    };
    (@compression $compression:ident $(($($extent:literal),+))?) => {
        Some(Compression::$compression $(($($extent),+))?)
    };
    (@compression) => { None };
}

formats! {
R4G4_UNORM_PACK8 1 1 [R 4 4 UNorm, G 0 4 UNorm];
    R4G4B4A4_UNORM_PACK16 2 2 [R 12 4 UNorm, G 8 4 UNorm, B 4 4 UNorm, A 0 4 UNorm];
    B4G4R4A4_UNORM_PACK16 3 2 [R 4 4 UNorm, G 8 4 UNorm, B 12 4 UNorm, A 0 4 UNorm];
    R5G6B5_UNORM_PACK16 4 2 [R 11 5 UNorm, G 5 6 UNorm, B 0 5 UNorm];
    B5G6R5_UNORM_PACK16 5 2 [R 0 5 UNorm, G 5 6 UNorm, B 11 5 UNorm];
    R5G5B5A1_UNORM_PACK16 6 2 [R 11 5 UNorm, G 6 5 UNorm, B 1 5 UNorm, A 0 1 UNorm];
    B5G5R5A1_UNORM_PACK16 7 2 [R 1 5 UNorm, G 6 5 UNorm, B 11 5 UNorm, A 0 1 UNorm];
    A1R5G5B5_UNORM_PACK16 8 2 [R 10 5 UNorm, G 5 5 UNorm, B 0 5 UNorm, A 15 1 UNorm];
    R8_UNORM 9 1 [R 0 8 UNorm];
    R8_SNORM 10 1 [R 0 8 SNorm];
    R8_USCALED 11 1 [R 0 8 UScaled];
    R8_SSCALED 12 1 [R 0 8 SScaled];
    R8_UINT 13 1 [R 0 8 UInt];
    R8_SINT 14 1 [R 0 8 SInt];
    R8_SRGB 15 1 [R 0 8 Srgb];
    R8G8_UNORM 16 2 [R 0 8 UNorm, G 8 8 UNorm];
    R8G8_SNORM 17 2 [R 0 8 SNorm, G 8 8 SNorm];
    R8G8_USCALED 18 2 [R 0 8 UScaled, G 8 8 UScaled];
    R8G8_SSCALED 19 2 [R 0 8 SScaled, G 8 8 SScaled];
    R8G8_UINT 20 2 [R 0 8 UInt, G 8 8 UInt];
    R8G8_SINT 21 2 [R 0 8 SInt, G 8 8 SInt];
    R8G8_SRGB 22 2 [R 0 8 Srgb, G 8 8 Srgb];
    R8G8B8_UNORM 23 3 [R 0 8 UNorm, G 8 8 UNorm, B 16 8 UNorm];
    R8G8B8_SNORM 24 3 [R 0 8 SNorm, G 8 8 SNorm, B 16 8 SNorm];
    R8G8B8_USCALED 25 3 [R 0 8 UScaled, G 8 8 UScaled, B 16 8 UScaled];
    R8G8B8_SSCALED 26 3 [R 0 8 SScaled, G 8 8 SScaled, B 16 8 SScaled];
    R8G8B8_UINT 27 3 [R 0 8 UInt, G 8 8 UInt, B 16 8 UInt];
    R8G8B8_SINT 28 3 [R 0 8 SInt, G 8 8 SInt, B 16 8 SInt];
    R8G8B8_SRGB 29 3 [R 0 8 Srgb, G 8 8 Srgb, B 16 8 Srgb];
    B8G8R8_UNORM 30 3 [R 16 8 UNorm, G 8 8 UNorm, B 0 8 UNorm];
    B8G8R8_SNORM 31 3 [R 16 8 SNorm, G 8 8 SNorm, B 0 8 SNorm];
    B8G8R8_USCALED 32 3 [R 16 8 UScaled, G 8 8 UScaled, B 0 8 UScaled];
    B8G8R8_SSCALED 33 3 [R 16 8 SScaled, G 8 8 SScaled, B 0 8 SScaled];
    B8G8R8_UINT 34 3 [R 16 8 UInt, G 8 8 UInt, B 0 8 UInt];
    B8G8R8_SINT 35 3 [R 16 8 SInt, G 8 8 SInt, B 0 8 SInt];
    B8G8R8_SRGB 36 3 [R 16 8 Srgb, G 8 8 Srgb, B 0 8 Srgb];
    R8G8B8A8_UNORM 37 4 [R 0 8 UNorm, G 8 8 UNorm, B 16 8 UNorm, A 24 8 UNorm];
    R8G8B8A8_SNORM 38 4 [R 0 8 SNorm, G 8 8 SNorm, B 16 8 SNorm, A 24 8 SNorm];
    R8G8B8A8_USCALED 39 4 [R 0 8 UScaled, G 8 8 UScaled, B 16 8 UScaled, A 24 8 UScaled];
    R8G8B8A8_SSCALED 40 4 [R 0 8 SScaled, G 8 8 SScaled, B 16 8 SScaled, A 24 8 SScaled];
    R8G8B8A8_UINT 41 4 [R 0 8 UInt, G 8 8 UInt, B 16 8 UInt, A 24 8 UInt];
    R8G8B8A8_SINT 42 4 [R 0 8 SInt, G 8 8 SInt, B 16 8 SInt, A 24 8 SInt];
    R8G8B8A8_SRGB 43 4 [R 0 8 Srgb, G 8 8 Srgb, B 16 8 Srgb, A 24 8 UNorm];
    B8G8R8A8_UNORM 44 4 [R 16 8 UNorm, G 8 8 UNorm, B 0 8 UNorm, A 24 8 UNorm];
    B8G8R8A8_SNORM 45 4 [R 16 8 SNorm, G 8 8 SNorm, B 0 8 SNorm, A 24 8 SNorm];
    B8G8R8A8_USCALED 46 4 [R 16 8 UScaled, G 8 8 UScaled, B 0 8 UScaled, A 24 8 UScaled];
    B8G8R8A8_SSCALED 47 4 [R 16 8 SScaled, G 8 8 SScaled, B 0 8 SScaled, A 24 8 SScaled];
    B8G8R8A8_UINT 48 4 [R 16 8 UInt, G 8 8 UInt, B 0 8 UInt, A 24 8 UInt];
    B8G8R8A8_SINT 49 4 [R 16 8 SInt, G 8 8 SInt, B 0 8 SInt, A 24 8 SInt];
    B8G8R8A8_SRGB 50 4 [R 16 8 Srgb, G 8 8 Srgb, B 0 8 Srgb, A 24 8 UNorm];
    A8B8G8R8_UNORM_PACK32 51 4 [R 0 8 UNorm, G 8 8 UNorm, B 16 8 UNorm, A 24 8 UNorm];
    A8B8G8R8_SNORM_PACK32 52 4 [R 0 8 SNorm, G 8 8 SNorm, B 16 8 SNorm, A 24 8 SNorm];
    A8B8G8R8_USCALED_PACK32 53 4 [R 0 8 UScaled, G 8 8 UScaled, B 16 8 UScaled, A 24 8 UScaled];
    A8B8G8R8_SSCALED_PACK32 54 4 [R 0 8 SScaled, G 8 8 SScaled, B 16 8 SScaled, A 24 8 SScaled];
    A8B8G8R8_UINT_PACK32 55 4 [R 0 8 UInt, G 8 8 UInt, B 16 8 UInt, A 24 8 UInt];
    A8B8G8R8_SINT_PACK32 56 4 [R 0 8 SInt, G 8 8 SInt, B 16 8 SInt, A 24 8 SInt];
    A8B8G8R8_SRGB_PACK32 57 4 [R 0 8 Srgb, G 8 8 Srgb, B 16 8 Srgb, A 24 8 UNorm];
    A2R10G10B10_UNORM_PACK32 58 4 [R 20 10 UNorm, G 10 10 UNorm, B 0 10 UNorm, A 30 2 UNorm];
    A2R10G10B10_SNORM_PACK32 59 4 [R 20 10 SNorm, G 10 10 SNorm, B 0 10 SNorm, A 30 2 SNorm];
    A2R10G10B10_USCALED_PACK32 60 4 [R 20 10 UScaled, G 10 10 UScaled, B 0 10 UScaled, A 30 2 UScaled];
    A2R10G10B10_SSCALED_PACK32 61 4 [R 20 10 SScaled, G 10 10 SScaled, B 0 10 SScaled, A 30 2 SScaled];
    A2R10G10B10_UINT_PACK32 62 4 [R 20 10 UInt, G 10 10 UInt, B 0 10 UInt, A 30 2 UInt];
    A2R10G10B10_SINT_PACK32 63 4 [R 20 10 SInt, G 10 10 SInt, B 0 10 SInt, A 30 2 SInt];
    A2B10G10R10_UNORM_PACK32 64 4 [R 0 10 UNorm, G 10 10 UNorm, B 20 10 UNorm, A 30 2 UNorm];
    A2B10G10R10_SNORM_PACK32 65 4 [R 0 10 SNorm, G 10 10 SNorm, B 20 10 SNorm, A 30 2 SNorm];
    A2B10G10R10_USCALED_PACK32 66 4 [R 0 10 UScaled, G 10 10 UScaled, B 20 10 UScaled, A 30 2 UScaled];
    A2B10G10R10_SSCALED_PACK32 67 4 [R 0 10 SScaled, G 10 10 SScaled, B 20 10 SScaled, A 30 2 SScaled];
    A2B10G10R10_UINT_PACK32 68 4 [R 0 10 UInt, G 10 10 UInt, B 20 10 UInt, A 30 2 UInt];
    A2B10G10R10_SINT_PACK32 69 4 [R 0 10 SInt, G 10 10 SInt, B 20 10 SInt, A 30 2 SInt];
    R16_UNORM 70 2 [R 0 16 UNorm];
    R16_SNORM 71 2 [R 0 16 SNorm];
    R16_USCALED 72 2 [R 0 16 UScaled];
    R16_SSCALED 73 2 [R 0 16 SScaled];
    R16_UINT 74 2 [R 0 16 UInt];
    R16_SINT 75 2 [R 0 16 SInt];
    R16_SFLOAT 76 2 [R 0 16 SFloat];
    R16G16_UNORM 77 4 [R 0 16 UNorm, G 16 16 UNorm];
    R16G16_SNORM 78 4 [R 0 16 SNorm, G 16 16 SNorm];
    R16G16_USCALED 79 4 [R 0 16 UScaled, G 16 16 UScaled];
    R16G16_SSCALED 80 4 [R 0 16 SScaled, G 16 16 SScaled];
    R16G16_UINT 81 4 [R 0 16 UInt, G 16 16 UInt];
    R16G16_SINT 82 4 [R 0 16 SInt, G 16 16 SInt];
    R16G16_SFLOAT 83 4 [R 0 16 SFloat, G 16 16 SFloat];
    R16G16B16_UNORM 84 6 [R 0 16 UNorm, G 16 16 UNorm, B 32 16 UNorm];
    R16G16B16_SNORM 85 6 [R 0 16 SNorm, G 16 16 SNorm, B 32 16 SNorm];
    R16G16B16_USCALED 86 6 [R 0 16 UScaled, G 16 16 UScaled, B 32 16 UScaled];
    R16G16B16_SSCALED 87 6 [R 0 16 SScaled, G 16 16 SScaled, B 32 16 SScaled];
    R16G16B16_UINT 88 6 [R 0 16 UInt, G 16 16 UInt, B 32 16 UInt];
    R16G16B16_SINT 89 6 [R 0 16 SInt, G 16 16 SInt, B 32 16 SInt];
    R16G16B16_SFLOAT 90 6 [R 0 16 SFloat, G 16 16 SFloat, B 32 16 SFloat];
    R16G16B16A16_UNORM 91 8 [R 0 16 UNorm, G 16 16 UNorm, B 32 16 UNorm, A 48 16 UNorm];
    R16G16B16A16_SNORM 92 8 [R 0 16 SNorm, G 16 16 SNorm, B 32 16 SNorm, A 48 16 SNorm];
    R16G16B16A16_USCALED 93 8 [R 0 16 UScaled, G 16 16 UScaled, B 32 16 UScaled, A 48 16 UScaled];
    R16G16B16A16_SSCALED 94 8 [R 0 16 SScaled, G 16 16 SScaled, B 32 16 SScaled, A 48 16 SScaled];
    R16G16B16A16_UINT 95 8 [R 0 16 UInt, G 16 16 UInt, B 32 16 UInt, A 48 16 UInt];
    R16G16B16A16_SINT 96 8 [R 0 16 SInt, G 16 16 SInt, B 32 16 SInt, A 48 16 SInt];
    R16G16B16A16_SFLOAT 97 8 [R 0 16 SFloat, G 16 16 SFloat, B 32 16 SFloat, A 48 16 SFloat];
    R32_UINT 98 4 [R 0 32 UInt];
    R32_SINT 99 4 [R 0 32 SInt];
    R32_SFLOAT 100 4 [R 0 32 SFloat];
    R32G32_UINT 101 8 [R 0 32 UInt, G 32 32 UInt];
    R32G32_SINT 102 8 [R 0 32 SInt, G 32 32 SInt];
    R32G32_SFLOAT 103 8 [R 0 32 SFloat, G 32 32 SFloat];
    R32G32B32_UINT 104 12 [R 0 32 UInt, G 32 32 UInt, B 64 32 UInt];
    R32G32B32_SINT 105 12 [R 0 32 SInt, G 32 32 SInt, B 64 32 SInt];
    R32G32B32_SFLOAT 106 12 [R 0 32 SFloat, G 32 32 SFloat, B 64 32 SFloat];
    R32G32B32A32_UINT 107 16 [R 0 32 UInt, G 32 32 UInt, B 64 32 UInt, A 96 32 UInt];
    R32G32B32A32_SINT 108 16 [R 0 32 SInt, G 32 32 SInt, B 64 32 SInt, A 96 32 SInt];
    R32G32B32A32_SFLOAT 109 16 [R 0 32 SFloat, G 32 32 SFloat, B 64 32 SFloat, A 96 32 SFloat];
    R64_UINT 110 8 [R 0 64 UInt];
    R64_SINT 111 8 [R 0 64 SInt];
    R64_SFLOAT 112 8 [R 0 64 SFloat];
    R64G64_UINT 113 16 [R 0 64 UInt, G 64 64 UInt];
    R64G64_SINT 114 16 [R 0 64 SInt, G 64 64 SInt];
    R64G64_SFLOAT 115 16 [R 0 64 SFloat, G 64 64 SFloat];
    R64G64B64_UINT 116 24 [R 0 64 UInt, G 64 64 UInt, B 128 64 UInt];
    R64G64B64_SINT 117 24 [R 0 64 SInt, G 64 64 SInt, B 128 64 SInt];
    R64G64B64_SFLOAT 118 24 [R 0 64 SFloat, G 64 64 SFloat, B 128 64 SFloat];
    R64G64B64A64_UINT 119 32 [R 0 64 UInt, G 64 64 UInt, B 128 64 UInt, A 192 64 UInt];
    R64G64B64A64_SINT 120 32 [R 0 64 SInt, G 64 64 SInt, B 128 64 SInt, A 192 64 SInt];
    R64G64B64A64_SFLOAT 121 32 [R 0 64 SFloat, G 64 64 SFloat, B 128 64 SFloat, A 192 64 SFloat];
    B10G11R11_UFLOAT_PACK32 122 4 [R 0 11 UFloat, G 11 11 UFloat, B 22 10 UFloat];
    E5B9G9R9_UFLOAT_PACK32 123 4 [R 0 9 UFloat, G 9 9 UFloat, B 18 9 UFloat];
    D16_UNORM 124 2 [D 0 16 UNorm];
    X8_D24_UNORM_PACK32 125 4 [D 0 24 UNorm];
    D32_SFLOAT 126 4 [D 0 32 SFloat];
    S8_UINT 127 1 [S 0 8 UInt];
    D16_UNORM_S8_UINT 128 4 [D 0 16 UNorm, S 16 8 UInt];
    D24_UNORM_S8_UINT 129 4 [D 0 24 UNorm, S 24 8 UInt];
    D32_SFLOAT_S8_UINT 130 8 [D 0 32 SFloat, S 32 8 UInt];
    BC1_RGB_UNORM_BLOCK 131 8 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm] Bc1Rgb;
    BC1_RGB_SRGB_BLOCK 132 8 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb] Bc1Rgb;
    BC1_RGBA_UNORM_BLOCK 133 8 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm, A 0 0 UNorm] Bc1Rgba;
    BC1_RGBA_SRGB_BLOCK 134 8 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb, A 0 0 UNorm] Bc1Rgba;
    BC2_UNORM_BLOCK 135 16 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm, A 0 0 UNorm] Bc2;
    BC2_SRGB_BLOCK 136 16 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb, A 0 0 UNorm] Bc2;
    BC3_UNORM_BLOCK 137 16 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm, A 0 0 UNorm] Bc3;
    BC3_SRGB_BLOCK 138 16 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb, A 0 0 UNorm] Bc3;
    BC4_UNORM_BLOCK 139 8 [R 0 0 UNorm] Bc4;
    BC4_SNORM_BLOCK 140 8 [R 0 0 SNorm] Bc4;
    BC5_UNORM_BLOCK 141 16 [R 0 0 UNorm, G 0 0 UNorm] Bc5;
    BC5_SNORM_BLOCK 142 16 [R 0 0 SNorm, G 0 0 SNorm] Bc5;
    BC6H_UFLOAT_BLOCK 143 16 [R 0 0 UFloat, G 0 0 UFloat, B 0 0 UFloat] Bc6h;
    BC6H_SFLOAT_BLOCK 144 16 [R 0 0 SFloat, G 0 0 SFloat, B 0 0 SFloat] Bc6h;
    BC7_UNORM_BLOCK 145 16 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm, A 0 0 UNorm] Bc7;
    BC7_SRGB_BLOCK 146 16 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb, A 0 0 UNorm] Bc7;
    ETC2_R8G8B8_UNORM_BLOCK 147 8 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm] Etc2Rgb;
    ETC2_R8G8B8_SRGB_BLOCK 148 8 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb] Etc2Rgb;
    ETC2_R8G8B8A1_UNORM_BLOCK 149 8 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm, A 0 0 UNorm] Etc2RgbA1;
    ETC2_R8G8B8A1_SRGB_BLOCK 150 8 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb, A 0 0 UNorm] Etc2RgbA1;
    ETC2_R8G8B8A8_UNORM_BLOCK 151 16 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm, A 0 0 UNorm] Etc2Rgba;
    ETC2_R8G8B8A8_SRGB_BLOCK 152 16 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb, A 0 0 UNorm] Etc2Rgba;
    EAC_R11_UNORM_BLOCK 153 8 [R 0 0 UNorm] EacR;
    EAC_R11_SNORM_BLOCK 154 8 [R 0 0 SNorm] EacR;
    EAC_R11G11_UNORM_BLOCK 155 16 [R 0 0 UNorm, G 0 0 UNorm] EacRg;
    EAC_R11G11_SNORM_BLOCK 156 16 [R 0 0 SNorm, G 0 0 SNorm] EacRg;
    ASTC_4x4_UNORM_BLOCK 157 16 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm, A 0 0 UNorm] Astc(4, 4, 1);
    ASTC_4x4_SRGB_BLOCK 158 16 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb, A 0 0 UNorm] Astc(4, 4, 1);
    ASTC_5x4_UNORM_BLOCK 159 16 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm, A 0 0 UNorm] Astc(5, 4, 1);
    ASTC_5x4_SRGB_BLOCK 160 16 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb, A 0 0 UNorm] Astc(5, 4, 1);
    ASTC_5x5_UNORM_BLOCK 161 16 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm, A 0 0 UNorm] Astc(5, 5, 1);
    ASTC_5x5_SRGB_BLOCK 162 16 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb, A 0 0 UNorm] Astc(5, 5, 1);
    ASTC_6x5_UNORM_BLOCK 163 16 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm, A 0 0 UNorm] Astc(6, 5, 1);
    ASTC_6x5_SRGB_BLOCK 164 16 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb, A 0 0 UNorm] Astc(6, 5, 1);
    ASTC_6x6_UNORM_BLOCK 165 16 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm, A 0 0 UNorm] Astc(6, 6, 1);
    ASTC_6x6_SRGB_BLOCK 166 16 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb, A 0 0 UNorm] Astc(6, 6, 1);
    ASTC_8x5_UNORM_BLOCK 167 16 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm, A 0 0 UNorm] Astc(8, 5, 1);
    ASTC_8x5_SRGB_BLOCK 168 16 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb, A 0 0 UNorm] Astc(8, 5, 1);
    ASTC_8x6_UNORM_BLOCK 169 16 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm, A 0 0 UNorm] Astc(8, 6, 1);
    ASTC_8x6_SRGB_BLOCK 170 16 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb, A 0 0 UNorm] Astc(8, 6, 1);
    ASTC_8x8_UNORM_BLOCK 171 16 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm, A 0 0 UNorm] Astc(8, 8, 1);
    ASTC_8x8_SRGB_BLOCK 172 16 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb, A 0 0 UNorm] Astc(8, 8, 1);
    ASTC_10x5_UNORM_BLOCK 173 16 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm, A 0 0 UNorm] Astc(10, 5, 1);
    ASTC_10x5_SRGB_BLOCK 174 16 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb, A 0 0 UNorm] Astc(10, 5, 1);
    ASTC_10x6_UNORM_BLOCK 175 16 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm, A 0 0 UNorm] Astc(10, 6, 1);
    ASTC_10x6_SRGB_BLOCK 176 16 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb, A 0 0 UNorm] Astc(10, 6, 1);
    ASTC_10x8_UNORM_BLOCK 177 16 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm, A 0 0 UNorm] Astc(10, 8, 1);
    ASTC_10x8_SRGB_BLOCK 178 16 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb, A 0 0 UNorm] Astc(10, 8, 1);
    ASTC_10x10_UNORM_BLOCK 179 16 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm, A 0 0 UNorm] Astc(10, 10, 1);
    ASTC_10x10_SRGB_BLOCK 180 16 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb, A 0 0 UNorm] Astc(10, 10, 1);
    ASTC_12x10_UNORM_BLOCK 181 16 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm, A 0 0 UNorm] Astc(12, 10, 1);
    ASTC_12x10_SRGB_BLOCK 182 16 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb, A 0 0 UNorm] Astc(12, 10, 1);
    ASTC_12x12_UNORM_BLOCK 183 16 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm, A 0 0 UNorm] Astc(12, 12, 1);
    ASTC_12x12_SRGB_BLOCK 184 16 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb, A 0 0 UNorm] Astc(12, 12, 1);
    PVRTC1_2BPP_UNORM_BLOCK_IMG 1000054000 8 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm, A 0 0 UNorm] Pvrtc1(2);
    PVRTC1_4BPP_UNORM_BLOCK_IMG 1000054001 8 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm, A 0 0 UNorm] Pvrtc1(4);
    PVRTC2_2BPP_UNORM_BLOCK_IMG 1000054002 8 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm, A 0 0 UNorm] Pvrtc2(2);
    PVRTC2_4BPP_UNORM_BLOCK_IMG 1000054003 8 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm, A 0 0 UNorm] Pvrtc2(4);
    PVRTC1_2BPP_SRGB_BLOCK_IMG 1000054004 8 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb, A 0 0 UNorm] Pvrtc1(2);
    PVRTC1_4BPP_SRGB_BLOCK_IMG 1000054005 8 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb, A 0 0 UNorm] Pvrtc1(4);
    PVRTC2_2BPP_SRGB_BLOCK_IMG 1000054006 8 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb, A 0 0 UNorm] Pvrtc2(2);
    PVRTC2_4BPP_SRGB_BLOCK_IMG 1000054007 8 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb, A 0 0 UNorm] Pvrtc2(4);
    ASTC_4x4_SFLOAT_BLOCK 1000066000 16 [R 0 0 SFloat, G 0 0 SFloat, B 0 0 SFloat, A 0 0 SFloat] Astc(4, 4, 1);
    ASTC_5x4_SFLOAT_BLOCK 1000066001 16 [R 0 0 SFloat, G 0 0 SFloat, B 0 0 SFloat, A 0 0 SFloat] Astc(5, 4, 1);
    ASTC_5x5_SFLOAT_BLOCK 1000066002 16 [R 0 0 SFloat, G 0 0 SFloat, B 0 0 SFloat, A 0 0 SFloat] Astc(5, 5, 1);
    ASTC_6x5_SFLOAT_BLOCK 1000066003 16 [R 0 0 SFloat, G 0 0 SFloat, B 0 0 SFloat, A 0 0 SFloat] Astc(6, 5, 1);
    ASTC_6x6_SFLOAT_BLOCK 1000066004 16 [R 0 0 SFloat, G 0 0 SFloat, B 0 0 SFloat, A 0 0 SFloat] Astc(6, 6, 1);
    ASTC_8x5_SFLOAT_BLOCK 1000066005 16 [R 0 0 SFloat, G 0 0 SFloat, B 0 0 SFloat, A 0 0 SFloat] Astc(8, 5, 1);
    ASTC_8x6_SFLOAT_BLOCK 1000066006 16 [R 0 0 SFloat, G 0 0 SFloat, B 0 0 SFloat, A 0 0 SFloat] Astc(8, 6, 1);
    ASTC_8x8_SFLOAT_BLOCK 1000066007 16 [R 0 0 SFloat, G 0 0 SFloat, B 0 0 SFloat, A 0 0 SFloat] Astc(8, 8, 1);
    ASTC_10x5_SFLOAT_BLOCK 1000066008 16 [R 0 0 SFloat, G 0 0 SFloat, B 0 0 SFloat, A 0 0 SFloat] Astc(10, 5, 1);
    ASTC_10x6_SFLOAT_BLOCK 1000066009 16 [R 0 0 SFloat, G 0 0 SFloat, B 0 0 SFloat, A 0 0 SFloat] Astc(10, 6, 1);
    ASTC_10x8_SFLOAT_BLOCK 1000066010 16 [R 0 0 SFloat, G 0 0 SFloat, B 0 0 SFloat, A 0 0 SFloat] Astc(10, 8, 1);
    ASTC_10x10_SFLOAT_BLOCK 1000066011 16 [R 0 0 SFloat, G 0 0 SFloat, B 0 0 SFloat, A 0 0 SFloat] Astc(10, 10, 1);
    ASTC_12x10_SFLOAT_BLOCK 1000066012 16 [R 0 0 SFloat, G 0 0 SFloat, B 0 0 SFloat, A 0 0 SFloat] Astc(12, 10, 1);
    ASTC_12x12_SFLOAT_BLOCK 1000066013 16 [R 0 0 SFloat, G 0 0 SFloat, B 0 0 SFloat, A 0 0 SFloat] Astc(12, 12, 1);
    R10X6_UNORM_PACK16 1000156007 2 [R 6 10 UNorm];
    R10X6G10X6_UNORM_2PACK16 1000156008 4 [R 6 10 UNorm, G 22 10 UNorm];
    R10X6G10X6B10X6A10X6_UNORM_4PACK16 1000156009 8 [R 6 10 UNorm, G 22 10 UNorm, B 38 10 UNorm, A 54 10 UNorm];
    R12X4_UNORM_PACK16 1000156017 2 [R 4 12 UNorm];
    R12X4G12X4_UNORM_2PACK16 1000156018 4 [R 4 12 UNorm, G 20 12 UNorm];
    R12X4G12X4B12X4A12X4_UNORM_4PACK16 1000156019 8 [R 4 12 UNorm, G 20 12 UNorm, B 36 12 UNorm, A 52 12 UNorm];
    ASTC_3x3x3_UNORM_BLOCK 1000288000 16 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm, A 0 0 UNorm] Astc(3, 3, 3);
    ASTC_3x3x3_SRGB_BLOCK 1000288001 16 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb, A 0 0 UNorm] Astc(3, 3, 3);
    ASTC_3x3x3_SFLOAT_BLOCK 1000288002 16 [R 0 0 SFloat, G 0 0 SFloat, B 0 0 SFloat, A 0 0 SFloat] Astc(3, 3, 3);
    ASTC_4x3x3_UNORM_BLOCK 1000288003 16 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm, A 0 0 UNorm] Astc(4, 3, 3);
    ASTC_4x3x3_SRGB_BLOCK 1000288004 16 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb, A 0 0 UNorm] Astc(4, 3, 3);
    ASTC_4x3x3_SFLOAT_BLOCK 1000288005 16 [R 0 0 SFloat, G 0 0 SFloat, B 0 0 SFloat, A 0 0 SFloat] Astc(4, 3, 3);
    ASTC_4x4x3_UNORM_BLOCK 1000288006 16 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm, A 0 0 UNorm] Astc(4, 4, 3);
    ASTC_4x4x3_SRGB_BLOCK 1000288007 16 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb, A 0 0 UNorm] Astc(4, 4, 3);
    ASTC_4x4x3_SFLOAT_BLOCK 1000288008 16 [R 0 0 SFloat, G 0 0 SFloat, B 0 0 SFloat, A 0 0 SFloat] Astc(4, 4, 3);
    ASTC_4x4x4_UNORM_BLOCK 1000288009 16 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm, A 0 0 UNorm] Astc(4, 4, 4);
    ASTC_4x4x4_SRGB_BLOCK 1000288010 16 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb, A 0 0 UNorm] Astc(4, 4, 4);
    ASTC_4x4x4_SFLOAT_BLOCK 1000288011 16 [R 0 0 SFloat, G 0 0 SFloat, B 0 0 SFloat, A 0 0 SFloat] Astc(4, 4, 4);
    ASTC_5x4x4_UNORM_BLOCK 1000288012 16 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm, A 0 0 UNorm] Astc(5, 4, 4);
    ASTC_5x4x4_SRGB_BLOCK 1000288013 16 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb, A 0 0 UNorm] Astc(5, 4, 4);
    ASTC_5x4x4_SFLOAT_BLOCK 1000288014 16 [R 0 0 SFloat, G 0 0 SFloat, B 0 0 SFloat, A 0 0 SFloat] Astc(5, 4, 4);
    ASTC_5x5x4_UNORM_BLOCK 1000288015 16 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm, A 0 0 UNorm] Astc(5, 5, 4);
    ASTC_5x5x4_SRGB_BLOCK 1000288016 16 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb, A 0 0 UNorm] Astc(5, 5, 4);
    ASTC_5x5x4_SFLOAT_BLOCK 1000288017 16 [R 0 0 SFloat, G 0 0 SFloat, B 0 0 SFloat, A 0 0 SFloat] Astc(5, 5, 4);
    ASTC_5x5x5_UNORM_BLOCK 1000288018 16 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm, A 0 0 UNorm] Astc(5, 5, 5);
    ASTC_5x5x5_SRGB_BLOCK 1000288019 16 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb, A 0 0 UNorm] Astc(5, 5, 5);
    ASTC_5x5x5_SFLOAT_BLOCK 1000288020 16 [R 0 0 SFloat, G 0 0 SFloat, B 0 0 SFloat, A 0 0 SFloat] Astc(5, 5, 5);
    ASTC_6x5x5_UNORM_BLOCK 1000288021 16 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm, A 0 0 UNorm] Astc(6, 5, 5);
    ASTC_6x5x5_SRGB_BLOCK 1000288022 16 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb, A 0 0 UNorm] Astc(6, 5, 5);
    ASTC_6x5x5_SFLOAT_BLOCK 1000288023 16 [R 0 0 SFloat, G 0 0 SFloat, B 0 0 SFloat, A 0 0 SFloat] Astc(6, 5, 5);
    ASTC_6x6x5_UNORM_BLOCK 1000288024 16 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm, A 0 0 UNorm] Astc(6, 6, 5);
    ASTC_6x6x5_SRGB_BLOCK 1000288025 16 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb, A 0 0 UNorm] Astc(6, 6, 5);
    ASTC_6x6x5_SFLOAT_BLOCK 1000288026 16 [R 0 0 SFloat, G 0 0 SFloat, B 0 0 SFloat, A 0 0 SFloat] Astc(6, 6, 5);
    ASTC_6x6x6_UNORM_BLOCK 1000288027 16 [R 0 0 UNorm, G 0 0 UNorm, B 0 0 UNorm, A 0 0 UNorm] Astc(6, 6, 6);
    ASTC_6x6x6_SRGB_BLOCK 1000288028 16 [R 0 0 Srgb, G 0 0 Srgb, B 0 0 Srgb, A 0 0 UNorm] Astc(6, 6, 6);
    ASTC_6x6x6_SFLOAT_BLOCK 1000288029 16 [R 0 0 SFloat, G 0 0 SFloat, B 0 0 SFloat, A 0 0 SFloat] Astc(6, 6, 6);
    A4R4G4B4_UNORM_PACK16 1000340000 2 [R 8 4 UNorm, G 4 4 UNorm, B 0 4 UNorm, A 12 4 UNorm];
    A4B4G4R4_UNORM_PACK16 1000340001 2 [R 0 4 UNorm, G 4 4 UNorm, B 8 4 UNorm, A 12 4 UNorm];
    A1B5G5R5_UNORM_PACK16 1000470000 2 [R 0 5 UNorm, G 5 5 UNorm, B 10 5 UNorm, A 15 1 UNorm];
    A8_UNORM 1000470001 1 [A 0 8 UNorm];
    R10X6_UINT_PACK16_ARM 1000609000 2 [R 6 10 UInt];
    R10X6G10X6_UINT_2PACK16_ARM 1000609001 4 [R 6 10 UInt, G 22 10 UInt];
    R10X6G10X6B10X6A10X6_UINT_4PACK16_ARM 1000609002 8 [R 6 10 UInt, G 22 10 UInt, B 38 10 UInt, A 54 10 UInt];
    R12X4_UINT_PACK16_ARM 1000609003 2 [R 4 12 UInt];
    R12X4G12X4_UINT_2PACK16_ARM 1000609004 4 [R 4 12 UInt, G 20 12 UInt];
    R12X4G12X4B12X4A12X4_UINT_4PACK16_ARM 1000609005 8 [R 4 12 UInt, G 20 12 UInt, B 36 12 UInt, A 52 12 UInt];
    R14X2_UINT_PACK16_ARM 1000609006 2 [R 2 14 UInt];
    R14X2G14X2_UINT_2PACK16_ARM 1000609007 4 [R 2 14 UInt, G 18 14 UInt];
    R14X2G14X2B14X2A14X2_UINT_4PACK16_ARM 1000609008 8 [R 2 14 UInt, G 18 14 UInt, B 34 14 UInt, A 50 14 UInt];
    R14X2_UNORM_PACK16_ARM 1000609009 2 [R 2 14 UNorm];
    R14X2G14X2_UNORM_2PACK16_ARM 1000609010 4 [R 2 14 UNorm, G 18 14 UNorm];
    R14X2G14X2B14X2A14X2_UNORM_4PACK16_ARM 1000609011 8 [R 2 14 UNorm, G 18 14 UNorm, B 34 14 UNorm, A 50 14 UNorm];
}
