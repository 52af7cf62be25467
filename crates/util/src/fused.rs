//! Multiplication and addition with one rounding.

/// `fusedMultiplyAdd` of IEEE 754.
pub trait FusedMulAdd {
    /// `self * factor + addend`, rounded once.
    fn fused_mul_add(self, factor: Self, addend: Self) -> Self;
}

// The C library of mingw-w64, which `mul_add` calls, rounds the product, too.
macro_rules! fused_mul_add {
    ($($float:ty: $libm:path),*) => {
        $(impl FusedMulAdd for $float {
            #[cfg(not(all(windows, target_env = "gnu")))]
            #[inline]
            fn fused_mul_add(self, factor: Self, addend: Self) -> Self {
                self.mul_add(factor, addend)
            }

            #[cfg(all(windows, target_env = "gnu"))]
            #[inline]
            fn fused_mul_add(self, factor: Self, addend: Self) -> Self {
                $libm(self, factor, addend)
            }
        })*
    };
}

fused_mul_add!(f32: libm::fmaf, f64: libm::fma);

#[cfg(test)]
mod tests {
    use super::FusedMulAdd;

    #[test]
    fn the_product_is_not_rounded() {
        // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24, of which a float has no last bit.
        let x = 1.0 + 2f32.powi(-12);
        assert_eq!(x.fused_mul_add(x, -1.0 - 2f32.powi(-11)), 2f32.powi(-24));
        let x = 1.0 + 2f64.powi(-27);
        assert_eq!(x.fused_mul_add(x, -1.0 - 2f64.powi(-26)), 2f64.powi(-54));
        // 2^-70 below the middle of two floats, which a double cannot tell from the middle.
        let (factor, odd) = (1.0 - 2f32.powi(-23), 1.0 + 2f32.powi(-23));
        assert_eq!((2f32.powi(-24) * odd).fused_mul_add(factor, odd), odd);
    }
}
