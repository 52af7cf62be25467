//! AMX on Linux. The instructions are written as text: the compiler has no stable name for them.
// Instructions on registers that the compiler does not know, and a system call, are what this file is for.
#![allow(unsafe_code)]

use crate::pack::Tile;
use crate::{BYTES, COLUMNS, ROW_BYTES, ROWS, Sums};
use std::arch::asm;
use std::arch::x86_64::{
    __cpuid, __cpuid_count, _mm512_add_epi32, _mm512_loadu_epi32, _mm512_storeu_epi32, _xgetbv,
};
use std::marker::PhantomData;

/// The system call `arch_prctl` asks for a part of the extended state by its number.
const ARCH_REQ_XCOMP_PERM: libc::c_long = 0x1023;
/// The contents of tiles, as a part of the extended state.
const XFEATURE_XTILEDATA: libc::c_long = 18;
/// Their shapes and contents, as bits of XCR0.
const XCR0_TILES: u64 = 3 << 17;
/// CPUID leaf 7: `amx-tile` and `amx-int8`, bits of EDX.
const FEATURES: u32 = 1 << 24 | 1 << 25;
/// CPUID leaf 1: `osxsave`, a bit of ECX.
const OSXSAVE: u32 = 1 << 27;
/// CPUID's leaf of the palettes of tiles.
const PALETTES: u32 = 0x1d;
/// The palette of eight tiles of 1 KiB.
const PALETTE: u8 = 1;

/// Whether the processor has tiles that multiply bytes, and the system keeps them.
#[allow(unused_unsafe)]
pub(crate) fn has_tiles() -> bool {
    // SAFETY: every x86-64 processor has CPUID; leaves that it lacks are not asked for.
    let [basic, features, palettes, shape] = unsafe {
        let most = __cpuid(0).eax;
        if most < PALETTES {
            return false;
        }
        [__cpuid(1), __cpuid_count(7, 0), __cpuid_count(PALETTES, 0), __cpuid_count(PALETTES, PALETTE.into())]
    };
    if basic.ecx & OSXSAVE == 0 || features.edx & FEATURES != FEATURES || palettes.eax < PALETTE.into() {
        return false;
    }
    if !is_x86_feature_detected!("avx512vbmi") || !is_x86_feature_detected!("avx512vl") {
        return false;
    }
    // SAFETY: the processor has XGETBV, since the system has turned it on.
    if unsafe { enabled_state() } & XCR0_TILES != XCR0_TILES {
        return false;
    }
    // Bytes of a tile; bytes of a row and how many tiles; rows.
    let [tile, rows_and_names, rows] = [shape.eax >> 16, shape.ebx, shape.ecx & 0xffff];
    tile as usize == BYTES
        && (rows_and_names & 0xffff) as usize == ROW_BYTES
        && rows_and_names >> 16 >= 8
        && rows as usize == ROWS
}

#[target_feature(enable = "xsave")]
fn enabled_state() -> u64 {
    // SAFETY: XCR0 is there whenever the instruction is.
    unsafe { _xgetbv(0) }
}

/// Asks for leave to use tiles, which holds for all threads of the process.
pub(crate) fn ask() -> bool {
    // SAFETY: the call reads no memory of this process.
    unsafe { libc::syscall(libc::SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0 }
}

/// What `ldtilecfg` reads.
#[repr(C, align(64))]
struct Shapes {
    palette: u8,
    start_row: u8,
    reserved: [u8; 14],
    row_bytes: [u16; 16],
    rows: [u8; 16],
}

/// All eight tiles whole.
static WHOLE: Shapes = Shapes {
    palette: PALETTE,
    start_row: 0,
    reserved: [0; 14],
    row_bytes: {
        let mut bytes = [0; 16];
        let mut tile = 0;
        while tile < 8 {
            bytes[tile] = ROW_BYTES as u16;
            tile += 1;
        }
        bytes
    },
    rows: {
        let mut rows = [0; 16];
        let mut tile = 0;
        while tile < 8 {
            rows[tile] = ROWS as u8;
            tile += 1;
        }
        rows
    },
};

/// Adds the products of two lists of rows' tiles and two of columns' to four tiles of sums.
macro_rules! square {
    ($dot:literal, $a:expr, $b:expr, $sums:expr, $pitch:expr, $steps:expr) => {
        asm!(
            "tileloadd tmm0, [{c0} + {pitch} * 1]",
            "tileloadd tmm1, [{c1} + {pitch} * 1]",
            "tileloadd tmm2, [{c2} + {pitch} * 1]",
            "tileloadd tmm3, [{c3} + {pitch} * 1]",
            "2:",
            "tileloadd tmm4, [{a0} + {row} * 1]",
            "tileloadd tmm6, [{b0} + {row} * 1]",
            concat!($dot, " tmm0, tmm4, tmm6"),
            "tileloadd tmm7, [{b1} + {row} * 1]",
            concat!($dot, " tmm1, tmm4, tmm7"),
            "tileloadd tmm5, [{a1} + {row} * 1]",
            concat!($dot, " tmm2, tmm5, tmm6"),
            concat!($dot, " tmm3, tmm5, tmm7"),
            "add {a0}, 1024",
            "add {a1}, 1024",
            "add {b0}, 1024",
            "add {b1}, 1024",
            "dec {steps}",
            "jnz 2b",
            "tilestored [{c0} + {pitch} * 1], tmm0",
            "tilestored [{c1} + {pitch} * 1], tmm1",
            "tilestored [{c2} + {pitch} * 1], tmm2",
            "tilestored [{c3} + {pitch} * 1], tmm3",
            c0 = in(reg) $sums[0],
            c1 = in(reg) $sums[1],
            c2 = in(reg) $sums[2],
            c3 = in(reg) $sums[3],
            a0 = inout(reg) $a[0] => _,
            a1 = inout(reg) $a[1] => _,
            b0 = inout(reg) $b[0] => _,
            b1 = inout(reg) $b[1] => _,
            steps = inout(reg) $steps => _,
            row = in(reg) ROW_BYTES,
            pitch = in(reg) $pitch,
            options(nostack),
        )
    };
}

/// This thread's tiles are set up as long as it lives. It stays on its thread.
pub(crate) struct Configured(PhantomData<*const ()>);

impl Configured {
    pub(crate) fn new() -> Configured {
        // SAFETY: only who has leave comes here, and the shapes are those of the palette.
        unsafe { asm!("ldtilecfg [{}]", in(reg) &WHOLE, options(nostack, readonly, preserves_flags)) };
        Configured(PhantomData)
    }

    /// Adds products to sums: `steps` tiles of each list, at least one. An empty second list of rows: 16
    /// rows.
    pub(crate) fn add_products(&self, rows: [&[i8]; 2], columns: [&[i8]; 2], steps: usize, sums: &mut Sums) {
        let both = !rows[1].is_empty();
        let lists = [rows[0], columns[0], columns[1], if both { rows[1] } else { rows[0] }];
        assert!(steps > 0 && lists.iter().all(|list| list.len() == steps * BYTES), "lists of tiles differ");
        let to = sums.0.as_mut_ptr();
        let [a, other_a, b, other_b] = [rows[0], rows[1], columns[0], columns[1]].map(<[i8]>::as_ptr);
        if both {
            // SAFETY: the tiles are set up; each list has a tile for each step, which are read in turn; the
            // sums are 32 rows of 128 bytes.
            unsafe {
                let tile = |row: usize, column: usize| to.add(row).cast::<i32>().add(column);
                let tiles = [tile(0, 0), tile(0, COLUMNS), tile(ROWS, 0), tile(ROWS, COLUMNS)];
                square!("tdpbssd", [a, other_a], [b, other_b], tiles, 2 * ROW_BYTES, steps);
            }
        } else {
            // SAFETY: as above, of the first 16 rows.
            unsafe {
                asm!(
                    "tileloadd tmm0, [{to} + {pitch} * 1]",
                    "tileloadd tmm1, [{to} + {pitch} * 1 + 64]",
                    "2:",
                    "tileloadd tmm4, [{a} + {row} * 1]",
                    "tileloadd tmm6, [{b} + {row} * 1]",
                    "tdpbssd tmm0, tmm4, tmm6",
                    "tileloadd tmm7, [{other_b} + {row} * 1]",
                    "tdpbssd tmm1, tmm4, tmm7",
                    "add {a}, 1024",
                    "add {b}, 1024",
                    "add {other_b}, 1024",
                    "dec {steps}",
                    "jnz 2b",
                    "tilestored [{to} + {pitch} * 1], tmm0",
                    "tilestored [{to} + {pitch} * 1 + 64], tmm1",
                    a = inout(reg) a => _,
                    b = inout(reg) b => _,
                    other_b = inout(reg) other_b => _,
                    steps = inout(reg) steps => _,
                    row = in(reg) ROW_BYTES,
                    pitch = in(reg) 2 * ROW_BYTES,
                    to = in(reg) to,
                    options(nostack),
                );
            }
        }
    }
}

/// Adds the products of one list each to one tile of sums, every second one to another, which is made. Waits
/// of one for the other would take most of the time.
macro_rules! single {
    ($dot:literal, $a:expr, $b:expr, $sums:expr, $pitch:expr, $pairs:expr, $other:expr) => {
        asm!(
            "tileloadd tmm0, [{c} + {pitch} * 1]",
            "tilezero tmm1",
            "2:",
            "tileloadd tmm4, [{a} + {row} * 1]",
            "tileloadd tmm6, [{b} + {row} * 1]",
            concat!($dot, " tmm0, tmm4, tmm6"),
            "tileloadd tmm5, [{a} + {row} * 1 + 1024]",
            "tileloadd tmm7, [{b} + {row} * 1 + 1024]",
            concat!($dot, " tmm1, tmm5, tmm7"),
            "add {a}, 2048",
            "add {b}, 2048",
            "dec {pairs}",
            "jnz 2b",
            "tilestored [{c} + {pitch} * 1], tmm0",
            "tilestored [{other} + {row} * 1], tmm1",
            c = in(reg) $sums,
            other = in(reg) $other,
            a = inout(reg) $a => _,
            b = inout(reg) $b => _,
            pairs = inout(reg) $pairs => _,
            row = in(reg) ROW_BYTES,
            pitch = in(reg) $pitch,
            options(nostack),
        )
    };
}

/// The same of one tile each.
macro_rules! last {
    ($dot:literal, $a:expr, $b:expr, $sums:expr, $pitch:expr) => {
        asm!(
            "tileloadd tmm0, [{c} + {pitch} * 1]",
            "tileloadd tmm4, [{a} + {row} * 1]",
            "tileloadd tmm6, [{b} + {row} * 1]",
            concat!($dot, " tmm0, tmm4, tmm6"),
            "tilestored [{c} + {pitch} * 1], tmm0",
            c = in(reg) $sums,
            a = in(reg) $a,
            b = in(reg) $b,
            row = in(reg) ROW_BYTES,
            pitch = in(reg) $pitch,
            options(nostack),
        )
    };
}

/// One of the macros with the instruction for factors with these signs.
macro_rules! by_signs {
    ($signed:expr, $name:ident, $($argument:expr),+) => {
        match $signed {
            [true, true] => $name!("tdpbssd", $($argument),+),
            [true, false] => $name!("tdpbsud", $($argument),+),
            [false, true] => $name!("tdpbusd", $($argument),+),
            [false, false] => $name!("tdpbuud", $($argument),+),
        }
    };
}

/// Adds a tile's words to sums, rows `pitch` words apart.
///
/// # Safety
/// The sums may be written.
#[target_feature(enable = "avx512f")]
unsafe fn add_tile(tile: &Tile, sums: *mut i32, pitch: usize) {
    for (row, words) in tile.0.chunks_exact(ROW_BYTES).enumerate() {
        let to = sums.wrapping_add(row * pitch);
        // SAFETY: the caller's contract; a row is a register.
        unsafe {
            let sum = _mm512_add_epi32(_mm512_loadu_epi32(to), _mm512_loadu_epi32(words.as_ptr().cast()));
            _mm512_storeu_epi32(to, sum);
        }
    }
}

impl Configured {
    /// Adds to one tile of sums, or to two by two, the products of one or two lists of tiles of rows and as
    /// many of columns. Sums are rows of words, `pitch` words apart.
    ///
    /// # Safety
    /// The sums may be written, of one list only those of the first address.
    pub(crate) unsafe fn add_block(
        &self,
        rows: [Option<&[Tile]>; 2],
        columns: [Option<&[Tile]>; 2],
        sums: [*mut i32; 4],
        pitch: usize,
        signed: [bool; 2],
    ) {
        let ([Some(first), below], [Some(left), right]) = (rows, columns) else { return };
        let steps = first.len();
        let fits = |list: &[Tile]| list.len() == steps;
        assert!(steps > 0 && fits(left) && below.is_none_or(fits) && right.is_none_or(fits));
        let bytes = size_of::<i32>() * pitch;
        if let (Some(below), Some(right)) = (below, right) {
            let (a, b) = ([first.as_ptr(), below.as_ptr()], [left.as_ptr(), right.as_ptr()]);
            // SAFETY: the tiles are set up; each list has a tile for each step; the caller's contract.
            unsafe { by_signs!(signed, square, a, b, sums, bytes, steps) };
            return;
        }
        let to = sums[0];
        let pairs = steps / 2;
        if pairs > 0 {
            let mut others = Tile([0; BYTES]);
            let (a, b, other) = (first.as_ptr(), left.as_ptr(), others.0.as_mut_ptr());
            // SAFETY: as above, of one tile of sums; the other one is ours.
            unsafe { by_signs!(signed, single, a, b, to, bytes, pairs, other) };
            // SAFETY: the caller's contract; processors with tiles have AVX-512.
            unsafe { add_tile(&others, to, pitch) };
        }
        if steps % 2 == 1 {
            let (a, b) = (&raw const first[steps - 1], &raw const left[steps - 1]);
            // SAFETY: as above.
            unsafe { by_signs!(signed, last, a, b, to, bytes) };
        }
    }
}

impl Drop for Configured {
    fn drop(&mut self) {
        // SAFETY: nobody has anything in the tiles now.
        unsafe { asm!("tilerelease", options(nostack, nomem, preserves_flags)) };
    }
}
