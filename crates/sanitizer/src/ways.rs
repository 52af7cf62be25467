//! Barriers that some invocations of a workgroup do not come to: the ends of two that came to others.

use crate::finding::Finding;
use crate::report::Record;
use crate::shadow::{invocation_index, invocation_text};
use pyro_abi::report::{END_VALUES, SiteKind};
use pyro_util::sanitize::Kind;

/// An invocation that has ended.
#[derive(Clone, Copy)]
struct End {
    barriers: u32,
    /// The number of its last barrier.
    last: u32,
    index: u32,
    /// Its site.
    site: u32,
}

/// The finding of an end, and the barrier's site.
pub(crate) fn finding(record: &Record, lane: u32) -> Option<(u32, Finding)> {
    let values = record.site_values(lane);
    let numbers: Vec<u32> =
        values.iter().filter_map(|(_, bits)| bits.first()).map(|&bits| bits as u32).collect();
    let &[barriers, last, other_barriers, other_last, other_index, other_end] =
        numbers.get(..END_VALUES.len())?
    else {
        return None;
    };
    let (workgroup, local) = record.workgroup(lane)?;
    let own = End { barriers, last, index: invocation_index(record, local), site: record.index };
    let other_site = site(record, |kind| matches!(kind, SiteKind::End { number } if number == other_end))?;
    let other = End { barriers: other_barriers, last: other_last, index: other_index, site: other_site };
    // The one that waits, and the one that does not come.
    let (waits, misses) = if own.barriers >= other.barriers { (own, other) } else { (other, own) };
    let barrier =
        |end: End| site(record, |kind| matches!(kind, SiteKind::Barrier { number } if number == end.last));
    let at = barrier(waits)?;
    let (message, there, side) = if waits.barriers == misses.barriers {
        (
            "invocations of a workgroup wait at different barriers",
            barrier(misses)?,
            "the barrier that others wait at",
        )
    } else {
        (
            "a barrier that other invocations of the workgroup miss",
            misses.site,
            "where an invocation ended without it",
        )
    };
    let mut finding = Finding::at(record, lane, Kind::BarrierDivergence, message.to_owned());
    finding.place = record.sites.sites.get(at as usize)?.place.clone();
    finding.invocation = invocation_text(record, workgroup, waits.index);
    let invocation = invocation_text(record, workgroup, misses.index);
    Some((at, finding.with_other(record, there, side.to_owned(), invocation)))
}

/// The first site of a kind.
fn site(record: &Record, is_it: impl Fn(SiteKind) -> bool) -> Option<u32> {
    record.sites.sites.iter().position(|site| is_it(site.kind)).map(|index| index as u32)
}
