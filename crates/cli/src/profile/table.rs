//! A profile as tables on a terminal.

use super::{percent, time};
use pyro_profiler::summary::{CodeRow, LineCounts, Row, Summary, command_name};
use std::fmt::Write as _;

/// The tables, each with at most so many rows.
pub(crate) fn render(summary: &Summary, row_count: usize) -> String {
    let mut out = String::new();
    let total = summary.cpu_ns;
    // Writing to a string does not fail.
    let _ = writeln!(
        out,
        "{}: {} of processor time in {}, {} samples",
        summary.programs.join(", "),
        time(total),
        time(summary.wall_ns),
        summary.sample_count
    );
    let mut table = |title: &str, rows: &[Row]| {
        if rows.is_empty() {
            return;
        }
        let _ = writeln!(out, "\n{title}");
        for row in rows.iter().take(row_count) {
            let _ = writeln!(out, "{}  {}", share(row.ns, total), row.name);
        }
        more(&mut out, rows.len(), row_count);
    };
    table("what threads did", &summary.activities);
    table("queues", &summary.queues);
    table("passes", &summary.passes);
    table("pipelines", &summary.pipelines);
    table("stages", &summary.stages);
    table("functions", &summary.functions);
    commands(&mut out, summary, row_count);
    lines(&mut out, summary, row_count);
    instructions(&mut out, summary, row_count);
    code(&mut out, summary, row_count);
    steps(&mut out, summary, row_count);
    out
}

fn share(ns: u64, total: u64) -> String {
    format!("{:5.1} %  {:>9}", percent(ns, total), time(ns))
}

fn more(out: &mut String, count: usize, shown: usize) {
    if count > shown {
        let _ = writeln!(out, "         and {} more", count - shown);
    }
}

fn commands(out: &mut String, summary: &Summary, row_count: usize) {
    let rows: Vec<_> = summary.commands.iter().filter(|row| row.ns > 0).collect();
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(out, "\ncommands");
    for row in rows.iter().take(row_count) {
        let mut name = command_name(&row.kind, row.size);
        if !row.passes.is_empty() {
            let _ = write!(name, " in {}", row.passes.join(" / "));
        }
        if !row.pipeline.is_empty() {
            let _ = write!(name, ": {}", row.pipeline);
        }
        let in_shaders = percent(row.shader_ns, row.ns);
        let _ = writeln!(
            out,
            "{}  {name} ({} times, {in_shaders:.0} % in shaders)",
            share(row.ns, summary.cpu_ns),
            row.count
        );
    }
    more(out, rows.len(), row_count);
}

fn lines(out: &mut String, summary: &Summary, row_count: usize) {
    if summary.lines.is_empty() {
        return;
    }
    let _ = writeln!(out, "\nlines of shaders");
    for row in summary.lines.iter().take(row_count) {
        let place = match row.line {
            0 => format!("(no line) in {}", row.function),
            line => format!("{}:{line}", row.file),
        };
        let _ = writeln!(out, "{}  {place}  {}", share(row.ns, summary.cpu_ns), row.text);
        if let Some(counts) = &row.counts {
            let _ = writeln!(out, "                    {}", counts_text(counts));
        }
    }
    more(out, summary.lines.len(), row_count);
}

fn code(out: &mut String, summary: &Summary, row_count: usize) {
    let rows: Vec<_> = summary.code.iter().filter(|row| row.ns > 0).collect();
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(out, "\nmachine code");
    for row in rows.iter().take(row_count) {
        let CodeRow { name, ns, variants, code_bytes, spills } = row;
        let variants = if *variants == 1 { String::new() } else { format!("{variants} variants, ") };
        let _ = writeln!(
            out,
            "{}  {name}: {variants}{code_bytes} bytes, {spills} spills",
            share(*ns, summary.cpu_ns)
        );
    }
    more(out, rows.len(), row_count);
}

/// Exact counts in words.
fn counts_text(counts: &LineCounts) -> String {
    let mut text = format!(
        "{} invocations, {:.0} % of lanes active, {} instructions",
        counts.invocations,
        100.0 * counts.active(),
        counts.instructions
    );
    for (count, what) in [
        (counts.read_bytes, "bytes read"),
        (counts.written_bytes, "bytes written"),
        (counts.texels, "image operations"),
        (counts.barriers, "barriers"),
        (counts.atomics, "atomic operations"),
    ] {
        if count > 0 {
            let _ = write!(text, ", {count} {what}");
        }
    }
    if counts.buffer_accesses > 0 {
        let each = counts.cache_lines as f64 / counts.buffer_accesses as f64;
        let _ = write!(text, ", {each:.1} cache lines an access");
    }
    text
}

fn instructions(out: &mut String, summary: &Summary, row_count: usize) {
    if summary.instructions.is_empty() {
        return;
    }
    let _ = writeln!(out, "\ninstructions of SPIR-V");
    for row in summary.instructions.iter().take(row_count) {
        let _ = writeln!(out, "{}  {}  ({})", share(row.ns, summary.cpu_ns), row.text, row.shader);
    }
    more(out, summary.instructions.len(), row_count);
}

fn steps(out: &mut String, summary: &Summary, row_count: usize) {
    if summary.steps.is_empty() {
        return;
    }
    let whole: u64 = summary.steps.iter().map(|step| step.wall_ns).sum();
    let _ = writeln!(out, "\nsteps of the compiler ({})", time(whole));
    for step in summary.steps.iter().take(row_count) {
        let _ = writeln!(out, "{}  {} ({} times)", share(step.wall_ns, whole), step.name, step.count);
    }
    more(out, summary.steps.len(), row_count);
}
