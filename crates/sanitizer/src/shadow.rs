//! Shadow memory: who accessed which word last, and what orders accesses.
//!
//! # What orders two accesses of one dispatch
//! * They are of one invocation.
//! * They are of one workgroup, and a barrier that orders their memory is between them: then the invocations
//!   have passed different numbers of such barriers.
//! * They are of one subgroup, and the same holds for its barriers.
//! * Both are atomic, and the scope of each includes the other's invocation.
//! * The first's invocation, or one of its workgroup behind a barrier, has released, and the second's, or one
//!   of its workgroup in front of a barrier, acquired, since the first; between workgroups a
//!   write must be coherent to become available, and the read behind it to see it. Which release an acquire
//!   reads from is not followed, so some races are not seen, but none is made up.
//!
//! # Cells
//! A cell stands for four bytes and keeps the last write and the last reads of two invocations, with masks of
//! bytes. A third reader takes the place of the second.
//!
//! # Invariants
//! Workgroup memory has a state for each workgroup that runs, from its first report until all of its
//! invocations have ended. Cells of buffers are of one dispatch: what another left counts as not there.

use crate::commands::{self, resources};
use crate::finding::{Finding, access_name, with_article};
use crate::marks::{self, Orders};
use crate::report::Record;
use crate::{ways, words};
use pyro_abi::report::{AccessKind, Reach, SiteKind, WORKGROUP_VALUES};
use pyro_util::sanitize::{Kind, KindSet};
use pyro_util::sync::Mutex;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Parts of the tables, each with a lock of its own.
const SHARDS: usize = 64;
/// Cells of buffers that all dispatches together have; accesses of further words are not followed.
const BUFFER_CELL_COUNT_MAX: usize = 1 << 23;
/// Workgroups of a shard that are followed at a time.
const WORKGROUP_COUNT_MAX: usize = 1 << 12;
/// Intervals between barriers of a workgroup whose releases and acquires are kept.
const INTERVALS_MAX: usize = 8;
/// Invocations of a workgroup.
const INVOCATION_COUNT_MAX: u32 = 4096;

/// An invocation, and how many barriers it has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Actor {
    workgroup: [u32; 3],
    /// Its number in the workgroup.
    index: u32,
    subgroup: u32,
    /// Barriers that order the memory in question.
    barriers: u32,
    subgroup_barriers: u32,
}

impl Actor {
    fn is(self, other: Actor) -> bool {
        (self.workgroup, self.index) == (other.workgroup, other.index)
    }

    /// Whether a barrier is between accesses of both.
    fn is_apart(self, other: Actor) -> bool {
        let same_workgroup = self.workgroup == other.workgroup;
        let same_subgroup = same_workgroup && self.subgroup == other.subgroup;
        same_workgroup && self.barriers != other.barriers
            || same_subgroup && self.subgroup_barriers != other.subgroup_barriers
    }
}

/// An access.
#[derive(Clone, Copy, Debug)]
struct Mark {
    actor: Actor,
    site: u32,
    time: u64,
    atomic: bool,
    /// Who it is coherent with.
    reach: Reach,
    /// It is an atomic store that other atomic operations conflict with ([`Kind::RaceAtomic`]).
    relaxed_store: bool,
    /// Which of the word's bytes.
    bytes: u8,
}

impl Mark {
    /// Both are atomic, so that they do not conflict, but for stores and other operations in any order.
    fn may_meet(&self, other: &Mark) -> bool {
        self.atomic
            && other.atomic
            && self.relaxed_store == other.relaxed_store
            && self.includes(other.actor)
            && other.includes(self.actor)
    }

    /// Whether it is coherent with an invocation.
    fn includes(&self, other: Actor) -> bool {
        match self.reach {
            Reach::Device => true,
            Reach::Workgroup => self.actor.workgroup == other.workgroup,
            Reach::Subgroup => {
                (self.actor.workgroup, self.actor.subgroup) == (other.workgroup, other.subgroup)
            }
            Reach::Invocation => self.actor.is(other),
        }
    }

    /// Why releases and acquires do not order it before another, if that is so: what is not coherent.
    fn incoherent_with(&self, is_write: bool, second: &Mark, second_writes: bool) -> Option<&'static str> {
        if !is_write || self.actor.workgroup == second.actor.workgroup {
            return None;
        }
        match (self.includes(second.actor), second_writes || second.includes(self.actor)) {
            (true, true) => None,
            (false, _) => Some("the write"),
            (true, false) => Some("the read"),
        }
    }
}

/// Four bytes. Most are only written, or only read by one invocation.
#[derive(Clone, Debug, Default)]
enum Cell {
    #[default]
    Untouched,
    Written(Mark),
    Read(Mark),
    Both(Box<Accesses>),
}

/// The last write, and the last reads of two invocations.
#[derive(Clone, Copy, Debug, Default)]
struct Accesses {
    write: Option<Mark>,
    reads: [Option<Mark>; 2],
}

impl Accesses {
    fn keep(&mut self, mark: Mark, is_write: bool) {
        if is_write {
            self.write = Some(mark);
        } else {
            let own = self.reads.iter().position(|read| read.is_none_or(|read| read.actor.is(mark.actor)));
            self.reads[own.unwrap_or(1)] = Some(mark);
        }
    }
}

impl Cell {
    fn write(&self) -> Option<Mark> {
        match self {
            Cell::Written(write) => Some(*write),
            Cell::Both(accesses) => accesses.write,
            Cell::Untouched | Cell::Read(_) => None,
        }
    }

    fn reads(&self) -> [Option<Mark>; 2] {
        match self {
            Cell::Read(read) => [Some(*read), None],
            Cell::Both(accesses) => accesses.reads,
            Cell::Untouched | Cell::Written(_) => [None; 2],
        }
    }

    fn keep(&mut self, mark: Mark, is_write: bool) {
        match self {
            Cell::Both(accesses) => return accesses.keep(mark, is_write),
            Cell::Written(write) if is_write => return *write = mark,
            Cell::Read(read) if !is_write && read.actor.is(mark.actor) => return *read = mark,
            Cell::Untouched => {
                return *self = if is_write { Cell::Written(mark) } else { Cell::Read(mark) };
            }
            Cell::Written(_) | Cell::Read(_) => {}
        }
        let mut accesses = Accesses { write: self.write(), reads: self.reads() };
        accesses.keep(mark, is_write);
        *self = Cell::Both(Box::new(accesses));
    }

    /// The access that a new one is not ordered with, if there is one; then keeps the new one.
    fn access(&mut self, mark: Mark, access: AccessKind, orders: &impl Fn(&Mark) -> bool) -> Option<Mark> {
        let conflicts = |other: &Mark, both_atomic: bool| {
            other.bytes & mark.bytes != 0 && !both_atomic && !other.actor.is(mark.actor) && !orders(other)
        };
        let is_write = access != AccessKind::Read;
        let with_write = self.write().filter(|write| conflicts(write, write.may_meet(&mark)));
        let found = with_write.or_else(|| {
            let mut reads = self.reads().into_iter().flatten();
            reads.find(|read| is_write && conflicts(read, read.may_meet(&mark)))
        });
        self.keep(mark, is_write);
        found
    }
}

/// When invocations last released and acquired.
#[derive(Debug, Default)]
struct Synchronizations {
    /// By invocation.
    own: HashMap<([u32; 3], u32), (u64, u64)>,
    /// By workgroup and the barriers that an invocation of it had passed: what others release behind a
    /// barrier and acquire in front of one is ordered, too.
    of_workgroups: HashMap<[u32; 3], BTreeMap<u32, (u64, u64)>>,
}

impl Synchronizations {
    fn add(&mut self, actor: Actor, time: u64, releases: bool, acquires: bool) {
        let own = self.own.entry((actor.workgroup, actor.index)).or_default();
        let of_workgroup = self.of_workgroups.entry(actor.workgroup).or_default();
        for entry in [own, of_workgroup.entry(actor.barriers).or_default()] {
            if releases {
                entry.0 = time;
            }
            if acquires {
                entry.1 = time;
            }
        }
        while of_workgroup.len() > INTERVALS_MAX {
            of_workgroup.pop_first();
        }
    }

    /// Whether an access may be ordered before another by a release and an acquire, each of the invocation
    /// itself or of one that a barrier orders behind or before it.
    fn orders(&self, first: &Mark, second: Actor) -> bool {
        let own = |actor: Actor| self.own.get(&(actor.workgroup, actor.index)).copied().unwrap_or_default();
        let others = |actor: Actor| self.of_workgroups.get(&actor.workgroup);
        let has_released = own(first.actor).0 > first.time
            || others(first.actor).is_some_and(|intervals| {
                let mut behind = intervals.range(first.actor.barriers.saturating_add(1)..);
                behind.any(|(_, times)| times.0 > first.time)
            });
        let has_acquired = || {
            own(second).1 > first.time
                || others(second).is_some_and(|intervals| {
                    intervals.range(..second.barriers).any(|(_, times)| times.1 > first.time)
                })
        };
        has_released && has_acquired()
    }
}

/// A workgroup that runs.
#[derive(Debug, Default)]
struct Workgroup {
    orders: Orders,
}

/// Serial number, workgroup, and the address of its memory.
type WorkgroupKey = (u32, [u32; 3], u64);

/// Takes a finding at a site.
type Found<'f> = &'f mut dyn FnMut(u32, Finding);

/// Serial number of the dispatch, and the cell.
type BufferCell = (u32, Cell);

/// The shadow of all memory that is followed.
pub(crate) struct Shadow {
    kinds: KindSet,
    workgroups: Vec<Mutex<HashMap<WorkgroupKey, Workgroup>>>,
    buffers: Vec<Mutex<FxHashMap<u64, BufferCell>>>,
    buffer_cells: AtomicUsize,
    /// Of accesses of buffers.
    time: AtomicU64,
    /// The dispatch whose synchronizations these are.
    synchronizations: Mutex<(u32, Synchronizations)>,
}

/// What the values of a report about a workgroup say.
#[derive(Clone, Copy)]
struct Event {
    base: u64,
    serial: u32,
    /// All, workgroup memory's, buffers', the subgroup's.
    barriers: [u32; 4],
    subgroup: u32,
    /// Of workgroup memory's marks; zero where it is not followed.
    interval: u32,
    workgroup: [u32; 3],
    index: u32,
    /// The value behind them.
    last: u64,
}

impl Event {
    fn read(record: &Record, lane: u32) -> Option<Event> {
        const COUNT: usize = WORKGROUP_VALUES.len();
        let [base, serial, all, workgroup_memory, buffer, of_subgroup, subgroup, interval] =
            record.numbers::<COUNT>(lane)?;
        let last = record.numbers::<{ COUNT + 1 }>(lane).map_or(0, |numbers| numbers[COUNT]);
        let (workgroup, local) = record.workgroup(lane)?;
        let index = invocation_index(record, local);
        (index < INVOCATION_COUNT_MAX).then_some(Event {
            base,
            serial: serial as u32,
            barriers: [all, workgroup_memory, buffer, of_subgroup].map(|count| count as u32),
            subgroup: subgroup as u32,
            interval: interval as u32,
            workgroup,
            index,
            last,
        })
    }

    fn actor(&self, barriers: u32) -> Actor {
        Actor {
            workgroup: self.workgroup,
            index: self.index,
            subgroup: self.subgroup,
            barriers,
            subgroup_barriers: self.barriers[3],
        }
    }

    fn key(&self) -> WorkgroupKey {
        (self.serial, self.workgroup, self.base)
    }
}

/// The words of an access, each with its bytes.
pub(crate) fn words(start: u64, bytes: u32) -> impl Iterator<Item = (u64, u8)> {
    let end = start.saturating_add(bytes.into());
    (start / 4..end.div_ceil(4)).map(move |word| {
        let inside = (0..4).filter(move |byte| (start..end).contains(&(4 * word + byte)));
        (word, inside.fold(0, |mask, byte| mask | 1 << byte))
    })
}

/// The number of an invocation in its workgroup.
pub(crate) fn invocation_index(record: &Record, local: [u32; 3]) -> u32 {
    let [x, y, _] = record.sites.workgroup_size;
    (local[2].wrapping_mul(y).wrapping_add(local[1])).wrapping_mul(x).wrapping_add(local[0])
}

/// The place in a workgroup of the invocation with a number.
fn local_id(record: &Record, index: u32) -> [u32; 3] {
    let [x, y, _] = record.sites.workgroup_size.map(|size| size.max(1));
    [index % x, index / x % y, index / x / y]
}

pub(crate) fn invocation_text(record: &Record, workgroup: [u32; 3], index: u32) -> String {
    let (w, l) = (workgroup, local_id(record, index));
    format!("workgroup ({}, {}, {}), local ({}, {}, {})", w[0], w[1], w[2], l[0], l[1], l[2])
}

impl Shadow {
    pub(crate) fn new(kinds: KindSet) -> Shadow {
        Shadow {
            kinds,
            workgroups: (0..SHARDS).map(|_| Mutex::default()).collect(),
            buffers: (0..SHARDS).map(|_| Mutex::default()).collect(),
            buffer_cells: AtomicUsize::new(0),
            time: AtomicU64::new(1),
            synchronizations: Mutex::default(),
        }
    }

    /// Follows a report that is neither a print nor a finding.
    pub(crate) fn follow(&self, record: &Record, found: Found<'_>) {
        if let SiteKind::WorkgroupAccess { .. } = record.site().kind {
            return self.access_shared(record, found);
        }
        if let SiteKind::End { .. } = record.site().kind {
            for lane in record.active_lanes() {
                if let Some((site, finding)) = ways::finding(record, lane) {
                    found(site, finding);
                }
            }
            return;
        }
        if let SiteKind::BufferWord { .. } = record.site().kind {
            let findings = record.active_lanes().filter_map(|lane| words::finding(record, lane));
            return findings.for_each(|finding| found(record.index, finding));
        }
        // The address is made by pitches.
        if let SiteKind::ImageAccess { .. } = record.site().kind
            && let Some(event) = record.active_lanes().next().and_then(|lane| Event::read(record, lane))
            && resources::is_tiled(event.last)
        {
            return;
        }
        for lane in record.active_lanes() {
            let Some(event) = Event::read(record, lane) else { continue };
            match record.site().kind {
                SiteKind::BufferAccess { access, bytes, reach } => {
                    self.access_buffer(record, lane, &event, (access, bytes, reach), found);
                }
                SiteKind::ImageAccess { access, bytes } => {
                    self.access_buffer(record, lane, &event, (access, bytes, Reach::Device), found);
                }
                SiteKind::SampledTexels { operands } => {
                    commands::tracked(record, lane, operands, &mut |last| {
                        let event = Event { last, ..event };
                        self.access_buffer(record, lane, &event, (AccessKind::Read, 1, Reach::Device), found);
                    });
                }
                SiteKind::Synchronize { releases, acquires, within_subgroup } => {
                    let is_first = record.active.trailing_zeros() == lane;
                    self.synchronize(&event, (releases, acquires, within_subgroup), is_first);
                }
                _ => {}
            }
        }
    }

    fn shard(&self, [x, y, z]: [u32; 3], base: u64) -> &Mutex<HashMap<WorkgroupKey, Workgroup>> {
        let mixed = u64::from(x ^ y.rotate_left(11) ^ z.rotate_left(22)) ^ base >> 6;
        &self.workgroups[mixed as usize % SHARDS]
    }

    /// With the workgroup of an event.
    fn in_workgroup(&self, event: &Event, follow: impl FnOnce(&mut Workgroup)) {
        let mut workgroups = self.shard(event.workgroup, event.base).lock();
        if workgroups.len() >= WORKGROUP_COUNT_MAX && !workgroups.contains_key(&event.key()) {
            // Nobody says when they have ended.
            workgroups.clear();
        }
        follow(workgroups.entry(event.key()).or_default());
    }

    /// An access of workgroup memory whose cell is odd.
    fn access_shared(&self, record: &Record, found: Found<'_>) {
        for lane in record.active_lanes() {
            let Some((base, serial)) = marks::base_and_serial(record, lane) else { continue };
            let Some((workgroup, _)) = record.workgroup(lane) else { continue };
            let key = (serial, workgroup, base);
            let workgroups = self.shard(workgroup, base).lock();
            let orders = workgroups.get(&key).map(|workgroup| &workgroup.orders);
            let finding = marks::finding(record, lane, orders);
            drop(workgroups);
            finding.into_iter().for_each(|finding| found(record.index, finding));
        }
    }

    /// `is_first`: of the lanes that do so together.
    fn synchronize(
        &self,
        event: &Event,
        (releases, acquires, within_subgroup): (bool, bool, bool),
        is_first: bool,
    ) {
        if event.interval != 0 {
            self.in_workgroup(event, |workgroup| {
                if is_first {
                    workgroup.orders.advance();
                }
                let who = (event.index, event.subgroup, event.interval);
                workgroup.orders.add(who, (releases, acquires, within_subgroup));
            });
        }
        if within_subgroup {
            return;
        }
        if self.kinds.has_any(&[Kind::RaceBuffer, Kind::RaceImage]) {
            let time = self.time.fetch_add(1, Ordering::Relaxed);
            let mut synchronizations = self.synchronizations.lock();
            if synchronizations.0 != event.serial {
                *synchronizations = (event.serial, Synchronizations::default());
            }
            synchronizations.1.add(event.actor(event.barriers[2]), time, releases, acquires);
        }
    }

    fn access_buffer(
        &self,
        record: &Record,
        lane: u32,
        event: &Event,
        (access, bytes, reach): (AccessKind, u32, Reach),
        found: Found<'_>,
    ) {
        let actor = event.actor(event.barriers[2]);
        let time = self.time.fetch_add(1, Ordering::Relaxed);
        let mut other = None;
        for (word, mask) in words(event.last, bytes) {
            let mut cells = self.buffers[word as usize % SHARDS].lock();
            if !cells.contains_key(&word)
                && self.buffer_cells.fetch_add(1, Ordering::Relaxed) >= BUFFER_CELL_COUNT_MAX
            {
                self.buffer_cells.fetch_sub(1, Ordering::Relaxed);
                continue;
            }
            let (serial, cell) = cells.entry(word).or_default();
            if *serial != event.serial {
                (*serial, *cell) = (event.serial, Cell::default());
            }
            let atomic = access.is_atomic();
            let mark =
                Mark { actor, site: record.index, time, atomic, reach, relaxed_store: false, bytes: mask };
            let last_write = cell.write().map(|write| write.time);
            let orders = |first: &Mark| {
                first.actor.is_apart(actor) || {
                    let synchronizations = self.synchronizations.lock();
                    let is_write = last_write == Some(first.time);
                    synchronizations.0 == event.serial
                        && synchronizations.1.orders(first, actor)
                        && first.incoherent_with(is_write, &mark, access != AccessKind::Read).is_none()
                }
            };
            other = other.or(cell.access(mark, access, &orders));
        }
        if let Some(other) = other {
            let (kind, what) = match record.site().kind {
                SiteKind::ImageAccess { .. } | SiteKind::SampledTexels { .. } => {
                    (Kind::RaceImage, "a texel of image")
                }
                _ => (Kind::RaceBuffer, "the buffer"),
            };
            let memory = format!("{what} {}", record.site().text);
            found(record.index, race(record, lane, kind, &memory, &other));
        }
    }
}

/// What is said of two accesses that others may be ordered by, but for what they reach.
fn reach_text(record: &Record, other: &Mark) -> Option<&'static str> {
    let SiteKind::BufferAccess { access, reach, .. } = record.site().kind else { return None };
    if access.is_atomic() && other.atomic {
        return Some("; the scope of one of them does not include the other's invocation");
    }
    let is_narrow = |reach: Reach, is_atomic: bool| !is_atomic && reach != Reach::Device;
    let is_incoherent = is_narrow(reach, access.is_atomic()) || is_narrow(other.reach, other.atomic);
    is_incoherent.then_some("; the buffer is not declared Coherent, so other workgroups need not see writes")
}

/// The finding of an access that another is not ordered with.
fn race(record: &Record, lane: u32, kind: Kind, memory: &str, other: &Mark) -> Finding {
    let own = access_name(record.site().kind);
    let theirs = record.sites.sites.get(other.site as usize).map_or("access", |site| access_name(site.kind));
    let message = format!(
        "{} of {memory} is not ordered with {} by another invocation",
        with_article(own),
        with_article(theirs)
    );
    let (here, _) = record.workgroup(lane).unwrap_or_default();
    let message = match reach_text(record, other).filter(|_| here != other.actor.workgroup) {
        Some(text) => message + text,
        None => message,
    };
    let invocation = invocation_text(record, other.actor.workgroup, other.actor.index);
    let side = format!("the {theirs} before it");
    Finding::at(record, lane, kind, message).with_other(record, other.site, side, invocation)
}
