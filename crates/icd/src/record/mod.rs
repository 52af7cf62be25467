//! Recording of calls into a capture (`PYROCLAST_CAPTURE`).
//!
//! **Problem.** A capture must hold every call that has an effect, with its parameters, and what the program
//! writes into mapped memory, in an order in which one thread can make the calls again; a program that is not
//! captured must pay nothing. **Approach.** While a capture is made, lookups of commands give wrappers
//! instead of bodies ([`wrapper`]); a wrapper has the command's parameters as slots, calls the body, and
//! hands the slots to the recorder. What a call means to the recorder is an [`action::Action`].
//!
//! **Order.** A call that makes something is recorded after it returned, as nobody else can know the handle
//! before; one that ends something is recorded before its body runs, as the handle may be given out again.
//! Submissions hold the recorder's lock, and wait until the device is idle or waits for the program itself:
//! what is in mapped memory then is the device's, what changes until the next submission is the program's.
//!
//! *Must not know* what commands do beyond their parameters, memory and synchronization.

mod action;
#[cfg(unix)]
mod gate;
#[cfg(not(unix))]
#[path = "no_gate.rs"]
mod gate;
#[cfg(unix)]
mod hot_pages;
mod memory;
#[cfg(target_os = "linux")]
mod other_threads;
#[cfg(not(target_os = "linux"))]
#[path = "no_other_threads.rs"]
mod other_threads;
mod output;
mod ranges;
mod recorder;
mod template;
mod wrappers;
#[cfg(unix)]
mod written_pages;
#[cfg(not(unix))]
#[path = "no_written_pages.rs"]
mod written_pages;

pub(crate) use wrappers::wrapper;

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

/// Puts a module's words in the place of the module of a digest; how many pipelines were made again.
type Reload<'r> = dyn FnMut(u64, &[u32]) -> Result<u32, String> + 'r;

/// Whether calls are recorded in this process.
pub(crate) fn is_on() -> bool {
    static ON: OnceLock<bool> = OnceLock::new();
    *ON.get_or_init(|| pyro_util::config::get().capture.is_some())
}

thread_local! {
    /// Whether this thread is inside a recorded call: what the driver or a callback calls there is part of
    /// it.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    /// What the call under way has read of the program's memory.
    static HOST: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Notes for the capture what a call has read of the program's memory, where one is made.
pub(crate) fn note_host(append: impl FnOnce(&mut Vec<u8>)) {
    if is_on() {
        HOST.with_borrow_mut(append);
    }
}

/// What was noted since the last call of this.
fn take_host() -> Vec<u8> {
    HOST.with_borrow_mut(std::mem::take)
}

/// Makes a call: records it and runs the body with the slots, which the recorder may change. Gives the bits
/// of what the body returns. Of hundreds of wrappers this is the common part, so it knows none of their
/// types.
fn call(number: u16, slots: &mut [u64], body: &mut dyn FnMut(&[u64]) -> u64) -> u64 {
    let action = action::of(number);
    if action == action::Action::Ignore || INSIDE.replace(true) {
        return body(slots);
    }
    let mut held = recorder::Held::default();
    // A panic of the recorder ends the recording, not the program.
    let before = catch_unwind(AssertUnwindSafe(|| recorder::before(action, number, slots, &mut held)));
    let result = body(held.slots(slots));
    let after = catch_unwind(AssertUnwindSafe(|| recorder::after(action, number, slots, result, &mut held)));
    if before.is_err() || after.is_err() {
        recorder::give_up();
    }
    drop(held);
    INSIDE.set(false);
    result
}

/// What a command returns.
trait Returned {
    /// As recorded.
    fn bits(self) -> u64;
    /// What has these bits.
    fn of_bits(bits: u64) -> Self;
}

impl Returned for () {
    fn bits(self) -> u64 {
        0
    }
    fn of_bits(_: u64) {}
}

impl Returned for i32 {
    fn bits(self) -> u64 {
        i64::from(self) as u64
    }
    fn of_bits(bits: u64) -> i32 {
        bits as i32
    }
}

impl Returned for u64 {
    fn bits(self) -> u64 {
        self
    }
    fn of_bits(bits: u64) -> u64 {
        bits
    }
}
