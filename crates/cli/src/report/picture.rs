//! A pipeline as a picture (SVG): stages as boxes from left to right, locations and payloads as lines between
//! them, mismatches in red.

use super::Finding;
use super::html::escape;
use crate::check::Reflected;
use crate::stage;
use pyro_interface::Variable;
use pyro_interface::pipeline::{Pipeline, PipelineStage};
use pyro_spirv::spirv::{ExecutionModel as Model, StorageClass};
use std::fmt::Write as _;

const BOX_WIDTH: usize = 150;
const GAP_WIDTH: usize = 260;
const STUB_WIDTH: usize = GAP_WIDTH / 4;
const LINE_HEIGHT: usize = 22;
const LANE_HEIGHT: usize = 12;
/// Where boxes begin.
const BOX_TOP: usize = 10;
/// Where the first line is.
const TOP: usize = 58;

/// Rules on what is passed between stages without locations.
const PAYLOAD_RULES: [&str; 2] =
    ["VUID-VkRayTracingPipelineCreateInfoKHR-pStages-03426", "VUID-RuntimeSpirv-MeshEXT-12380"];

/// What a line stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Location(u32),
    /// The storage class of those that pass it.
    Payload(StorageClass),
}

/// Where a line meets a box.
struct Port {
    what: What,
    /// What is written at it.
    text: String,
    is_bad: bool,
}

/// A stage's ports, one below the other on each side.
struct Ports {
    inputs: Vec<Port>,
    outputs: Vec<Port>,
}

/// The picture.
pub(super) fn picture(shaders: &[Reflected<'_>], findings: &[Finding]) -> String {
    let stages = shaders
        .iter()
        .map(|shader| PipelineStage { constants: &shader.constants, interface: &shader.interface })
        .collect();
    let neighbours = Pipeline { stages, ..Pipeline::default() }.neighbours();
    let ports: Vec<Ports> = shaders.iter().map(|shader| ports(shader, findings)).collect();
    let rows = ports.iter().map(|ports| ports.inputs.len().max(ports.outputs.len())).max().unwrap_or(0);
    let bottom = TOP + LINE_HEIGHT * rows + 10;
    // Locations are read by the next stage; payloads by whichever stage is called.
    let meets = |from: usize, to: usize, what: What| match what {
        What::Location(_) => neighbours.contains(&(from, to)),
        What::Payload(_) => from != to,
    };
    let mut lines = Lines { bottom, lanes: 0, drawn: Vec::new() };
    for (to, reader) in ports.iter().enumerate() {
        for (row, input) in reader.inputs.iter().enumerate() {
            let class = if input.is_bad { "mismatch" } else { "line" };
            let end = (left(to), line(row));
            let mut is_written = false;
            for (from, writer) in ports.iter().enumerate().filter(|(from, _)| meets(*from, to, input.what)) {
                let outputs = writer.outputs.iter().enumerate();
                for (row, _) in outputs.filter(|(_, output)| output.what == input.what) {
                    is_written = true;
                    lines.draw(class, input.what, (left(from) + BOX_WIDTH, line(row)), end, to == from + 1);
                }
            }
            if !is_written {
                lines.draw(class, input.what, (end.0 - STUB_WIDTH, end.1), end, true);
            }
        }
    }
    for (from, writer) in ports.iter().enumerate() {
        for (row, output) in writer.outputs.iter().enumerate() {
            let reads = |(to, reader): (usize, &Ports)| {
                meets(from, to, output.what) && reader.inputs.iter().any(|input| input.what == output.what)
            };
            if ports.iter().enumerate().any(reads) {
                continue;
            }
            // Who reads what the last stage writes is not in the picture.
            let is_last = matches!(output.what, What::Location(_))
                && neighbours.iter().all(|(before, _)| *before != from);
            let class = match (output.is_bad, is_last) {
                (true, _) => "mismatch",
                (_, true) => "line",
                (_, false) => "unread",
            };
            let start = (left(from) + BOX_WIDTH, line(row));
            lines.draw(class, output.what, start, (start.0 + STUB_WIDTH, start.1), true);
        }
    }
    let width = shaders.len() * (BOX_WIDTH + GAP_WIDTH) + GAP_WIDTH;
    let height = bottom + 10 + (lines.lanes + 1) * LANE_HEIGHT;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-label=\"The pipeline\">\n"
    );
    // What does not fit lies on top.
    lines.drawn.sort_by_key(|(class, _)| *class == "mismatch");
    lines.drawn.iter().for_each(|(_, path)| svg += path);
    for (place, (shader, ports)) in shaders.iter().zip(&ports).enumerate() {
        let x = left(place);
        let _ = writeln!(
            svg,
            "<rect class=\"box\" x=\"{x}\" y=\"{BOX_TOP}\" width=\"{BOX_WIDTH}\" height=\"{}\" rx=\"6\"/>\n\
             <text class=\"name\" x=\"{}\" y=\"32\" text-anchor=\"middle\">{}</text>",
            bottom - BOX_TOP,
            x + BOX_WIDTH / 2,
            stage::short_name(shader.interface.model),
        );
        let sides = [(&ports.inputs, x - 6, " text-anchor=\"end\""), (&ports.outputs, x + BOX_WIDTH + 6, "")];
        for (side, x, anchor) in sides {
            for (row, port) in side.iter().enumerate() {
                let class = if port.is_bad { " class=\"mismatch-text\"" } else { "" };
                let (y, text) = (line(row) - 4, escape(&port.text));
                let _ = writeln!(svg, "<text{class} x=\"{x}\" y=\"{y}\"{anchor}>{text}</text>");
            }
        }
    }
    svg + "</svg>\n"
}

/// The lines drawn so far.
struct Lines {
    /// Where the boxes end.
    bottom: usize,
    /// Lines below the boxes.
    lanes: usize,
    /// Class and path of each.
    drawn: Vec<(&'static str, String)>,
}

impl Lines {
    /// Draws a line; one between stages that are not side by side goes around the boxes between them.
    fn draw(
        &mut self,
        class: &'static str,
        what: What,
        (from_x, from_y): (usize, usize),
        (to_x, to_y): (usize, usize),
        is_direct: bool,
    ) {
        let name =
            if matches!(what, What::Payload(_)) { format!("{class} payload") } else { class.to_owned() };
        let bend = 60.min(to_x.abs_diff(from_x) / 2);
        let (out, into) = (from_x + bend, to_x - bend);
        let way = if is_direct {
            format!("C{out} {from_y} {into} {to_y} {to_x} {to_y}")
        } else {
            self.lanes += 1;
            let y = self.bottom + self.lanes * LANE_HEIGHT;
            let (first, last) = (out + bend, into - bend);
            format!("C{out} {from_y} {out} {y} {first} {y} H{last} C{into} {y} {into} {to_y} {to_x} {to_y}")
        };
        self.drawn.push((class, format!("<path class=\"{name}\" d=\"M{from_x} {from_y} {way}\"/>\n")));
    }
}

/// The left edge of a stage's box.
fn left(place: usize) -> usize {
    GAP_WIDTH + place * (BOX_WIDTH + GAP_WIDTH)
}

/// Where the line of a row is.
fn line(row: usize) -> usize {
    TOP + row * LINE_HEIGHT
}

/// A stage's locations, and payloads below them.
fn ports(shader: &Reflected<'_>, findings: &[Finding]) -> Ports {
    let interface = &shader.interface;
    let own = || findings.iter().filter(|found| found.stage == Some(stage::short_name(interface.model)));
    let at = |variables: &[Variable], is_output: bool| -> Vec<Port> {
        let port = |(location, text)| {
            let is_bad = own().any(|found| (found.location, found.is_output) == (Some(location), is_output));
            Port { what: What::Location(location), text, is_bad }
        };
        locations(variables).into_iter().map(port).collect()
    };
    let mut ports = Ports { inputs: at(&interface.inputs, false), outputs: at(&interface.outputs, true) };
    let is_payload_bad = own().any(|found| PAYLOAD_RULES.contains(&&*found.rule));
    for payload in &interface.payloads {
        let (is_passed, class) = match (payload.class, interface.model) {
            (StorageClass::RayPayloadKHR | StorageClass::CallableDataKHR, _) => (true, payload.class),
            (StorageClass::IncomingRayPayloadKHR, _) => (false, StorageClass::RayPayloadKHR),
            (StorageClass::IncomingCallableDataKHR, _) => (false, StorageClass::CallableDataKHR),
            (StorageClass::TaskPayloadWorkgroupEXT, model) => (model == Model::TaskEXT, payload.class),
            _ => continue,
        };
        let name = shader.constants.module().name(payload.variable).filter(|name| !name.is_empty());
        let text = name.map_or_else(|| payload.variable.to_string(), |name| name.into_owned());
        let side = if is_passed { &mut ports.outputs } else { &mut ports.inputs };
        side.push(Port { what: What::Payload(class), text, is_bad: is_payload_bad && !is_passed });
    }
    ports
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
