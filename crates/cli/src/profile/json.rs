//! A profile as JSON.

use pyro_profiler::summary::{Frame, LineCounts, Row, Summary};
use serde_json::{Value, json};

fn rows(rows: &[Row]) -> Value {
    rows.iter().map(|row| json!({ "name": row.name, "ns": row.ns })).collect()
}

fn counts(counts: &LineCounts) -> Value {
    json!({
        "invocations": counts.invocations, "lanes": counts.lanes, "active": counts.active(),
        "instructions": counts.instructions, "readBytes": counts.read_bytes,
        "writtenBytes": counts.written_bytes, "imageOperations": counts.texels,
        "barriers": counts.barriers, "atomics": counts.atomics,
        "bufferAccesses": counts.buffer_accesses, "cacheLines": counts.cache_lines,
    })
}

/// A part of the flame graph.
pub(crate) fn frame(of: &Frame) -> Value {
    let parts: Vec<Value> = of.parts.values().map(frame).collect();
    json!({ "name": of.name, "ns": of.ns, "parts": parts })
}

/// All tables.
pub(crate) fn render(summary: &Summary) -> Value {
    let commands = summary.commands.iter().map(|row| {
        json!({
            "kind": row.kind, "size": row.size, "number": row.number, "passes": row.passes,
            "pipeline": row.pipeline, "count": row.count, "ns": row.ns, "shaderNs": row.shader_ns,
            "wallNs": row.wall_ns,
        })
    });
    let lines = summary.lines.iter().map(|row| {
        json!({
            "file": row.file, "line": row.line, "text": row.text, "stage": row.stage,
            "function": row.function, "ns": row.ns, "counts": row.counts.as_ref().map(counts),
        })
    });
    let instructions = summary.instructions.iter().map(|row| {
        json!({ "shader": row.shader, "text": row.text, "file": row.file, "line": row.line, "ns": row.ns })
    });
    let code = summary.code.iter().map(|row| {
        json!({
            "name": row.name, "ns": row.ns, "variants": row.variants, "bytes": row.code_bytes,
            "spills": row.spills,
        })
    });
    let steps = summary
        .steps
        .iter()
        .map(|step| json!({ "name": step.name, "count": step.count, "wallNs": step.wall_ns }));
    json!({
        "tool": "pyroclast profile",
        "version": env!("CARGO_PKG_VERSION"),
        "programs": summary.programs,
        "wallNs": summary.wall_ns,
        "cpuNs": summary.cpu_ns,
        "samples": summary.sample_count,
        "activities": rows(&summary.activities),
        "threads": rows(&summary.threads),
        "queues": rows(&summary.queues),
        "passes": rows(&summary.passes),
        "pipelines": rows(&summary.pipelines),
        "stages": rows(&summary.stages),
        "functions": rows(&summary.functions),
        "commands": commands.collect::<Vec<_>>(),
        "lines": lines.collect::<Vec<_>>(),
        "instructions": instructions.collect::<Vec<_>>(),
        "code": code.collect::<Vec<_>>(),
        "compilerSteps": steps.collect::<Vec<_>>(),
    })
}
