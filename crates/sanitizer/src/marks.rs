//! Odd accesses of workgroup memory: what generated code has found in the cells of shadow memory
//! ([`pyro_abi::shadow`]), and what orders such accesses all the same.
//!
//! # What orders two accesses of one interval
//! The first's invocation has released behind it, and after that the second's has acquired; both with the
//! subgroup only, where they are of one. Marks say how often their invocation had released before, so the
//! release behind an access is known.

use crate::finding::{Finding, access_name, with_article};
use crate::report::Record;
use crate::shadow::invocation_text;
use pyro_abi::report::{ACCESS_VALUES, AccessKind, SiteKind};
use pyro_abi::shadow::{RELEASES_MAX, Tables, Tracked};
use pyro_util::sanitize::Kind;
use std::collections::HashMap;

/// A release: when, and whether it is one for the subgroup only.
#[derive(Clone, Copy, Debug)]
struct Release {
    time: u64,
    within_subgroup: bool,
}

/// What an invocation has done in an interval to order its accesses.
#[derive(Clone, Debug, Default)]
struct Order {
    interval: u32,
    subgroup: u32,
    releases: Vec<Release>,
    /// When it last acquired: with the workgroup, and with the subgroup.
    acquired: [u64; 2],
}

/// The orders of a workgroup's invocations.
#[derive(Debug, Default)]
pub(crate) struct Orders {
    time: u64,
    of: HashMap<u32, Order>,
}

impl Orders {
    /// What follows happens at one time.
    pub(crate) fn advance(&mut self) {
        self.time += 1;
    }

    /// An invocation releases or acquires.
    pub(crate) fn add(
        &mut self,
        (invocation, subgroup, interval): (u32, u32, u32),
        (releases, acquires, within_subgroup): (bool, bool, bool),
    ) {
        let time = self.time;
        let order = self.of.entry(invocation).or_default();
        if order.interval != interval {
            *order = Order { interval, ..Order::default() };
        }
        order.subgroup = subgroup;
        if releases {
            order.releases.push(Release { time, within_subgroup });
        }
        if acquires {
            order.acquired[usize::from(within_subgroup)] = time;
        }
    }

    /// Whether accesses of several may be ordered before what an invocation does now: it has acquired since.
    fn may_order_several(&self, second: u32, interval: u32) -> bool {
        let second = self.of.get(&second).filter(|order| order.interval == interval);
        second.is_some_and(|order| order.acquired.iter().any(|&time| time > 0))
    }

    /// Whether an access of an invocation that had released so often is ordered before what another does now.
    fn are_ordered(&self, first: u32, releases: u32, second: u32, interval: u32) -> bool {
        let known = |invocation: u32| self.of.get(&invocation).filter(|order| order.interval == interval);
        let (Some(first), Some(second)) = (known(first), known(second)) else { return false };
        // The greatest count stands for more: any from there on may be behind the access.
        let behind = &first.releases[first.releases.len().min(releases.min(RELEASES_MAX) as usize)..];
        let [acquired, of_subgroup] = second.acquired;
        let may_order = |release: &Release| {
            let with_subgroup =
                first.subgroup == second.subgroup && of_subgroup.max(acquired) >= release.time;
            with_subgroup || !release.within_subgroup && acquired >= release.time
        };
        behind.iter().any(may_order)
    }
}

/// What a lane reports.
struct Access {
    offset: u64,
    mark: u32,
    cells: [u32; 4],
}

impl Access {
    fn read(record: &Record, lane: u32) -> Option<Access> {
        let [_, _, offset, mark, write, read, atomic, store] =
            record.numbers::<{ ACCESS_VALUES.len() }>(lane)?;
        let cells = [write, read, atomic, store].map(|bits| bits as u32);
        Some(Access { offset, mark: mark as u32, cells })
    }
}

/// The address of the workgroup's memory and the dispatch's serial number.
pub(crate) fn base_and_serial(record: &Record, lane: u32) -> Option<(u64, u32)> {
    let [base, serial] = record.numbers(lane)?;
    Some((base, serial as u32))
}

/// The finding of an odd access, if it is one.
pub(crate) fn finding(record: &Record, lane: u32, orders: Option<&Orders>) -> Option<Finding> {
    let SiteKind::WorkgroupAccess { tracked } = record.site().kind else { return None };
    let access = Access::read(record, lane)?;
    let name = &record.site().text;
    let own = with_article(access_name(record.site().kind));
    let mut finding = match conflict(&access, tracked, orders) {
        Some((table, cell)) => {
            let both_atomic = matches!(table, Tables::Atomics | Tables::RelaxedStores);
            let kind = match both_atomic && tracked.access.is_atomic() {
                true => Kind::RaceAtomic,
                false => Kind::RaceWorkgroup,
            };
            let site = site_with_number(record, tracked.layout.site(cell));
            let kind_of_other = site.and_then(|site| record.sites.sites.get(site as usize));
            let theirs = kind_of_other.map_or("access", |site| access_name(site.kind));
            let message = format!(
                "{own} of workgroup memory {name} is not ordered with {} by another invocation",
                with_article(theirs)
            );
            let (workgroup, _) = record.workgroup(lane)?;
            let invocation = match tracked.layout.invocation(cell) {
                Some(index) => invocation_text(record, workgroup, index),
                None => format!("one of several of workgroup {workgroup:?}").replace(['[', ']'], ""),
            };
            let side = format!("the {theirs} before it");
            let finding = Finding::at(record, lane, kind, message);
            finding.with_other(record, site.unwrap_or(u32::MAX), side, invocation)
        }
        None => {
            let [write, _, atomic, store] = access.cells;
            let is_unwritten = tracked.checks_unwritten && write | atomic | store == 0;
            if !is_unwritten {
                return None;
            }
            let message = format!("{own} of workgroup memory {name} that nobody has written");
            Finding::at(record, lane, Kind::UninitializedWorkgroup, message)
        }
    };
    finding.values.push(("byte of workgroup memory".to_owned(), access.offset.to_string()));
    Some(finding)
}

/// The first cell that conflicts with an access, and its table.
fn conflict(access: &Access, tracked: Tracked, orders: Option<&Orders>) -> Option<(Tables, u32)> {
    let layout = tracked.layout;
    let own = layout.invocation(access.mark)?;
    let interval = layout.interval(access.mark);
    let conflicts = |table: Tables| {
        let cell = access.cells[table as usize];
        let may_meet = matches!(
            (tracked.access, table),
            (AccessKind::Read, Tables::Reads)
                | (AccessKind::Atomic | AccessKind::AtomicStore, Tables::Atomics)
                | (AccessKind::RelaxedStore, Tables::RelaxedStores)
        );
        let is_ordered = || {
            orders.is_some_and(|orders| match layout.invocation(cell) {
                Some(first) => orders.are_ordered(first, layout.releases(cell), own, interval),
                None => orders.may_order_several(own, interval),
            })
        };
        (!may_meet && layout.conflict(cell, access.mark) && !is_ordered()).then_some((table, cell))
    };
    Tables::ALL.into_iter().find_map(conflicts)
}

/// The site of an access that has this number in marks.
fn site_with_number(record: &Record, number: u32) -> Option<u32> {
    let has_number =
        |kind: SiteKind| matches!(kind, SiteKind::WorkgroupAccess { tracked } if tracked.number == number);
    record.sites.sites.iter().position(|site| has_number(site.kind)).map(|index| index as u32)
}
