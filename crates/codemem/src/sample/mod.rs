//! Sampling: where the process's threads spend their processor time.
//!
//! **Problem.** Say which instruction of which function threads run, often enough to know what each costs,
//! and so seldom that the program does not notice.
//!
//! **Approach.** Each thread has a timer of its own processor time, whose signal interrupts that thread. The
//! handler writes the program counter, the calls of generated code around it and what the thread has said of
//! itself ([`enter`], [`set_tag`]) into the thread's ring, with the processor time since the sample before.
//! So all samples of a thread add up to its time, however late a signal comes. Somebody empties the rings
//! ([`drain`]) and looks for new threads ([`scan`]).
//!
//! **Invariants.** The handler takes no lock, allocates nothing, and reads only the stack between the stack
//! pointer and an address at which the thread itself has been. While sampling is off, a mark costs one load
//! of a flag.
//!
//! *Must not know* what activities and tags stand for.

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod handler;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod ring;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod slots;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod threads;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod walk;

use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub use threads::{at_exit, drain, own_text, process_ns, scan, start, stop};

/// Calls of generated code around a sample that are kept.
pub const CALLERS_MAX: usize = 3;

/// Where a thread was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// Number of the thread, from 0 in the order in which threads were seen.
    pub thread: u32,
    /// The program counter; zero for the time between a thread's last sample and its end.
    pub pc: u64,
    /// Return addresses in generated code, innermost first; zeros behind the last.
    pub callers: [u64; CALLERS_MAX],
    /// What the thread does, by [`enter`].
    pub activity: u32,
    /// What it does it for, by [`set_tag`].
    pub tag: u32,
    /// When, in nanoseconds of the monotonic clock.
    pub time_ns: u64,
    /// Processor time of the thread since its last sample, in nanoseconds.
    pub weight_ns: u64,
}

/// Samples are taken.
static IS_ON: AtomicBool = AtomicBool::new(false);

/// Whether samples are taken.
#[inline(always)]
pub fn is_on() -> bool {
    IS_ON.load(Ordering::Relaxed)
}

/// What a thread does, until this is dropped.
#[derive(Debug)]
#[must_use]
pub struct Scope {
    /// Number of the thread's slot from 1, and what it did before; zero: nothing is to be restored.
    slot: u32,
    #[cfg_attr(not(all(target_arch = "x86_64", target_os = "linux")), allow(dead_code))]
    // there are no samples
    former: u64,
    /// Threads mark themselves.
    _thread: PhantomData<*const ()>,
}

impl Drop for Scope {
    #[inline(always)]
    fn drop(&mut self) {
        if self.slot != 0 {
            leave(self);
        }
    }
}

const NOTHING: Scope = Scope { slot: 0, former: 0, _thread: PhantomData };

/// The calling thread does this from here on; its tag stays.
#[inline(always)]
pub fn enter(activity: u32) -> Scope {
    if is_on() { enter_here(Some(activity), None) } else { NOTHING }
}

/// The calling thread does what `tag` stands for, of the activity that it has.
#[inline(always)]
pub fn enter_tag(tag: u32) -> Scope {
    if is_on() { enter_here(None, Some(tag)) } else { NOTHING }
}

/// The calling thread does this, for what `tag` stands for.
#[inline(always)]
pub fn enter_both(activity: u32, tag: u32) -> Scope {
    if is_on() { enter_here(Some(activity), Some(tag)) } else { NOTHING }
}

/// The calling thread does this, if it does `only` now.
#[inline(always)]
pub fn enter_if(only: u32, activity: u32) -> Scope {
    if is_on() { enter_from(only, activity) } else { NOTHING }
}

/// Changes what the calling thread's activity is for.
#[inline(always)]
pub fn set_tag(tag: u32) {
    if is_on() {
        std::mem::forget(enter_here(None, Some(tag)));
    }
}

/// What the calling thread's activity is for; zero when sampling is off.
#[inline(always)]
pub fn tag() -> u32 {
    if is_on() { tag_here() } else { 0 }
}

/// The calling thread runs generated code until this is dropped.
#[derive(Debug)]
pub(crate) struct Generated {
    slot: u32,
    #[cfg_attr(not(all(target_arch = "x86_64", target_os = "linux")), allow(dead_code))]
    // there are no samples
    former: bool,
}

/// The calling thread calls generated code.
#[inline(always)]
pub(crate) fn generated() -> Generated {
    if is_on() { generated_here() } else { Generated { slot: 0, former: false } }
}

impl Drop for Generated {
    #[inline(always)]
    fn drop(&mut self) {
        if self.slot != 0 {
            generated_end(self);
        }
    }
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod here {
    use super::{Generated, PhantomData, Scope, slots, threads};

    #[cold]
    pub(super) fn enter_here(activity: Option<u32>, tag: Option<u32>) -> Scope {
        let Some((number, slot)) = threads::own_slot() else { return super::NOTHING };
        let former = slot.state();
        let activity = activity.map_or(former >> 32, u64::from);
        let tag = tag.map_or(former & u64::from(u32::MAX), u64::from);
        slot.set_state(activity << 32 | tag);
        Scope { slot: number + 1, former, _thread: PhantomData }
    }

    #[cold]
    pub(super) fn enter_from(only: u32, activity: u32) -> Scope {
        match threads::own_slot() {
            Some((_, slot)) if slot.state() >> 32 == u64::from(only) => enter_here(Some(activity), None),
            _ => super::NOTHING,
        }
    }

    #[cold]
    pub(super) fn leave(scope: &Scope) {
        if let Some(slot) = slots::slot(scope.slot - 1) {
            slot.set_state(scope.former);
        }
    }

    #[cold]
    pub(super) fn tag_here() -> u32 {
        threads::own_slot().map_or(0, |(_, slot)| slot.state() as u32)
    }

    #[cold]
    pub(super) fn generated_here() -> Generated {
        let Some((number, slot)) = threads::own_slot() else { return Generated { slot: 0, former: false } };
        Generated { slot: number + 1, former: slot.set_generated(true) }
    }

    #[cold]
    pub(super) fn generated_end(scope: &Generated) {
        if let Some(slot) = slots::slot(scope.slot - 1) {
            slot.set_generated(scope.former);
        }
    }
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
mod here {
    use super::{Generated, Sample, Scope};

    pub(super) fn enter_here(_: Option<u32>, _: Option<u32>) -> Scope {
        super::NOTHING
    }

    pub(super) fn enter_from(_: u32, _: u32) -> Scope {
        super::NOTHING
    }

    pub(super) fn leave(_: &Scope) {}

    pub(super) fn tag_here() -> u32 {
        0
    }

    pub(super) fn generated_here() -> Generated {
        Generated { slot: 0, former: false }
    }

    pub(super) fn generated_end(_: &Generated) {}

    /// There is no sampling on this system.
    pub fn start(_: std::time::Duration) -> bool {
        false
    }

    /// Nothing.
    pub fn stop() {}

    /// Nothing.
    pub fn scan() -> Vec<(u32, String)> {
        Vec::new()
    }

    /// Nothing.
    pub fn drain(_: &mut dyn FnMut(&Sample)) {}

    /// Zero: it is not known.
    pub fn process_ns() -> u64 {
        0
    }

    /// Nothing is known.
    pub fn own_text() -> std::ops::Range<u64> {
        0..0
    }

    /// Nothing is called.
    pub fn at_exit(_: extern "C" fn()) {}
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
pub use here::{at_exit, drain, own_text, process_ns, scan, start, stop};
use here::{enter_from, enter_here, generated_end, generated_here, leave, tag_here};

#[cfg(all(test, target_arch = "x86_64", target_os = "linux"))]
mod tests;
