//! Results as text, in the form of dEQP's standard output, which its tools and people read.

use super::Results;
use std::fmt::Write;

/// The results as text.
#[must_use]
pub fn text(results: &Results) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "#job {} {}", results.job, results.digest);
    for section in &results.sections {
        let _ = writeln!(out, "\n#section {}", section.name);
        for item in &section.items {
            let detail = if item.detail.is_empty() { item.verdict.name() } else { &item.detail };
            let _ = writeln!(out, "Test case '{}'..\n  {} ({detail})", item.name, item.status);
            for output in &item.outputs {
                let _ = writeln!(out, "#output {} {} {}", output.name, output.bytes, output.digest);
            }
        }
    }
    let total: usize = results.sections.iter().map(|section| section.items.len()).sum();
    let _ = writeln!(out, "\nDONE!\n\nTest run totals:");
    for (verdict, count) in results.counts() {
        let share = count as f64 * 100.0 / total.max(1) as f64;
        let _ = writeln!(out, "  {:14} {count}/{total} ({share:.1}%)", format!("{}:", verdict.name()));
    }
    out
}
