//! Scalar types, shapes (uniform or varying), and value types.

/// A scalar type. Integers have no sign: operations do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Scalar {
    /// A truth value; varying, a mask.
    I1,
    /// 8 bits.
    I8,
    /// 16 bits.
    I16,
    /// 32 bits.
    I32,
    /// 64 bits; also host addresses.
    I64,
    /// IEEE 754 binary16.
    F16,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
}

impl Scalar {
    /// All scalar types.
    pub const ALL: [Scalar; 8] = [
        Scalar::I1,
        Scalar::I8,
        Scalar::I16,
        Scalar::I32,
        Scalar::I64,
        Scalar::F16,
        Scalar::F32,
        Scalar::F64,
    ];

    /// Width in bits.
    #[inline]
    pub const fn bits(self) -> u32 {
        match self {
            Scalar::I1 => 1,
            Scalar::I8 => 8,
            Scalar::I16 | Scalar::F16 => 16,
            Scalar::I32 | Scalar::F32 => 32,
            Scalar::I64 | Scalar::F64 => 64,
        }
    }

    /// Size in memory in bytes (1 for `i1`, which memory operations do not take).
    #[inline]
    pub const fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// All bits that a value of this type can have.
    #[inline]
    pub const fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    /// An integer of 8 to 64 bits.
    #[inline]
    pub const fn is_int(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64)
    }

    /// A floating-point type.
    #[inline]
    pub const fn is_float(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::F32 | Scalar::F64)
    }

    /// The integer type of the same width (`i1` stays).
    pub const fn to_int(self) -> Scalar {
        match self {
            Scalar::F16 => Scalar::I16,
            Scalar::F32 => Scalar::I32,
            Scalar::F64 => Scalar::I64,
            other => other,
        }
    }

    /// The integer type of `bits` bits.
    pub const fn int(bits: u32) -> Option<Scalar> {
        Some(match bits {
            1 => Scalar::I1,
            8 => Scalar::I8,
            16 => Scalar::I16,
            32 => Scalar::I32,
            64 => Scalar::I64,
            _ => return None,
        })
    }

    /// The IEEE 754 type of `bits` bits.
    pub const fn float(bits: u32) -> Option<Scalar> {
        Some(match bits {
            16 => Scalar::F16,
            32 => Scalar::F32,
            64 => Scalar::F64,
            _ => return None,
        })
    }

    /// Its name in text.
    pub const fn name(self) -> &'static str {
        match self {
            Scalar::I1 => "i1",
            Scalar::I8 => "i8",
            Scalar::I16 => "i16",
            Scalar::I32 => "i32",
            Scalar::I64 => "i64",
            Scalar::F16 => "f16",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
        }
    }

    /// The type with this name.
    pub fn from_name(name: &str) -> Option<Scalar> {
        Scalar::ALL.into_iter().find(|scalar| scalar.name() == name)
    }
}

/// One value for the subgroup, or one for each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shape {
    /// One scalar for the whole subgroup.
    Uniform,
    /// One scalar per lane. In lane form every value is varying.
    Varying,
}

/// A value's type. In text, `f32` is uniform and `<f32>` varying; in lane form the brackets are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Type {
    /// What one lane holds.
    pub scalar: Scalar,
    /// One for all lanes, or one each.
    pub shape: Shape,
}

impl Type {
    /// A uniform value.
    #[inline]
    pub const fn uniform(scalar: Scalar) -> Type {
        Type { scalar, shape: Shape::Uniform }
    }

    /// A varying value.
    #[inline]
    pub const fn varying(scalar: Scalar) -> Type {
        Type { scalar, shape: Shape::Varying }
    }

    /// One value for all lanes.
    #[inline]
    pub const fn is_uniform(self) -> bool {
        matches!(self.shape, Shape::Uniform)
    }

    /// One value per lane.
    #[inline]
    pub const fn is_varying(self) -> bool {
        matches!(self.shape, Shape::Varying)
    }
}
