//! PTX's types and state spaces.

use pyro_ir::Scalar;

macro_rules! types {
    ($($(#[doc = $doc:literal])+ $name:ident $text:literal $bits:literal $kind:ident;)+) => {
        /// A fundamental type (PTX ISA: Types).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Type { $($(#[doc = $doc])+ $name,)+ }

        impl Type {
            /// The type of this name, without its dot.
            pub fn from_name(name: &str) -> Option<Type> {
                Some(match name { $($text => Type::$name,)+ _ => return None })
            }

            /// Its name, without the dot.
            pub fn name(self) -> &'static str {
                match self { $(Type::$name => $text,)+ }
            }

            /// Bits of a value.
            pub fn bits(self) -> u32 {
                match self { $(Type::$name => $bits,)+ }
            }

            /// What the bits mean.
            pub fn kind(self) -> Kind {
                match self { $(Type::$name => Kind::$kind,)+ }
            }
        }
    };
}

/// What the bits of a type mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Nothing in particular.
    Bits,
    /// An unsigned integer.
    Unsigned,
    /// A signed integer.
    Signed,
    /// An IEEE 754 number.
    Float,
    /// Something that instructions of its own take apart.
    Packed,
    /// A truth value.
    Predicate,
}

types! {
    /// 8 bits.
    B8 "b8" 8 Bits;
    /// 16 bits.
    B16 "b16" 16 Bits;
    /// 32 bits.
    B32 "b32" 32 Bits;
    /// 64 bits.
    B64 "b64" 64 Bits;
    /// Unsigned, 8 bits.
    U8 "u8" 8 Unsigned;
    /// Unsigned, 16 bits.
    U16 "u16" 16 Unsigned;
    /// Unsigned, 32 bits.
    U32 "u32" 32 Unsigned;
    /// Unsigned, 64 bits.
    U64 "u64" 64 Unsigned;
    /// Signed, 8 bits.
    S8 "s8" 8 Signed;
    /// Signed, 16 bits.
    S16 "s16" 16 Signed;
    /// Signed, 32 bits.
    S32 "s32" 32 Signed;
    /// Signed, 64 bits.
    S64 "s64" 64 Signed;
    /// binary16.
    F16 "f16" 16 Float;
    /// binary32.
    F32 "f32" 32 Float;
    /// binary64.
    F64 "f64" 64 Float;
    /// Two of binary16.
    F16x2 "f16x2" 32 Packed;
    /// bfloat16.
    Bf16 "bf16" 16 Packed;
    /// Two of bfloat16.
    Bf16x2 "bf16x2" 32 Packed;
    /// A truth value.
    Pred "pred" 1 Predicate;
}

impl Type {
    /// Bytes in memory (predicates, which are in none, count as one).
    pub fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// What the intermediate representation computes with. Packed types are integers there.
    pub fn scalar(self) -> Scalar {
        let scalar = if self.is_float() { Scalar::float(self.bits()) } else { Scalar::int(self.bits()) };
        scalar.expect("every width has a scalar")
    }

    /// The integer as which registers of such a size are kept, unless they hold single or double floats.
    pub fn register_scalar(self) -> Scalar {
        if self == Type::F16 { Scalar::I16 } else { self.scalar() }
    }

    /// An IEEE 754 type.
    pub fn is_float(self) -> bool {
        self.kind() == Kind::Float
    }

    /// A signed integer.
    pub fn is_signed(self) -> bool {
        self.kind() == Kind::Signed
    }

    /// An integer with or without a sign, or bits.
    pub fn is_integer(self) -> bool {
        matches!(self.kind(), Kind::Bits | Kind::Unsigned | Kind::Signed)
    }
}

/// Where variables are (PTX ISA: State Spaces).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Memory of all blocks and of the host.
    Global,
    /// Memory that kernels only read.
    Const,
    /// Memory of a block.
    Shared,
    /// Memory of a thread.
    Local,
    /// Parameters.
    Param,
    /// An address says which of the others.
    Generic,
}

impl Space {
    /// The space of this name, without its dot.
    pub fn from_name(name: &str) -> Option<Space> {
        Some(match name {
            "global" => Space::Global,
            "const" => Space::Const,
            "shared" | "shared::cta" => Space::Shared,
            "local" => Space::Local,
            "param" | "param::entry" | "param::func" => Space::Param,
            _ => return None,
        })
    }
}
