//! Products of matrices of bytes by the processor's tiles (AMX): eight registers of 16 rows of 64 bytes.
//!
//! # Problem
//! Tiles multiply bytes several times faster than vectors do, but a process has to ask the system for them
//! before it may touch one, and each thread has to say what shape they have.
//!
//! # Approach
//! [`Tiles`] is there only where the processor and the system have tiles, `PYROCLAST_CPU` does not forbid
//! them, and the system has given leave. [`Tiles::with`] sets the calling thread's tiles up, and puts them
//! back to their initial state behind the work, in which they cost nothing when threads change.
//!
//! # Invariants
//! - Sums are those of integers of 32 bits, which wrap: the same bits as without tiles, in any order.
//! - Leave is asked for when something is about to use tiles, not before: once it is given, Linux refuses
//!   alternate signal stacks that are too small for the registers.
//!
//! **Must not know.** Operators, shaders, who multiplies what.

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod amx;
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
mod none;

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod entry;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod loops;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod pack;

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
use amx as system;
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
use none as system;

use std::sync::OnceLock;

/// Rows of a tile.
pub const ROWS: usize = 16;
/// Bytes of a tile's row.
pub const ROW_BYTES: usize = 64;
/// Columns of 32 bits that a tile has.
pub const COLUMNS: usize = 16;
/// Bytes of a tile.
pub const BYTES: usize = ROWS * ROW_BYTES;
/// Bytes of a factor that a sum of a tile takes four by four.
pub const GROUP: usize = 4;

/// Sums of 32 rows and 32 columns.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Sums(pub [[i32; 2 * COLUMNS]; 2 * ROWS]);

impl Default for Sums {
    fn default() -> Sums {
        Sums([[0; 2 * COLUMNS]; 2 * ROWS])
    }
}

/// Leave to use tiles.
#[derive(Clone, Copy, Debug)]
pub struct Tiles(());

impl Tiles {
    /// Whether the processor and the system have tiles for bytes, and `PYROCLAST_CPU` allows them: nothing
    /// is asked for.
    pub fn are_there() -> bool {
        static ANSWER: OnceLock<bool> = OnceLock::new();
        *ANSWER.get_or_init(|| is_allowed() && system::has_tiles())
    }

    /// Asks the system for leave, once for the process.
    pub fn get() -> Option<Tiles> {
        static ANSWER: OnceLock<bool> = OnceLock::new();
        let is_given = *ANSWER.get_or_init(|| Tiles::are_there() && system::ask());
        is_given.then_some(Tiles(()))
    }

    /// Runs what uses the thread's tiles.
    pub fn with<R>(self, work: impl FnOnce(&Unit) -> R) -> R {
        let unit = Unit(system::Configured::new());
        work(&unit)
    }
}

/// The tiles of a thread, set up.
pub struct Unit(pub(crate) system::Configured);

impl Unit {
    /// Adds to sums (or makes them, where `is_first`) the products of 32 rows and 32 columns of signed bytes.
    ///
    /// The factors are tiles one behind the other, as many as there are steps. Of rows there is a list of the
    /// first 16 rows' tiles, each with 64 bytes of each row, and one of the others'; without the latter, only
    /// the first rows' sums change. Of columns there are two lists, too, in each row of a tile the same four
    /// bytes of all 16 columns.
    ///
    /// # Panics
    /// Where lists differ in length.
    pub fn add_products(
        &self,
        (rows, more_rows): (&[i8], Option<&[i8]>),
        columns: [&[i8]; 2],
        sums: &mut Sums,
        is_first: bool,
    ) {
        let steps = rows.len() / BYTES;
        if is_first {
            *sums = Sums::default();
        }
        if steps > 0 {
            self.0.add_products([rows, more_rows.unwrap_or(&[])], columns, steps, sums);
        }
    }
}

/// The address of the function that runs shaders' loops of products ahead, for
/// `DispatchContext::tile_loops`. Zero where there are no tiles.
pub fn loop_function() -> u64 {
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    if Tiles::are_there() {
        return loops::function();
    }
    0
}

/// Whether the environment variable `PYROCLAST_CPU` allows tiles: it is not set, or asks for them (`amx`), or
/// for what no processor has.
fn is_allowed() -> bool {
    let name = pyro_util::config::get().cpu.as_deref();
    name.is_none_or(|name| name == "amx" || pyro_util::cpu::Level::named(name).is_none())
}

#[cfg(test)]
mod tests;
