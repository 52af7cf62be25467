//! What the processor can do.

/// Instruction set extensions that selection asks about, beyond what it needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Features {
    /// `vpopcntd` and `vpopcntq`.
    pub popcount_words: bool,
    /// `vpopcntb` and `vpopcntw`.
    pub popcount_bytes: bool,
    /// Affine transformations of bytes.
    pub gfni: bool,
}

impl Features {
    /// Those of this processor, if it has all that generated code needs: AVX-512 F, BW, DQ, VL and CD, and the
    /// older extensions that all such processors have.
    #[cfg(target_arch = "x86_64")]
    pub fn detect() -> Option<Features> {
        let needed = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512cd")
            && is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        needed.then(|| Features {
            popcount_words: is_x86_feature_detected!("avx512vpopcntdq"),
            popcount_bytes: is_x86_feature_detected!("avx512bitalg"),
            gfni: is_x86_feature_detected!("gfni"),
        })
    }

    /// There is no generated code for other processors.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn detect() -> Option<Features> {
        None
    }

    /// Whether lanes of this many bits can be counted by an instruction.
    pub fn popcount(self, bits: u32) -> bool {
        if bits >= 32 { self.popcount_words } else { self.popcount_bytes }
    }
}
