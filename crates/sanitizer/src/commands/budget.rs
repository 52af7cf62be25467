//! How many accesses of a command each site tells: a shader that runs millions of times would spend all its
//! time on it, and what the first accesses do not show the others seldom do.
//!
//! Shaders look at a word for the site, and tell nothing more once it has the number of their command.

use pyro_abi::report::TOLD_COUNT;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// What a site tells of a command: runs of bytes one behind the other. Reports, each of all lanes of a
/// subgroup, have one or more; those of several count twice, as each is kept by itself.
const RUNS_MAX: u32 = 1 << 12;

/// What sites have told, by their numbers modulo [`TOLD_COUNT`].
pub(super) struct Budgets {
    /// The serial of the command of which nothing more is told.
    closed: Box<[AtomicU32]>,
    /// The serial of the last command in the upper half, and how often it has been told of.
    spent: Box<[AtomicU64]>,
}

impl Default for Budgets {
    fn default() -> Budgets {
        Budgets {
            closed: (0..TOLD_COUNT).map(|_| AtomicU32::new(0)).collect(),
            spent: (0..TOLD_COUNT).map(|_| AtomicU64::new(0)).collect(),
        }
    }
}

impl Budgets {
    /// The address of the words that shaders look at.
    pub(super) fn address(&self) -> u64 {
        self.closed.as_ptr().expose_provenance() as u64
    }

    /// Counts a report of a site about a command, which tells of so many runs of bytes; whether it was the
    /// last.
    pub(super) fn spend(&self, site: u32, serial: u32, runs: u32) -> bool {
        let index = (site % TOLD_COUNT) as usize;
        let spent = &self.spent[index];
        let before = spent.load(Ordering::Relaxed);
        let before = if (before >> 32) as u32 == serial { before as u32 } else { 0 };
        let count = before.saturating_add(if runs > 1 { 2 * runs } else { 1 });
        // Threads that come together lose a count.
        spent.store(u64::from(serial) << 32 | u64::from(count), Ordering::Relaxed);
        if before >= RUNS_MAX || count < RUNS_MAX {
            return false;
        }
        self.closed[index].store(serial, Ordering::Relaxed);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_has_its_own_budget() {
        let budgets = Budgets::default();
        let closing = (1..=RUNS_MAX + 5).filter(|_| budgets.spend(7, 3, 1)).count();
        assert_eq!(closing, 1);
        assert_eq!(budgets.closed[7].load(Ordering::Relaxed), 3);
        assert!(!budgets.spend(7, 4, 1) && !budgets.spend(8, 3, 1), "another command, another site");
    }

    #[test]
    fn scattered_accesses_take_more() {
        let budgets = Budgets::default();
        let told = (1..=RUNS_MAX).take_while(|_| !budgets.spend(7, 3, 16)).count();
        assert_eq!(told, RUNS_MAX as usize / 32 - 1);
    }
}
