//! Shadow memory of buffers ([`pyro_abi::shadow::buffer`]): its tables, the numbers of invocations, and what
//! generated code reports of a word that several have accessed.
//!
//! # Invariant
//! Numbers of invocations never come twice for the same tables: when they are used up, there are new tables.
//! Tables are address space; a page of them takes memory once a shader has accessed what it stands for.

use crate::finding::{Finding, access_name, with_article};
use crate::report::Record;
use crate::shadow::invocation_text;
use pyro_abi::report::{AccessKind, BUFFER_VALUES, SiteKind};
use pyro_abi::shadow::buffer::{self, TABLES_BYTES};
use pyro_codemem::fault::OnDemand;
use pyro_util::sanitize::Kind;
use pyro_util::sync::Mutex;

/// Tables, and how many numbers of invocations they have given out.
#[derive(Debug, Default)]
struct State {
    /// The last are those that are given out; dispatches that run may use the others.
    tables: Vec<OnDemand>,
    /// Of the last.
    address: u64,
    next: u32,
    /// The system gives no tables.
    is_refused: bool,
}

/// The tables of a device.
#[derive(Debug, Default)]
pub(crate) struct Words(Mutex<State>);

impl Words {
    /// The address of tables, and the number of the first of so many invocations there. None where they are
    /// too many, or there are no tables.
    pub(crate) fn reserve(&self, invocations: u64) -> Option<(u64, u32)> {
        // One more stands for several.
        let count = u32::try_from(invocations).ok()?.checked_add(1)?;
        let mut state = self.0.lock();
        if state.is_refused {
            return None;
        }
        let fits = state.next.checked_add(count).filter(|_| !state.tables.is_empty());
        if fits.is_none() {
            match OnDemand::new(TABLES_BYTES as usize) {
                Ok(table) => {
                    state.address = table.address();
                    state.tables.push(table);
                }
                Err(error) => {
                    pyro_util::report::to_stderr(&format_args!(
                        "no address space for shadow memory of buffers: {error}; race-buffer is not looked for"
                    ));
                    state.is_refused = true;
                    return None;
                }
            }
            state.next = 1;
        }
        let first = state.next;
        state.next = first.checked_add(count)?;
        Some((state.address, first))
    }
}

/// The finding of an access of a word that others have accessed.
pub(crate) fn finding(record: &Record, lane: u32) -> Option<Finding> {
    let SiteKind::BufferWord { tracked } = record.site().kind else { return None };
    let values = record.site_values(lane);
    let numbers: Vec<u32> =
        values.iter().filter_map(|(_, bits)| bits.first()).map(|&bits| bits as u32).collect();
    let &[first, width, height, own, owner, detail, several, _] = numbers.get(..BUFFER_VALUES.len())? else {
        return None;
    };
    // What conflicts, and tells most.
    let places: &[u32] = match tracked.access {
        AccessKind::Read => &[buffer::WRITE, buffer::ATOMIC],
        AccessKind::Write => &[buffer::WRITE, buffer::ATOMIC, buffer::READ],
        _ => &[buffer::WRITE, buffer::READ],
    };
    let number = places.iter().map(|&place| buffer::site(detail, place)).find(|&number| number != 0)?;
    let site =
        record.sites.sites.iter().position(
            |site| matches!(site.kind, SiteKind::BufferWord { tracked } if tracked.number == number),
        )?;
    let (workgroup, _) = record.workgroup(lane)?;
    let size = record.sites.workgroup_size.iter().product::<u32>().max(1);
    let place = |number: u32| {
        let group = number.wrapping_sub(first) / size;
        [group % width.max(1), group / width.max(1) % height.max(1), group / width.max(1) / height.max(1)]
    };
    let own_place = place(own);
    let invocation = match (first..several).contains(&owner) {
        true => {
            let other = place(owner);
            let axis = |axis: usize| workgroup[axis].wrapping_sub(own_place[axis]).wrapping_add(other[axis]);
            invocation_text(record, [axis(0), axis(1), axis(2)], (owner - first) % size)
        }
        false => "one of several".to_owned(),
    };
    let mine = access_name(record.site().kind);
    let theirs = access_name(record.sites.sites[site].kind);
    let message = format!(
        "{} of the buffer {} is not ordered with {} by another invocation",
        with_article(mine),
        record.site().text,
        with_article(theirs)
    );
    let finding = Finding::at(record, lane, Kind::RaceBuffer, message);
    Some(finding.with_other(record, site as u32, format!("the {theirs} before it"), invocation))
}
