//! Accesses of buffers and texels by the invocations of one draw, or of one launch of rays: `race-buffer`,
//! `race-image` in stages without workgroups.
//!
//! # Approach
//! Shaders tell accesses for commands ([`crate::commands`]); those of storage of a stage that writes some are
//! compared here, too. Nothing orders the invocations of such a stage, so two of them race where one writes
//! and not both are atomic. Invocations are told apart by the ids of the report.
//!
//! # Invariants
//! * Invocations with the same ids, such as those of two samples or views, count as one.
//! * Stages whose module has interlocks, or operations that order invocations, are not followed.
//! * Accesses of different stages are not compared: their invocations may be ordered by the pipeline.

use crate::finding::{Finding, access_name, with_article};
use crate::report::{Record, value_text};
use crate::shadow::words;
use pyro_abi::report::{AccessKind, MemoryClass, SiteKind, Sites};
use pyro_util::sanitize::{Kind, KindSet};
use pyro_util::sync::Mutex;
use rustc_hash::{FxHashMap, FxHasher};
use std::fmt::Write as _;
use std::hash::{Hash as _, Hasher as _};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Parts of the table, each with a lock of its own.
const SHARDS: usize = 64;
/// Words that are followed; accesses of further ones are not.
const CELL_COUNT_MAX: usize = 1 << 20;
/// Words of ids that are kept for the other side.
const ID_WORDS: usize = 4;

/// An access.
#[derive(Clone, Copy)]
struct Mark {
    /// A digest of the invocation's ids, and the first of their words.
    who: u64,
    ids: [u32; ID_WORDS],
    site: u32,
    is_atomic: bool,
    /// Which of the word's bytes.
    bytes: u8,
}

/// Four bytes, as one stage of one command has accessed them.
#[derive(Clone, Copy, Default)]
struct Cell {
    owner: (u32, u64),
    write: Option<Mark>,
    read: Option<Mark>,
}

impl Cell {
    /// The access that races with a new one, if there is one; keeps the new one.
    fn access(&mut self, mark: Mark, is_write: bool) -> Option<Mark> {
        let races = |other: &Mark| {
            other.who != mark.who && other.bytes & mark.bytes != 0 && !(other.is_atomic && mark.is_atomic)
        };
        let with_read = self.read.filter(|read| is_write && races(read));
        let found = self.write.filter(races).or(with_read);
        let kept = if is_write { &mut self.write } else { &mut self.read };
        *kept = Some(mark);
        found
    }
}

/// What invocations of draws and launches have accessed.
pub(crate) struct Invocations {
    kinds: KindSet,
    cells: Vec<Mutex<FxHashMap<u64, Cell>>>,
    count: AtomicUsize,
    /// By table: whether its shader is followed.
    followed: Mutex<FxHashMap<u64, bool>>,
}

/// Whether a shader is of a stage without workgroups, writes storage, and has nothing that orders
/// invocations.
fn is_followed(sites: &Sites) -> bool {
    let has = |is_it: &dyn Fn(SiteKind) -> bool| sites.sites.iter().any(|site| is_it(site.kind));
    let is_write = |access| access != AccessKind::Read;
    !sites.ids.iter().any(|id| id.name == "workgroup")
        && !has(&|kind| matches!(kind, SiteKind::Synchronize { .. }))
        && has(&|kind| match kind {
            SiteKind::MemoryAccess { access, class: MemoryClass::Storage, .. }
            | SiteKind::TexelAccess { access, class: MemoryClass::Storage } => is_write(access),
            _ => false,
        })
}

impl Invocations {
    pub(crate) fn new(kinds: KindSet) -> Invocations {
        Invocations {
            kinds,
            cells: (0..SHARDS).map(|_| Mutex::default()).collect(),
            count: AtomicUsize::new(0),
            followed: Mutex::default(),
        }
    }

    /// Follows a report of accesses; `ranges` gives the number of a lane's command and the bytes.
    pub(crate) fn follow(
        &self,
        record: &Record,
        ranges: impl Fn(u32) -> Option<(u32, Range<u64>)>,
        found: &mut dyn FnMut(u32, Finding),
    ) {
        let (kind, access) = match record.site().kind {
            SiteKind::MemoryAccess { access, class: MemoryClass::Storage, .. } => (Kind::RaceBuffer, access),
            SiteKind::TexelAccess { access, class: MemoryClass::Storage } => (Kind::RaceImage, access),
            _ => return,
        };
        if !self.kinds.contains(kind) {
            return;
        }
        let known = self.followed.lock().get(&record.table).copied();
        let is_followed = known.unwrap_or_else(|| {
            *self.followed.lock().entry(record.table).or_insert_with(|| is_followed(&record.sites))
        });
        if !is_followed {
            return;
        }
        for lane in record.active_lanes() {
            let Some((serial, range)) = ranges(lane) else { continue };
            let mark = mark(record, lane, access);
            let bytes = u32::try_from(range.end.saturating_sub(range.start)).unwrap_or(0);
            let mut other = None;
            for (word, bytes) in words(range.start, bytes) {
                let of_word = Mark { bytes, ..mark };
                other = other.or(self.access(word, (serial, record.table), of_word, access));
            }
            if let Some(other) = other {
                found(record.index, race(record, lane, kind, &other));
            }
        }
    }

    fn access(&self, word: u64, owner: (u32, u64), mark: Mark, access: AccessKind) -> Option<Mark> {
        let mut cells = self.cells[word as usize % SHARDS].lock();
        if !cells.contains_key(&word) && self.count.fetch_add(1, Ordering::Relaxed) >= CELL_COUNT_MAX {
            self.count.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        let cell = cells.entry(word).or_default();
        if cell.owner != owner {
            *cell = Cell { owner, ..Cell::default() };
        }
        cell.access(mark, access != AccessKind::Read)
    }
}

fn mark(record: &Record, lane: u32, access: AccessKind) -> Mark {
    let mut hasher = FxHasher::default();
    let mut ids = [0; ID_WORDS];
    let words = record.sites.id_columns();
    for column in 0..words {
        let word = record.word(column, lane);
        word.hash(&mut hasher);
        if let Some(id) = ids.get_mut(column as usize) {
            *id = word;
        }
    }
    let is_atomic = access.is_atomic();
    Mark { who: hasher.finish(), ids, site: record.index, is_atomic, bytes: 0 }
}

/// Which invocation a mark is of, for people.
fn invocation(record: &Record, mark: &Mark) -> String {
    let mut text = String::new();
    let mut column = 0;
    for id in &record.sites.ids {
        let words = (0..id.count).map_while(|component| mark.ids.get(column + component as usize));
        let components: Vec<u64> = words.map(|&word| word.into()).collect();
        column += id.count as usize;
        if components.len() == id.count as usize {
            let separator = if text.is_empty() { "" } else { ", " };
            let _ = write!(text, "{separator}{} {}", id.name, value_text(id.ty, &components));
        }
    }
    text
}

fn race(record: &Record, lane: u32, kind: Kind, other: &Mark) -> Finding {
    let name = |site: SiteKind| match site {
        SiteKind::MemoryAccess { access, .. } | SiteKind::TexelAccess { access, .. } => {
            access_name(SiteKind::ImageAccess { access, bytes: 0 })
        }
        _ => "access",
    };
    let own = name(record.site().kind);
    let theirs = record.sites.sites.get(other.site as usize).map_or("access", |site| name(site.kind));
    let what = if kind == Kind::RaceImage { "a texel of image" } else { "the buffer" };
    let message = format!(
        "{} of {what} {} is not ordered with {} by another invocation",
        with_article(own),
        record.site().text,
        with_article(theirs)
    );
    let side = format!("the {theirs} before it");
    let invocation = invocation(record, other);
    Finding::at(record, lane, kind, message).with_other(record, other.site, side, invocation)
}
