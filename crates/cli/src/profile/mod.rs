//! Profiles for people and tools: tables, JSON, a page, a trace.

pub(crate) mod json;
pub(crate) mod page;
pub(crate) mod table;
pub(crate) mod trace;

/// A time for people.
pub(crate) fn time(ns: u64) -> String {
    let ns = ns as f64;
    match ns {
        _ if ns >= 1e9 => format!("{:.2} s", ns / 1e9),
        _ if ns >= 1e6 => format!("{:.1} ms", ns / 1e6),
        _ => format!("{:.1} µs", ns / 1e3),
    }
}

/// A part of a whole in percent.
pub(crate) fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}
