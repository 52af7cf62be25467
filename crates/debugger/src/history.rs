//! The history of a pixel: every fragment that touched it, in order, with what the shader gave, which tests
//! it passed, and what it left.

use pyro_abi::trace::{StepKind, fragment};
use pyro_sanitizer::trace::Trace;
use serde::Serialize;

/// What became of a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Fate {
    /// Some of its samples passed all tests, and were written.
    Passed,
    /// The shader discarded it.
    Discarded,
    /// All its samples failed the depth, stencil or depth bounds test, or were masked.
    Failed,
}

/// A colour attachment before and behind a fragment.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Color {
    /// The fragment output location.
    pub location: u32,
    /// What the shader gave.
    pub output: [Component; 4],
    /// What the attachment held.
    pub before: [Component; 4],
    /// What it holds then.
    pub after: [Component; 4],
}

/// A component of a colour.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Component {
    /// Of formats that are read as floats.
    Float(f32),
    /// Of integer formats.
    Integer(i32),
}

impl std::fmt::Display for Component {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Component::Float(value) => write!(f, "{value:?}"),
            Component::Integer(value) => write!(f, "{value}"),
        }
    }
}

/// A fragment that touched the pixel.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Touch {
    /// The draw.
    pub event: u32,
    /// The primitive.
    pub primitive: u32,
    /// The entry point of its shader.
    pub shader: String,
    /// What became of it.
    pub fate: Fate,
    /// Samples that it covers.
    pub coverage: u32,
    /// Samples that passed.
    pub passed: u32,
    /// The sample of which depth and colours are told.
    pub sample: u32,
    /// Its depth.
    pub depth: f32,
    /// The depth attachment before and behind it, where there is one.
    pub depth_attachment: Option<[f32; 2]>,
    /// The colour attachments.
    pub colors: Vec<Color>,
}

/// The fragments of a pixel that a trace has, in order.
pub fn of_pixel(trace: &Trace, pixel: [u32; 2]) -> Vec<Touch> {
    let mut touches: Vec<Touch> = Vec::new();
    // Fragments of a pixel run one behind the other, so an end belongs to the last beginning of its
    // primitive.
    for record in &trace.records {
        let sites = &trace.tables[record.table as usize];
        let Some(table) = sites.trace.as_deref() else { continue };
        let segment = &table.segments[record.segment as usize];
        let [step] = &segment.steps[..] else { continue };
        let ids = sites.id_columns() as usize;
        let front = table.front_columns(ids as u32) as usize;
        for lane in 0..record.active.count_ones() {
            let start = record.start + (lane * record.columns) as usize;
            let words = &trace.words[start..start + record.columns as usize];
            let (&[x, y, primitive], Some(columns)) = (&words[..ids.min(3)], words.get(front..)) else {
                continue;
            };
            if [x, y] != pixel {
                continue;
            }
            let event = words[front - 1];
            match step.kind {
                StepKind::Fragment if columns[fragment::COVERAGE] != 0 => {
                    touches.push(begin(event, primitive, &sites.shader, columns));
                }
                StepKind::FragmentEnd => {
                    let is_it = |touch: &&mut Touch| touch.event == event && touch.primitive == primitive;
                    if let Some(touch) = touches.iter_mut().rev().find(is_it) {
                        finish(touch, columns);
                    }
                }
                _ => {}
            }
        }
    }
    touches
}

fn components(columns: &[u32], is_float: bool) -> [Component; 4] {
    std::array::from_fn(|index| match is_float {
        true => Component::Float(f32::from_bits(columns[index])),
        false => Component::Integer(columns[index] as i32),
    })
}

fn begin(event: u32, primitive: u32, shader: &str, columns: &[u32]) -> Touch {
    let alive = columns[fragment::ALIVE] != 0;
    let color = |columns: &[u32]| {
        let is_float = columns[1] != 0;
        let before = components(&columns[6..], is_float);
        Color { location: columns[0], output: components(&columns[2..], is_float), before, after: before }
    };
    let depth = f32::from_bits(columns[fragment::DEPTH_BEFORE]);
    Touch {
        event,
        primitive,
        shader: shader.to_owned(),
        fate: if alive { Fate::Failed } else { Fate::Discarded },
        coverage: columns[fragment::COVERAGE],
        passed: 0,
        sample: columns[fragment::SAMPLE],
        depth: f32::from_bits(columns[fragment::DEPTH]),
        depth_attachment: (columns[fragment::HAS_DEPTH] != 0).then_some([depth; 2]),
        colors: columns[fragment::COLORS..].chunks_exact(fragment::COLOR_COLUMNS).map(color).collect(),
    }
}

fn finish(touch: &mut Touch, columns: &[u32]) {
    touch.passed = columns[fragment::PASSED];
    if touch.passed != 0 {
        touch.fate = Fate::Passed;
    }
    if let Some([_, after]) = &mut touch.depth_attachment {
        *after = f32::from_bits(columns[fragment::DEPTH_AFTER]);
    }
    for (color, columns) in touch.colors.iter_mut().zip(columns[fragment::COLORS_AFTER..].chunks_exact(4)) {
        let is_float = matches!(color.output[0], Component::Float(_));
        color.after = components(columns, is_float);
    }
}

impl std::fmt::Display for Touch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let fate = match self.fate {
            Fate::Passed => "passed",
            Fate::Discarded => "discarded",
            Fate::Failed => "failed",
        };
        write!(f, "draw {:>5}  primitive {:>6}  {:<16} {fate:<9}", self.event, self.primitive, self.shader)?;
        write!(f, " depth {:?}", self.depth)?;
        if let Some([before, _]) = self.depth_attachment {
            write!(f, " (was {before:?})")?;
        }
        let list = |all: &[Component; 4]| all.map(|one| one.to_string()).join(", ");
        for color in &self.colors {
            let Color { location, output, before, after } = color;
            write!(f, "\n    {location}: shader ({})", list(output))?;
            write!(f, ", before ({}), after ({})", list(before), list(after))?;
        }
        Ok(())
    }
}
