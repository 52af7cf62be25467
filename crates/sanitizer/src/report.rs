//! Reports as they arrive: a site, and the values of each lane.

use pyro_abi::Memory;
use pyro_abi::report::{Site, SiteValue, Sites, ValueType, record};
use std::cell::RefCell;
use std::fmt::Write as _;

/// A call record: a site with the columns of its lanes.
pub(crate) struct Record {
    memory: Memory,
    address: u64,
    lanes: u32,
    /// Bit `i` is set where lane `i` reports.
    pub(crate) active: u64,
    /// The table of the site.
    pub(crate) sites: Sites,
    /// The table's number.
    pub(crate) table: u64,
    /// The site's index.
    pub(crate) index: u32,
}

thread_local! {
    /// The table that this thread asked for last.
    static LAST: RefCell<Option<(u64, Sites)>> = const { RefCell::new(None) };
}

/// The table with this number.
fn table(number: u64) -> Option<Sites> {
    let known = LAST.try_with(|last| match &*last.borrow() {
        Some((known, sites)) if *known == number => Some(sites.clone()),
        _ => None,
    });
    if let Some(sites) = known.ok().flatten() {
        return Some(sites);
    }
    let sites = Sites::find(number)?;
    // A thread that is ending keeps nothing.
    let _ = LAST.try_with(|last| last.replace(Some((number, sites.clone()))));
    Some(sites)
}

impl Record {
    /// The record at an address; none where its table or site is not known.
    pub(crate) fn read(memory: Memory, address: u64) -> Option<Record> {
        let number: u64 = memory.load(address + u64::from(record::TABLE));
        let index: u32 = memory.load(address + u64::from(record::SITE));
        let lanes: u32 = memory.load(address + u64::from(record::LANES));
        let active: u64 = memory.load(address + u64::from(record::ACTIVE_LANES));
        let sites = table(number)?;
        let is_known = (index as usize) < sites.sites.len() && lanes.is_power_of_two() && lanes <= 64;
        let within = if lanes == 64 { u64::MAX } else { (1 << lanes) - 1 };
        is_known.then_some(Record {
            memory,
            address,
            lanes,
            active: active & within,
            sites,
            table: number,
            index,
        })
    }

    /// The memory that it is in.
    pub(crate) fn memory(&self) -> Memory {
        self.memory
    }

    /// What it is a report of.
    pub(crate) fn site(&self) -> &Site {
        &self.sites.sites[self.index as usize]
    }

    /// The lanes that report.
    pub(crate) fn active_lanes(&self) -> impl Iterator<Item = u32> + use<> {
        let active = self.active;
        (0..64).filter(move |lane| active >> lane & 1 != 0)
    }

    /// A lane's word of a column.
    pub(crate) fn word(&self, column: u32, lane: u32) -> u32 {
        self.memory.load(self.address + u64::from(record::column_offset(column, self.lanes) + 4 * lane))
    }

    fn scalar(&self, column: u32, ty: ValueType, lane: u32) -> u64 {
        let low = u64::from(self.word(column, lane));
        if ty.columns() == 2 { low | u64::from(self.word(column + 1, lane)) << 32 } else { low }
    }

    /// The components of a list of values, of which the first has this column.
    fn values<'s>(&self, first: u32, values: &'s [SiteValue], lane: u32) -> Vec<(&'s SiteValue, Vec<u64>)> {
        let mut column = first;
        let value = |value: &'s SiteValue| {
            let components = (0..value.count)
                .map(|component| self.scalar(column + component * value.ty.columns(), value.ty, lane));
            let components = components.collect();
            column += value.columns();
            (value, components)
        };
        values.iter().map(value).collect()
    }

    /// The ids of a lane's invocation.
    pub(crate) fn ids(&self, lane: u32) -> Vec<(&SiteValue, Vec<u64>)> {
        self.values(0, &self.sites.ids, lane)
    }

    /// The site's values in a lane.
    pub(crate) fn site_values(&self, lane: u32) -> Vec<(&SiteValue, Vec<u64>)> {
        self.values(self.sites.id_columns(), &self.site().values, lane)
    }

    /// Which invocation a lane is, for people.
    pub(crate) fn invocation(&self, lane: u32) -> String {
        let mut text = String::new();
        for (value, components) in self.ids(lane) {
            if !text.is_empty() {
                text += ", ";
            }
            let _ = write!(text, "{} {}", value.name, value_text(value.ty, &components));
        }
        text
    }

    /// The first components of the site's first values in a lane; none where it has fewer.
    pub(crate) fn numbers<const N: usize>(&self, lane: u32) -> Option<[u64; N]> {
        let mut numbers = [0; N];
        let mut column = self.sites.id_columns();
        let mut values = self.site().values.iter().filter(|value| value.count > 0);
        for number in &mut numbers {
            let value = values.next()?;
            *number = self.scalar(column, value.ty, lane);
            column += value.columns();
        }
        Some(numbers)
    }

    /// A lane's workgroup and place in it; none in stages without workgroups.
    pub(crate) fn workgroup(&self, lane: u32) -> Option<([u32; 3], [u32; 3])> {
        let find = |name: &str| {
            let mut column = 0;
            for id in &self.sites.ids {
                if id.name == name && id.columns() == 3 {
                    return Some(std::array::from_fn(|index| self.word(column + index as u32, lane)));
                }
                column += id.columns();
            }
            None
        };
        find("workgroup").zip(find("local"))
    }
}

/// A scalar or vector, for people.
pub(crate) fn value_text(ty: ValueType, components: &[u64]) -> String {
    let scalar = |bits: u64| match ty {
        ValueType::Bool => (bits != 0).to_string(),
        ValueType::Signed => (bits as u32 as i32).to_string(),
        ValueType::Unsigned | ValueType::String => (bits as u32).to_string(),
        ValueType::Signed64 => (bits as i64).to_string(),
        ValueType::Unsigned64 => bits.to_string(),
        ValueType::Float => format!("{:?}", f32::from_bits(bits as u32)),
        ValueType::Float64 => format!("{:?}", f64::from_bits(bits)),
        ValueType::Address => format!("{bits:#x}"),
    };
    match components {
        [one] => scalar(*one),
        several => {
            let texts: Vec<_> = several.iter().map(|&bits| scalar(bits)).collect();
            format!("({})", texts.join(", "))
        }
    }
}
