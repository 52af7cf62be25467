//! The instruction set extensions that code is generated for.

#[cfg(target_arch = "x86_64")]
use pyro_util::cpu as processor;

/// Which vector instructions there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// AVX2, FMA, F16C, BMI 1 and 2: vectors of 256 bits, masks in vectors.
    Avx2,
    /// AVX-512 F, BW, DQ, VL and CD besides.
    #[default]
    Avx512,
    /// The vectors of 64-bit ARM: 128 bits, masks in vectors.
    Neon,
    /// SSE up to 4.1: vectors of 128 bits, two operands, masks in vectors, no fused operations.
    Sse41,
}

/// Instruction set extensions that code is made for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Features {
    /// The vector instructions.
    pub level: Level,
    /// `vpopcntd` and `vpopcntq`.
    pub popcount_words: bool,
    /// `vpopcntb` and `vpopcntw`.
    pub popcount_bytes: bool,
    /// Affine transformations of bytes.
    pub gfni: bool,
    /// Products of bytes and of halves that are added to words: AVX512-VNNI, or AVX-VNNI at the level of
    /// AVX2.
    pub vnni: bool,
    /// Permutations of bytes across a register (AVX512-VBMI).
    pub byte_permutations: bool,
    /// Arithmetic on floats of 16 bits (AVX512-FP16, FEAT_FP16).
    pub fp16: bool,
    /// Tiles that multiply bytes (AMX): a level of its own for users, `amx`, above that of AVX-512. Code
    /// calls the runtime for them.
    pub tiles: bool,
    /// At the level of AVX2: masked loads and gathers are microcode, which takes several times as long as
    /// plain loads and loads of single lanes (the first two cores of AMD's family 17h).
    pub microcoded_moves: bool,
    /// Fused operations that a shader leaves open are a product and a sum, since there are no instructions
    /// for them and the user wants it so: the functions that code is made for have been rewritten
    /// (`pyro_passes::round_twice`). Only at the level of SSE4.1.
    pub rounds_twice: bool,
}

impl Features {
    /// Those of this processor, if it has what one of the levels needs.
    pub fn detect() -> Option<Features> {
        Features::all().first().map(|&(_, features)| features)
    }

    /// The level of AVX-512 with the further extensions that this processor has, if it has that level.
    #[cfg(target_arch = "x86_64")]
    pub fn avx512() -> Option<Features> {
        let needed = processor::Level::of_processor() >= processor::Level::Avx512;
        needed.then(|| Features {
            level: Level::Avx512,
            popcount_words: is_x86_feature_detected!("avx512vpopcntdq"),
            popcount_bytes: is_x86_feature_detected!("avx512bitalg"),
            gfni: is_x86_feature_detected!("gfni"),
            vnni: is_x86_feature_detected!("avx512vnni"),
            byte_permutations: is_x86_feature_detected!("avx512vbmi"),
            fp16: is_x86_feature_detected!("avx512fp16"),
            tiles: false,
            microcoded_moves: false,
            rounds_twice: false,
        })
    }

    /// The level of AVX-512 with tiles besides, if the processor and the system have them.
    pub fn amx() -> Option<Features> {
        let features = Features::avx512().filter(|_| pyro_tiles::Tiles::are_there())?;
        Some(Features { tiles: true, ..features })
    }

    /// The level of AVX2 with the further extensions for short vectors that this processor has, if it has
    /// that level.
    #[cfg(target_arch = "x86_64")]
    pub fn avx2() -> Option<Features> {
        let needed = processor::Level::of_processor() >= processor::Level::Avx2;
        needed.then(|| Features {
            gfni: is_x86_feature_detected!("gfni"),
            vnni: is_x86_feature_detected!("avxvnni"),
            microcoded_moves: has_microcoded_moves(),
            ..Features::base(Level::Avx2)
        })
    }

    /// The level of SSE4.1, if this processor has it.
    pub fn sse41() -> Option<Features> {
        #[cfg(target_arch = "x86_64")]
        return (is_x86_feature_detected!("sse4.1") && is_x86_feature_detected!("ssse3")).then(|| Features {
            rounds_twice: pyro_util::config::get().round_twice,
            ..Features::base(Level::Sse41)
        });
        #[cfg(not(target_arch = "x86_64"))]
        None
    }

    /// Another processor has no AVX-512.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn avx512() -> Option<Features> {
        None
    }

    /// Another processor has no AVX2.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn avx2() -> Option<Features> {
        None
    }

    /// The level of NEON with the further extensions that this processor has, if it is a 64-bit ARM.
    pub fn neon() -> Option<Features> {
        #[cfg(target_arch = "aarch64")]
        return Some(Features {
            fp16: std::arch::is_aarch64_feature_detected!("fp16"),
            ..Features::base(Level::Neon)
        });
        #[cfg(not(target_arch = "aarch64"))]
        None
    }

    /// A level without further extensions.
    pub const fn base(level: Level) -> Features {
        Features {
            level,
            popcount_words: false,
            popcount_bytes: false,
            gfni: false,
            vnni: false,
            byte_permutations: false,
            fp16: false,
            tiles: false,
            microcoded_moves: false,
            rounds_twice: false,
        }
    }

    /// Words are gathered from the nearest cache sooner than a square root is taken. All processors that have
    /// floats of 16 bits do so, and with AVX2 words are loaded one by one; of others it is not known.
    pub fn gathers_fast(self) -> bool {
        self.level == Level::Avx2 || self.level == Level::Avx512 && self.fp16
    }

    /// Small tables are looked up by permutations of bytes.
    pub fn permutes_tables(self) -> bool {
        self.level == Level::Avx512 && self.byte_permutations && !self.gathers_fast()
    }

    /// The same with a further extension, if the level can have one of that name.
    pub fn with(mut self, extension: &str) -> Option<Features> {
        let flag = match (extension, self.level) {
            ("popcount", Level::Avx512) => {
                self.popcount_bytes = true;
                &mut self.popcount_words
            }
            ("gfni", Level::Avx512 | Level::Avx2) => &mut self.gfni,
            ("vnni", Level::Avx512 | Level::Avx2) => &mut self.vnni,
            ("vbmi", Level::Avx512) => &mut self.byte_permutations,
            ("fp16", Level::Avx512 | Level::Neon) => &mut self.fp16,
            ("amx", Level::Avx512) => &mut self.tiles,
            ("microcoded", Level::Avx2) => &mut self.microcoded_moves,
            ("twice", Level::Sse41) => &mut self.rounds_twice,
            _ => return None,
        };
        *flag = true;
        Some(self)
    }

    /// What this processor has, each level with the name that `PYROCLAST_CPU` knows, the best one first.
    pub fn all() -> Vec<(&'static str, Features)> {
        let levels = [
            ("amx", Features::amx()),
            ("avx512", Features::avx512()),
            ("avx2", Features::avx2()),
            ("sse4.1", Features::sse41()),
            ("neon", Features::neon()),
        ];
        levels.into_iter().filter_map(|(name, features)| Some((name, features?))).collect()
    }

    /// Whether lanes of this many bits can be counted by an instruction.
    pub fn popcount(self, bits: u32) -> bool {
        if bits >= 32 { self.popcount_words } else { self.popcount_bytes }
    }
}

/// See [`Features::microcoded_moves`]: whether this is a Zen or Zen+, or Hygon's of the same design.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, unused_unsafe)]
fn has_microcoded_moves() -> bool {
    use std::arch::x86_64::__cpuid;
    // SAFETY: every x86-64 processor has CPUID with these leaves.
    let [vendor, about] = unsafe { [__cpuid(0), __cpuid(1)].map(|leaf| (leaf.eax, leaf.ebx)) };
    let family = (about.0 >> 8 & 15) + (about.0 >> 20 & 255);
    let model = about.0 >> 4 & 15 | about.0 >> 12 & 0xf0;
    match &vendor.1.to_le_bytes() {
        b"Auth" => family == 0x17 && model < 0x30,
        b"Hygo" => family == 0x18,
        _ => false,
    }
}
