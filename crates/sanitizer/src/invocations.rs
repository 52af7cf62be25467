//! Accesses of buffers and texels by the invocations of one draw, or of one launch of rays: `race-buffer`,
//! `race-image` in stages without workgroups.
//!
//! # Approach
//! Shaders tell accesses for commands ([`crate::commands`]); those of storage are compared here, too, where
//! some shader of the pipeline may write some. Nothing orders the invocations of a stage, so two of them race
//! where one writes and not both are atomic. Invocations are told apart by the ids of the report.
//!
//! Invocations of two stages race in the same way, unless the one is what the other is made from: a vertex
//! comes before the fragments of its primitives. Which vertices those are is not known, but how many there
//! are at most ([`ancestors_max`]): of more invocations that have accessed a word, one is not. And what comes
//! later is not before. Shaders that rays run for one launch id call each other, and are in order.
//!
//! # Invariants
//! * Invocations with the same ids, such as those of two samples or views, count as one.
//! * Stages whose module has interlocks, or operations that order invocations, are not followed.

use crate::commands::accessed;
use crate::finding::{Finding, OtherSide, access_name, with_article};
use crate::report::{Record, value_text};
use crate::shadow::words;
use pyro_abi::report::{AccessKind, MemoryClass, SiteKind, SiteTable, Sites};
use pyro_util::sanitize::{Kind, KindSet};
use pyro_util::sync::Mutex;
use rustc_hash::{FxHashMap, FxHasher};
use std::fmt::Write as _;
use std::hash::{Hash as _, Hasher as _};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Parts of the table, each with a lock of its own.
const SHARDS: usize = 64;
/// Words that are followed; accesses of further ones are not.
const CELL_COUNT_MAX: usize = 1 << 20;
/// Words of ids that are kept for the other side.
const ID_WORDS: usize = 4;
/// Vertices of a patch, and invocations of its control shader.
const PATCH_VERTICES_MAX: usize = 32;
/// Vertices of a primitive, those beside it included.
const PRIMITIVE_VERTICES_MAX: usize = 6;
/// Stages before rasterization and the fragments, in their order, as [`SiteTable::stage`] names them.
const GRAPHICS_STAGES: [&str; 5] =
    ["vertex", "tessellation control", "tessellation evaluation", "geometry", "fragment"];
const RAY_STAGES: [&str; 6] =
    ["ray generation", "intersection", "any-hit", "closest-hit", "miss", "callable"];

/// Stages whose invocations may access memory at the same time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    /// With the place in the order of stages.
    Graphics(usize),
    Rays,
}

impl Family {
    fn of(stage: &str) -> Option<Family> {
        if let Some(place) = GRAPHICS_STAGES.iter().position(|name| *name == stage) {
            return Some(Family::Graphics(place));
        }
        RAY_STAGES.contains(&stage).then_some(Family::Rays)
    }

    fn is_with(self, other: Family) -> bool {
        matches!((self, other), (Family::Graphics(_), Family::Graphics(_)) | (Family::Rays, Family::Rays))
    }
}

/// The most invocations of a stage that one invocation of a later stage is made from.
fn ancestors_max(earlier: usize, later: usize, is_tessellated: bool) -> usize {
    match (GRAPHICS_STAGES[earlier], GRAPHICS_STAGES[later]) {
        ("vertex", "geometry" | "fragment") if !is_tessellated => PRIMITIVE_VERTICES_MAX,
        ("vertex" | "tessellation control", _) => PATCH_VERTICES_MAX,
        ("tessellation evaluation", _) => PRIMITIVE_VERTICES_MAX,
        _ => 1,
    }
}

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Read,
    Write,
    Atomic,
    AtomicLoad,
}

impl Way {
    fn of(access: AccessKind, instruction: &str) -> Way {
        match access {
            AccessKind::Read => Way::Read,
            AccessKind::Write => Way::Write,
            _ if instruction == "OpAtomicLoad" => Way::AtomicLoad,
            _ => Way::Atomic,
        }
    }

    /// The ways that accesses of this one conflict with.
    fn conflicts(self) -> &'static [Way] {
        match self {
            Way::Read => &[Way::Write, Way::Atomic],
            Way::Write => &[Way::Write, Way::Atomic, Way::Read, Way::AtomicLoad],
            Way::Atomic => &[Way::Write, Way::Read],
            Way::AtomicLoad => &[Way::Write],
        }
    }
}

/// An access.
#[derive(Clone, Copy)]
struct Mark {
    /// A digest of the invocation's ids, and the first of their words.
    who: u64,
    ids: [u32; ID_WORDS],
    /// The table, and the site in it.
    table: u64,
    site: u32,
    /// Which of the word's bytes.
    bytes: u8,
}

impl Mark {
    /// The same of these bytes of a word.
    fn of_bytes(self, bytes: u8) -> Mark {
        Mark { bytes, ..self }
    }
}

/// The accesses of four bytes in one way by the invocations of a stage.
#[derive(Clone)]
struct Group {
    last: Mark,
    way: Way,
    family: Family,
    /// Different invocations, as far as their number matters.
    who: Vec<u64>,
    /// The bytes that all of them accessed.
    bytes: u8,
}

/// Four bytes, as one command has accessed them.
#[derive(Clone, Default)]
struct Cell {
    serial: u32,
    groups: Vec<Group>,
}

/// A new access.
struct Access {
    mark: Mark,
    way: Way,
    family: Family,
    is_tessellated: bool,
    /// Shaders of other stages may access the memory, too.
    has_others: bool,
}

impl Access {
    /// Whether it is not ordered with the accesses of a group; `is_known`: its invocation has accessed the
    /// bytes before.
    fn races(&self, group: &Group, is_known: bool) -> bool {
        let last = &group.last;
        if !self.way.conflicts().contains(&group.way)
            || last.who == self.mark.who
            || last.bytes & self.mark.bytes == 0
        {
            return false;
        }
        match (group.family, self.family) {
            _ if last.table == self.mark.table => true,
            (Family::Graphics(other), Family::Graphics(own)) if other < own => {
                group.who.len() > ancestors_max(other, own, self.is_tessellated)
                    && group.bytes & self.mark.bytes != 0
            }
            // Vertices are shaded again for other primitives.
            (Family::Graphics(other), Family::Graphics(own)) => other > own && !is_known,
            _ => true,
        }
    }
}

impl Cell {
    /// The access that races with a new one, if there is one; keeps the new one.
    fn access(&mut self, new: &Access) -> Option<Mark> {
        let mark = new.mark;
        let of_shader = |group: &Group| group.last.table == mark.table;
        let is_known = self.groups.iter().any(|group| of_shader(group) && group.who.contains(&mark.who));
        let found = self.groups.iter().find(|group| new.races(group, is_known)).map(|group| group.last);
        let Some(group) = self.groups.iter_mut().find(|group| of_shader(group) && group.way == new.way)
        else {
            // Most have no others.
            self.groups.reserve_exact(1);
            let who = if new.has_others { vec![mark.who] } else { Vec::new() };
            let (way, family, bytes) = (new.way, new.family, mark.bytes);
            self.groups.push(Group { last: mark, way, family, who, bytes });
            return found;
        };
        group.last = mark;
        group.bytes &= mark.bytes;
        if new.has_others && group.who.len() <= PATCH_VERTICES_MAX && !group.who.contains(&mark.who) {
            group.who.push(mark.who);
        }
        found
    }
}

/// How the accesses of a shader are followed.
#[derive(Clone, Copy)]
struct Followed {
    family: Family,
    is_tessellated: bool,
    has_others: bool,
}

/// What invocations of draws and launches have accessed.
pub(crate) struct Invocations {
    kinds: KindSet,
    cells: Vec<Mutex<FxHashMap<u64, Cell>>>,
    count: AtomicUsize,
    /// By table: how many tables had been made, and how the shader is followed.
    followed: Mutex<FxHashMap<u64, (u64, Option<Followed>)>>,
}

/// Whether a shader writes storage.
fn writes(sites: &SiteTable) -> bool {
    sites.sites.iter().any(|site| match site.kind {
        SiteKind::MemoryAccess { access, class: MemoryClass::Storage | MemoryClass::DeviceScope, .. }
        | SiteKind::TexelAccess { access, class: MemoryClass::Storage | MemoryClass::DeviceScope } => {
            access != AccessKind::Read
        }
        _ => false,
    })
}

/// How a shader is followed: where it is of a stage without workgroups, it or one of another stage writes
/// storage, and it has nothing that orders invocations.
fn followed(sites: &SiteTable) -> Option<Followed> {
    let is_synchronized =
        |sites: &SiteTable| sites.sites.iter().any(|site| matches!(site.kind, SiteKind::Synchronize { .. }));
    let family = Family::of(&sites.stage)?;
    if is_synchronized(sites) {
        return None;
    }
    let writes_here = writes(sites);
    let is_other = |other: &SiteTable| {
        let with = Family::of(&other.stage).is_some_and(|of| of.is_with(family));
        with && other.stage != sites.stage && !is_synchronized(other) && (writes_here || writes(other))
    };
    let has_others = Sites::any(is_other);
    let is_tessellated = Sites::any(|other| other.stage == "tessellation control");
    (writes_here || has_others).then_some(Followed { family, is_tessellated, has_others })
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

    /// Follows a report of accesses.
    pub(crate) fn follow(&self, record: &Record, found: &mut dyn FnMut(u32, Finding)) {
        let (kind, access) = match record.site().kind {
            SiteKind::MemoryAccess {
                access, class: MemoryClass::Storage | MemoryClass::DeviceScope, ..
            } => (Kind::RaceBuffer, access),
            SiteKind::TexelAccess {
                access,
                class: MemoryClass::Storage | MemoryClass::DeviceScope | MemoryClass::Sampled,
            } => (Kind::RaceImage, access),
            SiteKind::SampleAccess { class: MemoryClass::Sampled, .. } => (Kind::RaceImage, AccessKind::Read),
            _ => return,
        };
        if !self.kinds.contains(kind) {
            return;
        }
        let Some(Followed { family, is_tessellated, has_others }) = self.followed(record) else { return };
        let way = Way::of(access, &record.site().place.instruction);
        for lane in record.active_lanes() {
            let mark = mark(record, lane);
            let mut other = None;
            accessed(record, lane, &mut |serial, range| {
                let bytes = u32::try_from(range.end.saturating_sub(range.start)).unwrap_or(0);
                for (word, bytes) in words(range.start, bytes) {
                    let mark = mark.of_bytes(bytes);
                    let access = Access { mark, way, family, is_tessellated, has_others };
                    other = other.or(self.access(word, serial, &access));
                }
            });
            if let Some(other) = other {
                found(record.index, race(record, lane, kind, &other));
            }
        }
    }

    fn followed(&self, record: &Record) -> Option<Followed> {
        let made = Sites::made();
        if let Some(&(at, known)) = self.followed.lock().get(&record.table)
            && at == made
        {
            return known;
        }
        let known = followed(&record.sites);
        self.followed.lock().insert(record.table, (made, known));
        known
    }

    fn access(&self, word: u64, serial: u32, new: &Access) -> Option<Mark> {
        let mut cells = self.cells[word as usize % SHARDS].lock();
        if !cells.contains_key(&word) && self.count.fetch_add(1, Ordering::Relaxed) >= CELL_COUNT_MAX {
            self.count.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        let cell = cells.entry(word).or_default();
        if cell.serial != serial {
            cell.serial = serial;
            cell.groups.clear();
        }
        cell.access(new)
    }
}

fn mark(record: &Record, lane: u32) -> Mark {
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
    Mark { who: hasher.finish(), ids, table: record.table, site: record.index, bytes: 0 }
}

/// Which invocation a mark is of, for people.
fn invocation(sites: &SiteTable, mark: &Mark) -> String {
    let mut text = String::new();
    let mut column = 0;
    for id in &sites.ids {
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
        SiteKind::SampleAccess { .. } => access_name(site),
        _ => "access",
    };
    let own = name(record.site().kind);
    let sites =
        if other.table == record.table { Some(record.sites.clone()) } else { Sites::find(other.table) };
    let site = sites.as_ref().and_then(|sites| sites.sites.get(other.site as usize));
    let theirs = site.map_or("access", |site| name(site.kind));
    let of_stage = match &sites {
        Some(sites) if sites.stage != record.sites.stage => format!(" of the {} shader", sites.stage),
        _ => String::new(),
    };
    let what = if kind == Kind::RaceImage { "a texel of image" } else { "the buffer" };
    let message = format!(
        "{} of {what} {} is not ordered with {} by another invocation{of_stage}",
        with_article(own),
        record.site().text,
        with_article(theirs)
    );
    let mut finding = Finding::at(record, lane, kind, message);
    if let (Some(sites), Some(site)) = (&sites, site) {
        finding.other = Some(OtherSide {
            message: format!("the {theirs} before it{of_stage}"),
            place: site.place.clone(),
            invocation: invocation(sites, other),
        });
    }
    finding
}
