//! Which vector instructions the process uses: one answer for the compiler and for the runtime's own loops.

use std::sync::OnceLock;

/// A set of vector instructions; each holds those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Those that every processor of the architecture has. Shaders may use more: SSE4.1 and NEON are levels
    /// of the compiler alone.
    #[default]
    Base,
    /// AVX2, FMA, F16C, BMI 1 and 2, `lzcnt` and `popcnt`.
    Avx2,
    /// AVX-512 F, BW, DQ, VL and CD besides.
    Avx512,
}

impl Level {
    /// The best one of this processor.
    pub fn of_processor() -> Level {
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("f16c")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            let avx512 = avx2
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512cd");
            if avx512 {
                return Level::Avx512;
            }
            if avx2 {
                return Level::Avx2;
            }
        }
        Level::Base
    }

    /// The best one that the environment variable `PYROCLAST_CPU` allows, whose values are `amx`, `avx512`
    /// and `avx2`, and `sse4.1` and `interpreter` (nothing beyond the base). Read once.
    pub fn from_environment() -> Level {
        static CHOICE: OnceLock<Level> = OnceLock::new();
        *CHOICE.get_or_init(|| {
            let most = crate::config::get().cpu.as_deref().and_then(Level::named);
            Level::of_processor().min(most.unwrap_or(Level::Avx512))
        })
    }

    /// The level that a value of `PYROCLAST_CPU` means.
    pub fn named(name: &str) -> Option<Level> {
        match name {
            "interpreter" | "sse4.1" => Some(Level::Base),
            "avx2" => Some(Level::Avx2),
            "avx512" | "amx" => Some(Level::Avx512),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_level_of_the_environment_is_supported() {
        assert!(Level::from_environment() <= Level::of_processor());
        assert!(Level::named("interpreter") < Level::named("avx2"));
        assert!(Level::named("avx2") < Level::named("avx512"));
        // Shaders use more than the base, loops of the runtime do not.
        assert_eq!(Level::named("sse4.1"), Some(Level::Base));
        assert_eq!(Level::named("sse9"), None);
        // Tiles come with all of AVX-512.
        assert_eq!(Level::named("amx"), Level::named("avx512"));
    }
}
