//! What orders two commands: the dependencies between them, taken at their word (specification,
//! "Synchronization and Cache Control").
//!
//! # Approach
//! Queues write what they come to in a log: barriers, events, semaphores. An [`Origin`] stands for the
//! accesses of a command by one stage in one way. It goes through the log once, as far as somebody asks, and
//! keeps which stages of which queues are ordered behind it, for which bytes its writes are available, and to
//! whom they are visible.
//!
//! # Invariants
//! * A barrier's second scope is ordered behind an origin if its first scope has the origin's stage, or one
//!   that an earlier dependency has ordered behind it (a dependency chain).
//! * Masks and ranges limit what is made available and visible; execution is ordered by stages alone.

use super::scope::{Scope, named_accesses, named_stages, ordered_stages};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Ranges of addresses.
pub type Ranges = Arc<[Range<u64>]>;

/// A memory dependency.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Barrier {
    /// What is before it.
    pub first: Scope,
    /// What is behind it.
    pub second: Scope,
    /// The memory, sorted; none for all.
    pub ranges: Option<Ranges>,
}

/// An entry of the log.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    Barrier { queue: u32, barrier: Barrier },
    SetEvent { queue: u32, event: u64, stages: u64 },
    ResetEvent { event: u64 },
    WaitEvent { queue: u32, event: u64, barrier: Barrier },
    Signal { queue: u32, semaphore: u64, value: u64 },
    Wait { queue: u32, semaphore: u64, value: u64, stages: u64 },
}

/// A batch of a submission.
#[derive(Clone, Copy, Debug)]
pub(super) struct Batch {
    pub(super) queue: u32,
    /// When the host submitted it.
    pub(super) submitted: u64,
    /// When the host knew that it had ended; the greatest number until then.
    pub(super) observed: u64,
}

/// To whom writes are visible.
#[derive(Clone, Debug, PartialEq)]
struct Grant {
    queue: u32,
    stages: u64,
    accesses: u64,
    ranges: Option<Ranges>,
}

/// The accesses of a command by one stage in one way.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    /// Which command.
    pub(super) command: u32,
    pub(super) queue: u32,
    pub(super) batch: u32,
    pub(super) stage: u64,
    pub(super) access: u64,
    pub(super) writes: bool,
    /// The shader makes its writes available to the device.
    is_device: bool,
    /// Stages that are ordered behind it, by queue.
    ordered: BTreeMap<u32, u64>,
    semaphores: Vec<(u64, u64)>,
    events: Vec<u64>,
    available: Vec<Option<Ranges>>,
    grants: Vec<Grant>,
    /// Entries of the log that it has gone through.
    walked: usize,
}

/// What two accesses lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hazard {
    /// Nothing orders their execution.
    Order,
    /// The write is not made available.
    Availability,
    /// The write is made available, and not visible to the second access.
    Visibility,
}

/// The second of two accesses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Second {
    pub(super) queue: u32,
    pub(super) submitted: u64,
    pub(super) stage: u64,
    pub(super) access: u64,
    /// The shader makes visible what is available to the device.
    pub(super) is_device: bool,
}

fn covers(ranges: &Option<Ranges>, at: u64) -> bool {
    let Some(ranges) = ranges else { return true };
    let next = ranges.partition_point(|range| range.start <= at);
    next.checked_sub(1).and_then(|index| ranges.get(index)).is_some_and(|range| at < range.end)
}

impl Origin {
    pub(super) fn new(
        command: u32,
        (queue, batch): (u32, u32),
        (stage, access): (u64, u64),
        log: &[Entry],
    ) -> Origin {
        Origin {
            command,
            queue,
            batch,
            stage,
            access,
            writes: access & super::scope::access::WRITES != 0,
            is_device: false,
            ordered: BTreeMap::new(),
            semaphores: Vec::new(),
            events: Vec::new(),
            available: Vec::new(),
            grants: Vec::new(),
            walked: log.len(),
        }
    }

    /// Whether it stands for accesses of this kind.
    pub(super) fn is_of(&self, stage: u64, access: u64, is_device: bool) -> bool {
        (self.stage, self.access, self.is_device) == (stage, access, is_device)
    }

    /// Its writes are available to the device by what the shader says (specification, "Availability,
    /// Visibility, and Domain Operations").
    pub(super) fn make_available(&mut self) {
        self.is_device = true;
        self.available.push(None);
    }

    /// What a barrier does that the origin is a layout transition of.
    pub(super) fn by_transition(&mut self, barrier: &Barrier) {
        self.available.push(None);
        self.order(self.queue, barrier);
    }

    /// Stages from which dependencies lead on.
    fn reached(&self, queue: u32) -> u64 {
        let own = if queue == self.queue { self.stage } else { 0 };
        own | self.ordered.get(&queue).copied().unwrap_or(0)
    }

    fn order(&mut self, queue: u32, barrier: &Barrier) {
        *self.ordered.entry(queue).or_default() |= ordered_stages(barrier.second.stages, false);
        let (stages, accesses) =
            (named_stages(barrier.second.stages, false), named_accesses(barrier.second.accesses));
        if self.writes && accesses != 0 && !self.available.is_empty() {
            let grant = Grant { queue, stages, accesses, ranges: barrier.ranges.clone() };
            if !self.grants.contains(&grant) {
                self.grants.push(grant);
            }
        }
    }

    fn dependency(&mut self, queue: u32, barrier: &Barrier) {
        if self.reached(queue) & ordered_stages(barrier.first.stages, true) == 0 {
            return;
        }
        let makes_available = queue == self.queue
            && named_stages(barrier.first.stages, true) & self.stage != 0
            && named_accesses(barrier.first.accesses) & self.access != 0;
        if self.writes && makes_available && !self.available.contains(&barrier.ranges) {
            self.available.push(barrier.ranges.clone());
        }
        self.order(queue, barrier);
    }

    fn walk(&mut self, log: &[Entry]) {
        for entry in &log[self.walked.min(log.len())..] {
            match entry {
                Entry::Barrier { queue, barrier } => self.dependency(*queue, barrier),
                Entry::SetEvent { queue, event, stages } => {
                    if self.reached(*queue) & ordered_stages(*stages, true) != 0 {
                        self.events.push(*event);
                    }
                }
                Entry::ResetEvent { event } => self.events.retain(|known| known != event),
                Entry::WaitEvent { queue, event, barrier } => {
                    if self.events.contains(event) {
                        self.dependency(*queue, barrier);
                    }
                }
                Entry::Signal { queue, semaphore, value } => {
                    if self.reached(*queue) != 0 {
                        // All that is before it is made available.
                        self.semaphores.push((*semaphore, *value));
                    }
                }
                Entry::Wait { queue, semaphore, value, stages } => {
                    let is_it = |&(known, signaled): &(u64, u64)| known == *semaphore && signaled <= *value;
                    if self.semaphores.iter().any(is_it) {
                        if self.writes && !self.available.contains(&None) {
                            self.available.push(None);
                        }
                        let second = Scope { stages: *stages, accesses: u64::MAX };
                        self.order(*queue, &Barrier { second, ..Barrier::default() });
                    }
                }
            }
        }
        self.walked = log.len();
    }

    /// Whether an access of the byte at an address is ordered behind it.
    pub(super) fn orders(
        &mut self,
        second: &Second,
        at: u64,
        batches: &[Batch],
        log: &[Entry],
    ) -> Result<(), Hazard> {
        let observed = batches.get(self.batch as usize).map_or(u64::MAX, |batch| batch.observed);
        if observed < second.submitted {
            return Ok(());
        }
        self.walk(log);
        if self.ordered.get(&second.queue).copied().unwrap_or(0) & second.stage == 0 {
            return Err(Hazard::Order);
        }
        // The second scope of a transition is the memory itself.
        if !self.writes {
            return Ok(());
        }
        if !self.available.iter().any(|ranges| covers(ranges, at)) {
            return Err(Hazard::Availability);
        }
        let sees = |grant: &Grant| {
            grant.queue == second.queue
                && grant.stages & second.stage != 0
                && grant.accesses & second.access != 0
                && covers(&grant.ranges, at)
        };
        if second.is_device || self.grants.iter().any(sees) { Ok(()) } else { Err(Hazard::Visibility) }
    }

    /// Whether a barrier's layout transition of the byte at an address is ordered behind it: its first scope
    /// has it, and what it wrote is available.
    pub(super) fn orders_transition(
        &mut self,
        queue: u32,
        submitted: u64,
        barrier: &Barrier,
        at: u64,
        batches: &[Batch],
        log: &[Entry],
    ) -> Result<(), Hazard> {
        let observed = batches.get(self.batch as usize).map_or(u64::MAX, |batch| batch.observed);
        if observed < submitted {
            return Ok(());
        }
        self.walk(log);
        if self.reached(queue) & ordered_stages(barrier.first.stages, true) == 0 {
            return Err(Hazard::Order);
        }
        let own = queue == self.queue
            && named_stages(barrier.first.stages, true) & self.stage != 0
            && named_accesses(barrier.first.accesses) & self.access != 0;
        let is_available = own || self.available.iter().any(|ranges| covers(ranges, at));
        // A transition that is followed by another is available without a mask.
        if !self.writes || is_available { Ok(()) } else { Err(Hazard::Availability) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::scope::{access, stage};
    use super::*;

    fn second(stage: u64, access: u64) -> Second {
        Second { queue: 0, submitted: 1, stage, access, is_device: false }
    }

    fn barrier(first: (u64, u64), second: (u64, u64)) -> Entry {
        let scope = |(stages, accesses)| Scope { stages, accesses };
        let barrier = Barrier { first: scope(first), second: scope(second), ranges: None };
        Entry::Barrier { queue: 0, barrier }
    }

    const BATCHES: [Batch; 1] = [Batch { queue: 0, submitted: 1, observed: u64::MAX }];
    const WRITE: (u64, u64) = (stage::COMPUTE, access::STORAGE_WRITE);
    const READ: (u64, u64) = (stage::COMPUTE, access::STORAGE_READ);

    fn write() -> Origin {
        Origin::new(0, (0, 0), WRITE, &[])
    }

    fn orders(log: &[Entry], to: (u64, u64)) -> Result<(), Hazard> {
        write().orders(&second(to.0, to.1), 0, &BATCHES, log)
    }

    #[test]
    fn masks_are_taken_at_their_word() {
        assert_eq!(orders(&[], READ), Err(Hazard::Order));
        assert_eq!(orders(&[barrier(WRITE, READ)], READ), Ok(()));
        assert_eq!(orders(&[barrier((stage::COMPUTE, 0), READ)], READ), Err(Hazard::Availability));
        assert_eq!(orders(&[barrier(WRITE, (stage::COMPUTE, 0))], READ), Err(Hazard::Visibility));
        assert_eq!(orders(&[barrier(WRITE, READ)], WRITE), Err(Hazard::Visibility));
        assert_eq!(orders(&[barrier((stage::COPY, access::STORAGE_WRITE), READ)], READ), Err(Hazard::Order));
        let all = (stage::ALL_COMMANDS, 1 << 15 | 1 << 16);
        assert_eq!(orders(&[barrier(all, all)], (stage::VERTEX, access::UNIFORM_READ)), Ok(()));
        // A read before a write needs order alone.
        let mut read = Origin::new(0, (0, 0), READ, &[]);
        let log = [barrier((stage::COMPUTE, 0), (stage::COMPUTE, 0))];
        assert_eq!(read.orders(&second(WRITE.0, WRITE.1), 0, &BATCHES, &log), Ok(()));
    }

    #[test]
    fn shaders_make_memory_available_and_visible() {
        let order = [barrier((stage::COMPUTE, 0), (stage::COMPUTE, 0))];
        let orders = |writes_to_device: bool, is_device: bool, log: &[Entry]| {
            let mut first = write();
            if writes_to_device {
                first.make_available();
            }
            first.orders(&Second { is_device, ..second(READ.0, READ.1) }, 0, &BATCHES, log)
        };
        assert_eq!(orders(true, true, &order), Ok(()));
        assert_eq!(orders(true, true, &[]), Err(Hazard::Order));
        assert_eq!(orders(true, false, &order), Err(Hazard::Visibility));
        assert_eq!(orders(false, true, &order), Err(Hazard::Availability));
    }

    #[test]
    fn dependencies_form_chains() {
        let copy = (stage::COPY, access::TRANSFER_READ);
        let log = [barrier(WRITE, (stage::COPY, 0)), barrier((stage::COPY, 0), READ)];
        assert_eq!(orders(&log, READ), Ok(()));
        // The second does not begin where the first ends.
        let log = [barrier(WRITE, (stage::COPY, 0)), barrier((stage::CLEAR, 0), READ)];
        assert_eq!(orders(&log, READ), Err(Hazard::Order));
        assert_eq!(orders(&[barrier(WRITE, copy)], READ), Err(Hazard::Order));
    }

    #[test]
    fn ranges_limit_what_is_visible() {
        let Entry::Barrier { mut barrier, .. } = barrier(WRITE, READ) else { return };
        barrier.ranges = Some(Arc::from([8..16, 32..40]));
        let log = [Entry::Barrier { queue: 0, barrier }];
        let at = |at| write().orders(&second(READ.0, READ.1), at, &BATCHES, &log);
        assert_eq!([at(8), at(39)], [Ok(()), Ok(())]);
        assert_eq!([at(0), at(16), at(40)], [Err(Hazard::Availability); 3]);
    }

    #[test]
    fn semaphores_events_and_the_host_order() {
        let other = Second { queue: 1, ..second(READ.0, READ.1) };
        let signal = Entry::Signal { queue: 0, semaphore: 5, value: 1 };
        let wait = Entry::Wait { queue: 1, semaphore: 5, value: 2, stages: stage::ALL_COMMANDS };
        let log = [signal, wait];
        assert_eq!(write().orders(&other, 0, &BATCHES, &log), Ok(()));
        assert_eq!(write().orders(&other, 0, &BATCHES, &log[..1]), Err(Hazard::Order));
        let Entry::Barrier { barrier, .. } = barrier(WRITE, READ) else { return };
        let set = Entry::SetEvent { queue: 0, event: 3, stages: stage::COMPUTE };
        let wait = Entry::WaitEvent { queue: 0, event: 3, barrier };
        assert_eq!(orders(&[set.clone(), wait.clone()], READ), Ok(()));
        assert_eq!(orders(&[set, Entry::ResetEvent { event: 3 }, wait], READ), Err(Hazard::Order));
        let observed = [Batch { observed: 4, ..BATCHES[0] }];
        let late = Second { submitted: 5, ..other };
        assert_eq!(write().orders(&late, 0, &observed, &[]), Ok(()));
    }
}
