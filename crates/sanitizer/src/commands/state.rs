//! The accesses of commands so far, and what is wrong with a new one.

use super::order::{Batch, Entry, Hazard, Origin, Second};
use super::pages::{Bits, PAGE_BYTES, pages};
use super::resources::{Resource, ResourceKind, Subresources, resource_at};
use super::scope::{access, access_text, stage_text};
use super::snapshots::{Snapshot, Snapshots};
use super::{By, CommandName, ReadMemory, Transition, layouts};
use crate::finding::{Finding, OtherSide, with_article};
use pyro_abi::report::{SitePlace, Sites};
use pyro_util::sanitize::{Kind, KindSet};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

/// Sets of bytes that are kept at most, each 512 bytes; then all are forgotten.
const SETS_MAX: usize = 1 << 18;

/// An access that others are compared with.
struct Past {
    origin: u32,
    by: By,
    atomic: bool,
    bits: Bits,
}

/// What is known of a page.
#[derive(Default)]
struct Page {
    pasts: Vec<Past>,
}

/// Memory that was allocated, of which it is known whether it is written.
struct Memory {
    end: u64,
    /// The host can have written it.
    is_mapped: bool,
    /// Something that is not followed can have.
    is_lost: bool,
}

/// What a new access is.
#[derive(Clone, Debug)]
pub(super) struct Access {
    pub(super) by: By,
    pub(super) stage: u64,
    pub(super) access: u64,
    pub(super) atomic: bool,
    /// It makes what it writes available to the device, or what it reads visible, itself.
    pub(super) is_device: bool,
    /// The fewest unwritten bytes that are a finding, and of what; none where reading them may be meant.
    pub(super) whole: Option<(u32, ResourceKind)>,
    /// Commands from this number on are before it.
    pub(super) before: Option<u32>,
}

impl Access {
    fn writes(&self) -> bool {
        self.access & access::WRITES != 0
    }
}

/// A command that has run.
struct Command {
    name: CommandName,
    shader: Option<u64>,
}

/// Identifies a finding: table, site, kind and the other side.
pub(super) type Found = ((u64, u32, u8, Option<u32>), Finding);

#[derive(Default)]
pub(super) struct State {
    kinds: KindSet,
    clock: u64,
    batches: Vec<Batch>,
    running: BTreeMap<u32, u32>,
    /// Queues that run a batch now: their command may have written what they have not told yet.
    busy: BTreeSet<u32>,
    /// By payloads: values and batches.
    signals: HashMap<u64, Vec<(u64, u32)>>,
    log: Vec<Entry>,
    commands: Vec<Command>,
    origins: Vec<Origin>,
    pages: FxHashMap<u64, Page>,
    sets: usize,
    memories: BTreeMap<u64, Memory>,
    written: FxHashMap<u64, Bits>,
    tables: HashMap<u64, Sites>,
    pub(super) layouts: layouts::Layouts,
    /// What the command under way has read of mapped memory.
    mapped_reads: Vec<(By, u64, Bits)>,
    snapshots: Snapshots,
    found: Vec<Found>,
}

impl State {
    pub(super) fn new(kinds: KindSet) -> State {
        State { kinds, ..State::default() }
    }

    pub(super) fn take_found(&mut self) -> Vec<Found> {
        std::mem::take(&mut self.found)
    }

    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    /// A batch is submitted that signals payloads.
    pub(super) fn submit(&mut self, queue: u32, signals: &[(u64, u64)]) -> u32 {
        let submitted = self.tick();
        if self.batches.iter().all(|batch| batch.observed != u64::MAX) {
            // Everything is ordered before what comes.
            self.forget_order();
        }
        let number = self.batches.len() as u32;
        self.batches.push(Batch { queue, submitted, observed: u64::MAX });
        for &(payload, value) in signals {
            let known = self.signals.entry(payload).or_default();
            known.retain(|&(other, _)| other < value);
            known.push((value, number));
        }
        number
    }

    fn forget_order(&mut self) {
        self.pages.clear();
        self.sets = 0;
        self.origins.clear();
        self.log.clear();
        self.commands.clear();
        self.batches.clear();
        self.running.clear();
        self.busy.clear();
        self.signals.clear();
        self.snapshots.clear();
    }

    /// Keeps what a command has read of mapped memory, until the host knows that its batch has ended.
    pub(super) fn remember_mapped(&mut self, command: u32, queue: u32, memory: Option<ReadMemory>) {
        let (batch, _) = self.batch(queue);
        let reads = std::mem::take(&mut self.mapped_reads);
        let Some(memory) = memory else { return };
        for (by, page, bits) in reads {
            let mut bytes = vec![0; PAGE_BYTES as usize];
            if memory(page * PAGE_BYTES, &mut bytes) {
                self.snapshots.keep(page, Snapshot { queue, batch, command, by, bits, bytes });
            }
        }
    }

    /// Compares memory with what commands have read of it whose end the host does not know.
    pub(super) fn look_at_host(&mut self, memory: Option<ReadMemory>) {
        let is_known = !self.snapshots.is_empty() && self.busy.is_empty();
        let Some(memory) = memory.filter(|_| is_known) else { return };
        let mut snapshots = std::mem::take(&mut self.snapshots);
        snapshots.take_changed(memory, |snapshot, at| {
            let text = memory_text(resource_at(at).as_deref(), &(at..at + 1));
            let message = format!(
                "the host changes {text}, which {} reads, before it knows that the command has ended",
                self.command_text(snapshot.command)
            );
            self.report(snapshot.command, snapshot.by, Kind::RaceHost, message);
        });
        self.snapshots = snapshots;
    }

    fn observe(&mut self, is_ended: impl Fn(u32, &Batch) -> bool) {
        let now = self.tick();
        for (number, batch) in (0..).zip(&mut self.batches) {
            if batch.observed == u64::MAX && is_ended(number, batch) {
                batch.observed = now;
            }
        }
        let batches = &self.batches;
        let is_open =
            |batch: u32| batches.get(batch as usize).is_some_and(|batch| batch.observed == u64::MAX);
        self.snapshots.retain_batches(is_open);
    }

    /// The host knows that a payload has a value.
    pub(super) fn observe_signal(&mut self, payload: u64, value: u64) {
        let Some(known) = self.signals.get(&payload) else { return };
        let ended: Vec<u32> =
            known.iter().filter(|&&(signaled, _)| signaled <= value).map(|&(_, batch)| batch).collect();
        for last in ended {
            let Some(queue) = self.batches.get(last as usize).map(|batch| batch.queue) else { continue };
            self.observe(|number, batch| batch.queue == queue && number <= last);
        }
    }

    /// The host knows that a queue is idle, or all are.
    pub(super) fn observe_queue(&mut self, queue: Option<u32>) {
        self.observe(|_, batch| queue.is_none_or(|queue| batch.queue == queue));
    }

    pub(super) fn begin_batch(&mut self, queue: u32, batch: u32) {
        self.running.insert(queue, batch);
        self.busy.insert(queue);
    }

    pub(super) fn end_batch(&mut self, queue: u32) {
        self.busy.remove(&queue);
    }

    pub(super) fn push(&mut self, entry: Entry) {
        self.log.push(entry);
    }

    fn batch(&self, queue: u32) -> (u32, u64) {
        let number = self.running.get(&queue).copied().unwrap_or(0);
        (number, self.batches.get(number as usize).map_or(0, |batch| batch.submitted))
    }

    /// Memory is allocated whose bytes nobody has written.
    pub(super) fn allocate(&mut self, range: Range<u64>) {
        self.forget(&range);
        self.memories.insert(range.start, Memory { end: range.end, is_mapped: false, is_lost: false });
    }

    /// All memory counts as written.
    pub(super) fn lose_content(&mut self) {
        self.memories.values_mut().for_each(|memory| memory.is_lost = true);
        self.snapshots.clear();
    }

    /// Memory is gone.
    pub(super) fn free(&mut self, range: &Range<u64>) {
        self.memories.remove(&range.start);
        self.forget(range);
    }

    /// The host has memory in its hands.
    pub(super) fn map(&mut self, start: u64) {
        if let Some(memory) = self.memories.get_mut(&start) {
            memory.is_mapped = true;
        }
    }

    fn forget(&mut self, range: &Range<u64>) {
        for page in pages(range) {
            let bits = Bits::of(page, range);
            if let Some(known) = self.pages.get_mut(&page) {
                known.pasts.iter_mut().for_each(|past| past.bits.subtract(&bits));
            }
            if let Some(written) = self.written.get_mut(&page) {
                written.subtract(&bits);
            }
        }
    }

    /// Whether it is known of a byte when it is written.
    fn is_followed(&self, address: u64) -> bool {
        let last = self.memories.range(..=address).next_back();
        last.is_some_and(|(_, memory)| address < memory.end && !memory.is_mapped && !memory.is_lost)
    }

    /// Whether the host may write a byte.
    fn is_mapped(&self, address: u64) -> bool {
        let last = self.memories.range(..=address).next_back();
        last.is_some_and(|(_, memory)| address < memory.end && memory.is_mapped)
    }

    /// The host writes bytes.
    pub(super) fn write(&mut self, range: &Range<u64>) {
        for page in pages(range) {
            self.written.entry(page).or_default().union(&Bits::of(page, range));
        }
    }

    /// What is in bytes is undefined.
    pub(super) fn discard(&mut self, range: &Range<u64>) {
        for page in pages(range) {
            if let Some(written) = self.written.get_mut(&page) {
                written.subtract(&Bits::of(page, range));
            }
        }
    }

    /// A command begins; its number.
    pub(super) fn command(&mut self, name: CommandName, shader: Option<u64>) -> u32 {
        self.commands.push(Command { name, shader });
        self.commands.len() as u32 - 1
    }

    pub(super) fn keep_table(&mut self, table: u64, sites: &Sites) {
        self.tables.entry(table).or_insert_with(|| sites.clone());
    }

    fn origin(&mut self, command: u32, queue: u32, access: &Access) -> u32 {
        let (batch, _) = self.batch(queue);
        let own = self.origins.iter().rposition(|origin| origin.command != command);
        let first = own.map_or(0, |last| last + 1);
        let known = self.origins[first..]
            .iter()
            .position(|origin| origin.is_of(access.stage, access.access, access.is_device));
        if let Some(known) = known {
            return (first + known) as u32;
        }
        let way = (access.stage, access.access);
        let mut origin = Origin::new(command, (queue, batch), way, &self.log);
        if access.is_device {
            origin.make_available();
        }
        self.origins.push(origin);
        self.origins.len() as u32 - 1
    }

    /// Bytes of a page are accessed.
    pub(super) fn access(&mut self, command: u32, queue: u32, page: u64, bits: &Bits, access: &Access) {
        if let Some(whole) = access.whole {
            self.look_for_unwritten(command, page, bits, access, whole);
        }
        if access.writes() {
            self.snapshots.overwrite(page, bits);
        } else if self.kinds.contains(Kind::RaceHost) && self.is_mapped(page * PAGE_BYTES) {
            self.mapped_reads.push((access.by, page, bits.clone()));
        }
        let origin = self.origin(command, queue, access);
        let (_, submitted) = self.batch(queue);
        let (stage, is_device) = (access.stage, access.is_device);
        let second = Second { queue, submitted, stage, access: access.access, is_device };
        let State { pages, origins, batches, log, .. } = self;
        let here = pages.entry(page).or_default();
        let mut conflict = None;
        for past in &here.pasts {
            let first = &mut origins[past.origin as usize];
            let conflicts = (first.writes || access.writes()) && !(past.atomic && access.atomic);
            let is_before = access.before.is_some_and(|start| first.command >= start);
            if first.command == command || is_before || !conflicts {
                continue;
            }
            let Some(byte) = past.bits.first_common(bits) else { continue };
            let at = page * PAGE_BYTES + u64::from(byte);
            if let Err(hazard) = first.orders(&second, at, batches, log) {
                conflict = Some((past.origin, past.by, hazard, byte, past.bits.common_run(bits, byte)));
                break;
            }
        }
        if let Some((first, by, hazard, byte, count)) = conflict {
            let at = page * PAGE_BYTES + u64::from(byte);
            self.race(command, access, (first, by), hazard, at..at + u64::from(count));
        }
        self.keep(page, bits, origin, access);
    }

    /// The new access takes the place of those that it is compared instead of.
    fn keep(&mut self, page: u64, bits: &Bits, origin: u32, access: &Access) {
        let State { pages, origins, .. } = self;
        let here = pages.entry(page).or_default();
        let (queue, command) = {
            let own = &origins[origin as usize];
            (own.queue, own.command)
        };
        for past in &mut here.pasts {
            let other = &origins[past.origin as usize];
            // What orders the later of a queue's accesses of a kind orders those before it.
            let is_alike = other.stage == access.stage && other.queue == queue;
            let is_replaced = other.command != command
                && (access.writes() && !(access.atomic && past.atomic)
                    || !other.writes && is_alike
                    || access.atomic && past.atomic && access.writes() == other.writes && is_alike);
            if is_replaced {
                past.bits.subtract(bits);
            }
        }
        let before = here.pasts.len();
        here.pasts.retain(|past| !past.bits.is_empty());
        self.sets -= before - here.pasts.len();
        match here.pasts.iter_mut().find(|past| past.origin == origin && past.by == access.by) {
            Some(own) => own.bits.union(bits),
            None => {
                let (by, atomic, bits) = (access.by, access.atomic, bits.clone());
                here.pasts.push(Past { origin, by, atomic, bits });
                self.sets += 1;
            }
        }
        if access.writes() {
            self.written.entry(page).or_default().union(bits);
        }
        if self.sets > SETS_MAX {
            self.pages.clear();
            self.sets = 0;
        }
    }

    /// Bytes that a command of the same kind writes itself count as written: in which order is not known.
    pub(super) fn count_as_written(&mut self, page: u64, bits: &Bits) {
        self.written.entry(page).or_default().union(bits);
    }

    fn look_for_unwritten(
        &mut self,
        command: u32,
        page: u64,
        bits: &Bits,
        access: &Access,
        (whole, of): (u32, ResourceKind),
    ) {
        let none = Bits::default();
        let written = self.written.get(&page).unwrap_or(&none);
        let mut unwritten = bits.clone();
        unwritten.subtract(written);
        let Some(byte) = unwritten.first_common(bits) else { return };
        let at = page * PAGE_BYTES + u64::from(byte);
        let run = unwritten.common_run(bits, byte);
        if run < whole || !self.is_followed(at) {
            return;
        }
        // An address past a buffer's end may be in anything.
        let resource = resource_at(at).filter(|resource| resource.kind == of);
        let kind = match (access.access, &resource) {
            (access::COLOR_READ | access::DEPTH_STENCIL_READ, _) => Kind::UninitializedAttachment,
            (_, Some(resource)) if resource.kind == ResourceKind::Image => Kind::UninitializedImage,
            (_, Some(_)) => Kind::UninitializedBuffer,
            (_, None) => return,
        };
        if !self.kinds.contains(kind) {
            return;
        }
        let memory = memory_text(resource.as_deref(), &(at..at + u64::from(run)));
        let message = format!("a read of {memory}, which nobody has written");
        let finding = self.finding(kind, command, access, message);
        self.find(access.by, command, kind, None, finding);
    }

    /// Looks whether an image is sampled of which nobody has written a texel: which of them a sampler reads
    /// is not known, and does not matter then.
    pub(super) fn look_for_unwritten_view(&mut self, command: u32, ranges: &[Range<u64>], access: &Access) {
        let Some(first) = ranges.first() else { return };
        let is_unwritten = |range: &Range<u64>| {
            pages(range).all(|page| {
                let written = self.written.get(&page);
                written.is_none_or(|written| written.first_common(&Bits::of(page, range)).is_none())
            })
        };
        let is_followed = ranges.iter().all(|range| self.is_followed(range.start));
        if !self.kinds.contains(Kind::UninitializedImage) || !is_followed || !ranges.iter().all(is_unwritten)
        {
            return;
        }
        let resource = resource_at(first.start);
        if resource.as_ref().is_none_or(|resource| resource.kind != ResourceKind::Image) {
            return;
        }
        let memory = memory_text(resource.as_deref(), first);
        let message = format!("{memory} is sampled, of which nobody has written a texel");
        let finding = self.finding(Kind::UninitializedImage, command, access, message);
        self.find(access.by, command, Kind::UninitializedImage, None, finding);
    }

    /// A layout transition of an image, with what the barrier orders.
    pub(super) fn transition(&mut self, queue: u32, transition: &Transition, name: &CommandName) {
        let Transition { image, subresources, old, new, barrier, is_ownership } = transition;
        let command = self.command(name.clone(), None);
        let access = Access {
            by: By::Command,
            stage: super::scope::stage::TRANSITION,
            access: access::TRANSITION,
            atomic: false,
            is_device: false,
            whole: None,
            before: None,
        };
        let current = self.layouts.change(image, *subresources, *old, *new);
        if let Err(current) = current
            && !(*is_ownership && current == *new)
        {
            let (old, current) = (layouts::text(*old), layouts::text(current));
            let message = format!("a barrier changes {} from {old}, but it is in {current}", image.text());
            let finding = self.finding(Kind::ImageLayout, command, &access, message);
            self.find(By::Command, command, Kind::ImageLayout, None, finding);
        }
        if old == new || *is_ownership {
            return;
        }
        let origin = self.origin(command, queue, &access);
        self.origins[origin as usize].by_transition(barrier);
        let (_, submitted) = self.batch(queue);
        let mut conflict = None;
        for range in image.ranges(*subresources) {
            if *old == layouts::UNDEFINED {
                self.discard(&range);
            }
            for page in pages(&range) {
                let bits = Bits::of(page, &range);
                let State { pages, origins, batches, log, .. } = self;
                let here = pages.entry(page).or_default();
                for past in &here.pasts {
                    let first = &mut origins[past.origin as usize];
                    if first.command == command || conflict.is_some() {
                        continue;
                    }
                    let Some(byte) = past.bits.first_common(&bits) else { continue };
                    let at = page * PAGE_BYTES + u64::from(byte);
                    let ordered = first.orders_transition(queue, submitted, barrier, at, batches, log);
                    if let Err(hazard) = ordered {
                        conflict = Some((past.origin, past.by, hazard, at));
                    }
                }
                let State { pages, .. } = self;
                let here = pages.entry(page).or_default();
                here.pasts.iter_mut().for_each(|past| past.bits.subtract(&bits));
                let before = here.pasts.len();
                here.pasts.retain(|past| !past.bits.is_empty());
                here.pasts.push(Past { origin, by: By::Command, atomic: false, bits });
                self.sets = self.sets + 1 - (before + 1 - here.pasts.len());
            }
        }
        if let Some((first, by, hazard, at)) = conflict {
            self.race(command, &access, (first, by), hazard, at..at + 1);
        }
    }

    /// An image is accessed in a layout by a command.
    pub(super) fn expect_layout(
        &mut self,
        command: u32,
        by: By,
        image: &Arc<Resource>,
        subresources: Subresources,
        expected: &[i32],
    ) {
        if !self.kinds.contains(Kind::ImageLayout) {
            return;
        }
        let Some((level, layer, current)) = self.layouts.differs(image, subresources, expected) else {
            return;
        };
        let expected: Vec<_> = expected.iter().map(|&layout| layouts::text(layout)).collect();
        let message = format!(
            "{} is accessed in the layout {}, but level {level}, layer {layer} is in {}",
            image.text(),
            expected.join(" or "),
            layouts::text(current)
        );
        let access =
            Access { by, stage: 0, access: 0, atomic: false, is_device: false, whole: None, before: None };
        let finding = self.finding(Kind::ImageLayout, command, &access, message);
        self.find(by, command, Kind::ImageLayout, None, finding);
    }

    /// A finding of a kind where something is accessed.
    pub(super) fn report(&mut self, command: u32, by: By, kind: Kind, message: String) {
        if self.kinds.contains(kind) {
            let access = Access {
                by,
                stage: 0,
                access: 0,
                atomic: false,
                is_device: false,
                whole: None,
                before: None,
            };
            let finding = self.finding(kind, command, &access, message);
            self.find(by, command, kind, None, finding);
        }
    }

    /// Tells what is wrong with a command, once for each pipeline.
    pub(super) fn report_of_pipeline(&mut self, command: u32, pipeline: u64, kind: Kind, message: String) {
        let before = self.found.len();
        self.report(command, By::Command, kind, message);
        for (key, _) in &mut self.found[before..] {
            key.1 ^= (pipeline ^ pipeline >> 32) as u32;
        }
    }

    /// Whether subresources are in a layout in which a shader may access what it draws to, or only reads.
    pub(super) fn allows_feedback(&mut self, image: &Resource, of: Subresources) -> bool {
        self.layouts.differs(image, of, layouts::ATTACHMENTS).is_some() || self.layouts.may_be_two(image, of)
    }

    fn race(
        &mut self,
        command: u32,
        access: &Access,
        (first, first_by): (u32, By),
        hazard: Hazard,
        bytes: Range<u64>,
    ) {
        let resource = resource_at(bytes.start);
        let is_image = resource.as_ref().is_some_and(|resource| resource.kind == ResourceKind::Image);
        let kind = if is_image { Kind::RaceCommandImage } else { Kind::RaceCommandBuffer };
        if !self.kinds.contains(kind) {
            return;
        }
        let origin = self.origins[first as usize].clone();
        let theirs = noun(origin.access, origin.writes);
        let own = noun(access.access, access.writes());
        let memory = memory_text(resource.as_deref(), &bytes);
        let why = match hazard {
            Hazard::Order => "nothing orders it",
            Hazard::Availability => "no barrier makes the write available",
            Hazard::Visibility => "no barrier makes the write visible to it",
        };
        let message = format!(
            "{} of {memory} by {} comes behind {} by {}, and {why}",
            with_article(own),
            self.command_text(command),
            with_article(theirs),
            self.command_text(origin.command),
        );
        let mut finding = self.finding(kind, command, access, message);
        let scopes = |stage, access| format!("{} in {}", access_text(access), stage_text(stage));
        finding.values.push(("first access".to_owned(), scopes(origin.stage, origin.access)));
        finding.values.push(("second access".to_owned(), scopes(access.stage, access.access)));
        let place = self.place(origin.command, first_by);
        let invocation = String::new();
        let other = OtherSide { message: format!("the {theirs} before it"), place, invocation };
        finding.other = Some(other);
        let key = match first_by {
            By::Site { table, site } => (table as u32) ^ site,
            By::Command => self.commands[origin.command as usize].name.digest(),
        };
        self.find(access.by, command, kind, Some(key), finding);
    }

    fn command_text(&self, command: u32) -> String {
        self.commands.get(command as usize).map_or_else(String::new, |command| command.name.text())
    }

    /// Where a side of a finding is.
    fn place(&self, command: u32, by: By) -> SitePlace {
        if let By::Site { table, site } = by
            && let Some(site) = self.tables.get(&table).and_then(|sites| sites.sites.get(site as usize))
        {
            return site.place.clone();
        }
        SitePlace { instruction: self.command_text(command), ..SitePlace::default() }
    }

    fn finding(&self, kind: Kind, command: u32, access: &Access, message: String) -> Finding {
        let sites = match access.by {
            By::Site { table, .. } => self.tables.get(&table),
            By::Command => None,
        };
        let text = |get: fn(&Sites) -> &String| sites.map_or_else(String::new, |sites| get(sites).clone());
        let mut finding = Finding {
            kind,
            message,
            shader: text(|sites| &sites.shader),
            module: text(|sites| &sites.module),
            stage: text(|sites| &sites.stage),
            pipeline: String::new(),
            place: self.place(command, access.by),
            invocation: String::new(),
            values: Vec::new(),
            other: None,
        };
        if sites.is_none() {
            finding.stage = "command".to_owned();
        } else {
            finding.values.push(("command".to_owned(), self.command_text(command)));
        }
        finding
    }

    fn find(&mut self, by: By, command: u32, kind: Kind, other: Option<u32>, finding: Finding) {
        let command = &self.commands[command as usize];
        let (table, site) = match by {
            By::Site { table, site } => (table, site),
            By::Command => (command.shader.unwrap_or(0), command.name.digest()),
        };
        self.found.push(((table, site, kind as u8, other), finding));
    }
}

fn noun(access: u64, writes: bool) -> &'static str {
    match (access, writes) {
        (access::TRANSITION, _) => "layout transition",
        (_, true) => "write",
        (_, false) => "read",
    }
}

/// Bytes, as those of the resource that has them.
fn memory_text(resource: Option<&Resource>, bytes: &Range<u64>) -> String {
    let Some(resource) = resource else { return format!("memory at {:#x}", bytes.start) };
    let (start, end) = (bytes.start - resource.range.start, bytes.end - resource.range.start);
    match resource.kind {
        ResourceKind::Buffer => format!("bytes {start} to {} of {}", end - 1, resource.text()),
        ResourceKind::Image => {
            let pitch = resource.shape.layer_pitch.max(1);
            let (layer, within) = (start / pitch, start % pitch);
            let level = resource.shape.levels.iter().rposition(|&(offset, _)| offset <= within).unwrap_or(0);
            format!("level {level}, layer {layer} of {}", resource.text())
        }
    }
}
