//! A page that shows shaders' interfaces: the pipeline as a picture, then a table for each kind of thing.

use super::Finding;
use crate::check::Reflected;
use crate::reflection;
use crate::stage;
use pyro_interface::Variable;
use pyro_interface::pipeline::{Pipeline, PipelineStage};
use pyro_spirv::spirv::{ExecutionModel as Model, StorageClass};
use std::fmt::Write as _;

const STYLE: &str = "
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em; color: #222; }
h1 { font-size: 1.5em; } h2 { font-size: 1.2em; margin-top: 2em; } h3 { font-size: 1em; margin-bottom: .3em; }
table { border-collapse: collapse; } th, td { text-align: left; padding: .15em .9em .15em 0; }
th { font-weight: 600; border-bottom: 1px solid #999; } td { border-bottom: 1px solid #ddd; font-family: monospace; }
.bad { color: #b00020; } code { font-family: monospace; }
figure { margin: 0; } svg { max-width: 100%; height: auto; } svg text { font: 12px monospace; fill: #222; }
svg .box { fill: #f4f6f8; stroke: #345; } svg .name { font: 600 14px system-ui, sans-serif; }
svg .line { stroke: #345; fill: none; } svg .unread { stroke: #aaa; stroke-dasharray: 3 3; fill: none; }
svg .mismatch { stroke: #b00020; stroke-width: 2.5; fill: none; } svg .mismatch-text { fill: #b00020; }
";

/// The page.
pub(crate) fn page(shaders: &[Reflected<'_>], findings: &[Finding]) -> String {
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Shader interfaces</title>\n\
         <style>{STYLE}</style>\n<h1>Shader interfaces</h1>\n"
    );
    let _ = write!(out, "<figure>\n{}</figure>\n", picture(shaders, findings));
    if !findings.is_empty() {
        out += "<h2 class=\"bad\">Mismatches</h2>\n<ul>\n";
        for finding in findings {
            let stage = finding.stage.unwrap_or("pipeline");
            let _ = writeln!(
                out,
                "<li class=\"bad\">{}: {} (<code>{}</code>)</li>",
                escape(stage),
                escape(&finding.message),
                escape(&finding.rule)
            );
        }
        out += "</ul>\n";
    }
    for shader in shaders {
        let _ = writeln!(out, "<h2>{}</h2>", escape(&reflection::title(shader)));
        for table in reflection::tables(shader) {
            let _ = writeln!(out, "<h3>{}</h3>\n<table>", table.title);
            let header: String = table.columns.iter().map(|column| format!("<th>{column}</th>")).collect();
            let _ = writeln!(out, "<tr>{header}</tr>");
            for row in &table.rows {
                let cells: String = row.iter().map(|cell| format!("<td>{}</td>", escape(cell))).collect();
                let _ = writeln!(out, "<tr>{cells}</tr>");
            }
            out += "</table>\n";
        }
    }
    out + "</html>\n"
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

const BOX_WIDTH: usize = 150;
const GAP_WIDTH: usize = 260;
const LINE_HEIGHT: usize = 22;
const TOP: usize = 50;

/// The stages as boxes from left to right, locations as lines between them, mismatches in red.
fn picture(shaders: &[Reflected<'_>], findings: &[Finding]) -> String {
    let stages = shaders
        .iter()
        .map(|shader| PipelineStage { constants: &shader.constants, interface: &shader.interface })
        .collect();
    let neighbours = Pipeline { stages, ..Pipeline::default() }.neighbours();
    let lines = |shader: &Reflected<'_>| {
        let interface = &shader.interface;
        locations(&interface.inputs).len().max(locations(&interface.outputs).len())
    };
    // Payloads lie below the locations.
    let rows = |shader: &Reflected<'_>| {
        let [passed, taken] = payloads(shader);
        lines(shader) + passed.len().max(taken.len())
    };
    let height = TOP + LINE_HEIGHT * (shaders.iter().map(rows).max().unwrap_or(0) + 2);
    let width = shaders.len() * (BOX_WIDTH + GAP_WIDTH) + GAP_WIDTH;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-label=\"The pipeline\">\n"
    );
    let is_payload_bad = |model: Model| {
        findings.iter().any(|found| {
            found.stage == Some(stage::short_name(model)) && PAYLOAD_RULES.contains(&&*found.rule)
        })
    };
    // Lines that pass by a stage are hidden by its box.
    for (place, shader) in shaders.iter().enumerate() {
        let [passed, taken] = payloads(shader);
        let of_others = |side: usize| {
            let others = shaders.iter().enumerate().filter(move |(other, _)| *other != place);
            others.flat_map(move |(other, shader)| {
                let found = std::mem::take(&mut payloads(shader)[side]).into_iter().enumerate();
                found.map(move |(row, (kind, _))| (other, lines(shader) + row, kind))
            })
        };
        let class = if is_payload_bad(shader.interface.model) { "mismatch" } else { "line" };
        for (row, (kind, _)) in taken.iter().enumerate() {
            let (x, y) = (left(place), line(lines(shader) + row));
            let mut is_passed = false;
            for (from, row, _) in of_others(0).filter(|(.., found)| found == kind) {
                is_passed = true;
                let (start_x, start_y) = (left(from) + BOX_WIDTH, line(row));
                let _ = writeln!(
                    svg,
                    "<path class=\"{class} payload\" d=\"M{start_x} {start_y} C{} {start_y} {} {y} {x} {y}\"/>",
                    start_x + 60,
                    x - 60
                );
            }
            if !is_passed {
                let _ = writeln!(svg, "<path class=\"{class} payload\" d=\"M{x} {y} h-{}\"/>", GAP_WIDTH / 4);
            }
        }
        for (row, (kind, _)) in passed.iter().enumerate() {
            if of_others(1).all(|(.., found)| found != *kind) {
                let (end, y) = (left(place) + BOX_WIDTH, line(lines(shader) + row));
                let _ = writeln!(svg, "<path class=\"unread payload\" d=\"M{end} {y} h{}\"/>", GAP_WIDTH / 4);
            }
        }
    }
    for (place, shader) in shaders.iter().enumerate() {
        let x = left(place);
        let model = stage::short_name(shader.interface.model);
        let _ = writeln!(
            svg,
            "<rect class=\"box\" x=\"{x}\" y=\"10\" width=\"{BOX_WIDTH}\" height=\"{}\" rx=\"6\"/>\n\
             <text class=\"name\" x=\"{}\" y=\"32\" text-anchor=\"middle\">{model}</text>",
            height - 20,
            x + BOX_WIDTH / 2
        );
        let before = neighbours.iter().find(|(_, to)| *to == place).map(|(from, _)| *from);
        let after = neighbours.iter().find(|(from, _)| *from == place).map(|(_, to)| *to);
        let is_bad = |location: u32, is_output: bool| {
            let of = |found: &&Finding| (found.stage, found.is_output) == (Some(model), is_output);
            findings.iter().filter(of).any(|found| found.location == Some(location))
        };
        // Lines between two stages are drawn by the one that reads; those to nothing by their own.
        for (row, (location, text)) in locations(&shader.interface.inputs).iter().enumerate() {
            let y = line(row);
            let from = before.and_then(|place| {
                let outputs = locations(&shaders[place].interface.outputs);
                let row = outputs.iter().position(|(found, _)| found == location)?;
                Some((left(place) + BOX_WIDTH, line(row)))
            });
            let bad = is_bad(*location, false);
            let class = if bad { "mismatch" } else { "line" };
            let (start_x, start_y) = from.unwrap_or((x - GAP_WIDTH / 4, y));
            let _ = writeln!(
                svg,
                "<path class=\"{class}\" d=\"M{start_x} {start_y} C{} {start_y} {} {y} {x} {y}\"/>",
                start_x + 60,
                x - 60
            );
            let class = if bad { " class=\"mismatch-text\"" } else { "" };
            let _ = writeln!(
                svg,
                "<text{class} x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
                x - 6,
                y - 4,
                escape(text)
            );
        }
        for (row, (location, text)) in locations(&shader.interface.outputs).iter().enumerate() {
            let y = line(row);
            let end = x + BOX_WIDTH;
            let is_read = after.is_some_and(|place| {
                locations(&shaders[place].interface.inputs).iter().any(|(found, _)| found == location)
            });
            if !is_read {
                let class = if after.is_some() { "unread" } else { "line" };
                let bad = is_bad(*location, true);
                let class = if bad { "mismatch" } else { class };
                let _ = writeln!(svg, "<path class=\"{class}\" d=\"M{end} {y} h{}\"/>", GAP_WIDTH / 4);
            }
            let _ = writeln!(svg, "<text x=\"{}\" y=\"{}\">{}</text>", end + 6, y - 4, escape(text));
        }
        let [passed, taken] = payloads(shader);
        for (row, (_, text)) in passed.iter().enumerate() {
            let (x, y) = (x + BOX_WIDTH + 6, line(lines(shader) + row) - 4);
            let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\">{}</text>", escape(text));
        }
        let class = if is_payload_bad(shader.interface.model) { " class=\"mismatch-text\"" } else { "" };
        for (row, (_, text)) in taken.iter().enumerate() {
            let (x, y) = (x - 6, line(lines(shader) + row) - 4);
            let _ =
                writeln!(svg, "<text{class} x=\"{x}\" y=\"{y}\" text-anchor=\"end\">{}</text>", escape(text));
        }
    }
    svg + "</svg>\n"
}

/// The left edge of a stage's box.
fn left(place: usize) -> usize {
    GAP_WIDTH + place * (BOX_WIDTH + GAP_WIDTH)
}

/// Where the line of a row is.
fn line(row: usize) -> usize {
    TOP + row * LINE_HEIGHT + 8
}

/// Rules on what is passed between stages without locations.
const PAYLOAD_RULES: [&str; 2] =
    ["VUID-VkRayTracingPipelineCreateInfoKHR-pStages-03426", "VUID-RuntimeSpirv-MeshEXT-12380"];

/// What a shader passes to others without locations, and what it is passed: the storage class of those that pass it, and
/// what to write at the line.
fn payloads(shader: &Reflected<'_>) -> [Vec<(StorageClass, String)>; 2] {
    let mut found = [Vec::new(), Vec::new()];
    for payload in &shader.interface.payloads {
        let (side, kind) = match (payload.class, shader.interface.model) {
            (StorageClass::RayPayloadKHR | StorageClass::CallableDataKHR, _) => (0, payload.class),
            (StorageClass::IncomingRayPayloadKHR, _) => (1, StorageClass::RayPayloadKHR),
            (StorageClass::IncomingCallableDataKHR, _) => (1, StorageClass::CallableDataKHR),
            (StorageClass::TaskPayloadWorkgroupEXT, Model::TaskEXT) => (0, payload.class),
            (StorageClass::TaskPayloadWorkgroupEXT, _) => (1, payload.class),
            _ => continue,
        };
        let name = shader.constants.module().name(payload.variable).filter(|name| !name.is_empty());
        let name = name.map_or_else(|| payload.variable.to_string(), |name| name.into_owned());
        found[side].push((kind, name));
    }
    found
}

/// The locations that variables take, each with what to write at its line.
fn locations(variables: &[Variable]) -> Vec<(u32, String)> {
    let mut found: Vec<(u32, String)> = Vec::new();
    for variable in variables {
        for leaf in &variable.leaves {
            let name = if variable.name.is_empty() { "?" } else { &variable.name };
            match found.iter_mut().find(|(location, _)| *location == leaf.location) {
                Some((_, text)) if text.split([' ', ',']).any(|found| found == name) => {}
                Some((_, text)) => *text += &format!(", {name}"),
                None => found.push((leaf.location, format!("{} {name}", leaf.location))),
            }
        }
    }
    found.sort_by_key(|(location, _)| *location);
    found
}
