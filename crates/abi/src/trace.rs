//! Traces: what chosen invocations do, step by step, for debuggers.
//!
//! # How
//! A shader that is compiled to be traced ([`crate::ShaderOptions::trace`]) reports ([`crate::report`]) at
//! the end of each run of instructions without a branch, a *segment*: the site's kind is
//! [`crate::report::SiteKind::Trace`], its columns are the invocation's ids, whether it is a helper (of
//! fragments), the event's [`crate::DispatchContext::serial`], and then what the instructions made, bit by
//! bit ([`Step`]). The kernel's site table has a [`TraceTable`], which says what the columns are.
//!
//! # Who reports
//! All invocations of a subgroup of which one is in the [`target`]: memory that the reporter's
//! [`crate::Callable::context`] names.
//!
//! Must not know: what is done with traces.

use pyro_util::codec::{ByteCodec, Reader};

/// What a shader that is traced is compiled with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TraceOptions {
    /// Variables that get other values on the way.
    pub changes: Vec<Change>,
}

/// A variable of an invocation gets another value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Change {
    /// The calls on the way from the entry point, by the numbers of their instructions.
    pub calls: Vec<u32>,
    /// Before this instruction of the module.
    pub inst: u32,
    /// How many times the instruction has been come to before, in the invocation.
    pub occurrence: u32,
    /// The variable's id.
    pub variable: u32,
    /// The first scalar of the variable that changes.
    pub first: u32,
    /// The bits of that and the following ones.
    pub bits: Vec<u64>,
    /// The ids of the invocation, as in [`target`].
    pub ids: Vec<u32>,
    /// The event ([`crate::DispatchContext::serial`]) that the invocation is part of.
    pub event: u32,
}

/// The invocations that report: for each stage, words of memory.
pub mod target {
    /// The stages, as [`crate::report::SiteTable::stage`] names them.
    pub const STAGES: [&str; 14] = [
        "compute",
        "vertex",
        "tessellation control",
        "tessellation evaluation",
        "geometry",
        "fragment",
        "task",
        "mesh",
        "ray generation",
        "intersection",
        "any-hit",
        "closest-hit",
        "miss",
        "callable",
    ];
    /// Scalars that identify an invocation, at most.
    pub const IDS_MAX: usize = 6;
    /// Words of a stage.
    pub const WORDS: usize = 16;
    /// The first and the last [`crate::DispatchContext::serial`].
    pub const SERIAL: usize = 0;
    /// The least ids.
    pub const LOW: usize = 2;
    /// The greatest ids.
    pub const HIGH: usize = LOW + IDS_MAX;
    /// Samples of which a fragment covers one, as a mask; zero: any. Shaders do not look at it.
    pub const SAMPLES: usize = HIGH + IDS_MAX;
    /// Which of a fragment's ids are the samples that it covers.
    pub const SAMPLES_ID: usize = 4;

    /// Where the words of a stage begin, in bytes.
    pub fn offset(stage: &str) -> Option<u32> {
        let number = STAGES.iter().position(|&name| name == stage)?;
        Some((number * WORDS * 4) as u32)
    }
}

/// What a step's columns hold. A scalar of 64 bits takes two columns, the low half first, any other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepKind {
    /// Nothing: the instruction gives no value, or one that is not kept.
    Nothing,
    /// The scalars of the instruction's result, or of the input variable.
    Value,
    /// A pointer into a buffer: address and size of the range, and the offset in it (with 64-bit indices,
    /// size and offset take two columns).
    Range,
    /// A device address.
    Address,
    /// The address of an image's record; of a combined image, the sampler's record behind it.
    Image,
    /// The invocation begins; there is no instruction.
    Begin,
    /// The invocation ends; there is no instruction.
    End,
    /// A fragment behind its shader, before tests that are left and blending: [`fragment`]. No instruction.
    Fragment,
    /// The same behind them.
    FragmentEnd,
}

pyro_util::codec_enum!(StepKind { Nothing, Value, Range, Address, Image, Begin, End, Fragment, FragmentEnd });

/// Columns of [`StepKind::Fragment`] and [`StepKind::FragmentEnd`].
pub mod fragment {
    /// Samples that the primitive covers.
    pub const COVERAGE: usize = 0;
    /// 1 unless the shader has discarded the fragment.
    pub const ALIVE: usize = 1;
    /// Its depth, `f32`.
    pub const DEPTH: usize = 2;
    /// The sample of which depth and colours are told.
    pub const SAMPLE: usize = 3;
    /// 1 where there is a depth attachment.
    pub const HAS_DEPTH: usize = 4;
    /// What that holds, `f32`.
    pub const DEPTH_BEFORE: usize = 5;
    /// The first of the colour attachments' columns.
    pub const COLORS: usize = 6;
    /// Columns of a colour attachment: its location, 1 if it holds floats, four of the shader's output, and
    /// four of what it holds.
    pub const COLOR_COLUMNS: usize = 10;

    /// At the end: samples that have passed all tests.
    pub const PASSED: usize = 0;
    /// At the end: what the depth attachment holds.
    pub const DEPTH_AFTER: usize = 1;
    /// At the end: the first of the colour attachments' columns, four of each.
    pub const COLORS_AFTER: usize = 2;
}

/// An instruction that was run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// Its number in the module.
    pub inst: u32,
    /// What its columns hold.
    pub kind: StepKind,
    /// The first column, behind [`TraceTable::front_columns`].
    pub column: u32,
    /// Columns.
    pub columns: u32,
}

pyro_util::codec_struct!(Step { inst, kind, column, columns });

/// Instructions that were run one behind the other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Segment {
    /// The calls that led there, the entry point's first, by the numbers of their instructions.
    pub calls: Vec<u32>,
    /// The instructions.
    pub steps: Vec<Step>,
    /// Columns, those in front not among them.
    pub columns: u32,
}

pyro_util::codec_struct!(Segment { calls, steps, columns });

/// What is known while compiling of a kernel that is traced.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TraceTable {
    /// The module.
    pub words: Vec<u32>,
    /// Its specialization constants: number and bytes, eight of those that are no arrays.
    pub specialization: Vec<(u32, Vec<u8>)>,
    /// The id of the entry point's function.
    pub entry_point: u32,
    /// A column behind the ids says whether the invocation is a helper.
    pub says_helper: bool,
    /// By the number in [`crate::report::SiteKind::Trace`].
    pub segments: Vec<Segment>,
}

impl TraceTable {
    /// Columns in front of those of the steps, where the ids take so many: ids, helper, serial.
    pub fn front_columns(&self, id_columns: u32) -> u32 {
        id_columns + u32::from(self.says_helper) + 1
    }
}

impl ByteCodec for TraceTable {
    fn write(&self, out: &mut Vec<u8>) {
        self.words.write(out);
        let (numbers, values): (Vec<u32>, Vec<Vec<u8>>) = self.specialization.iter().cloned().unzip();
        numbers.write(out);
        values.write(out);
        self.entry_point.write(out);
        self.says_helper.write(out);
        self.segments.write(out);
    }

    fn read(reader: &mut Reader<'_>) -> Option<TraceTable> {
        let words = reader.value()?;
        let (numbers, values): (Vec<u32>, Vec<Vec<u8>>) = (reader.value()?, reader.value()?);
        if numbers.len() != values.len() {
            return None;
        }
        Some(TraceTable {
            words,
            specialization: numbers.into_iter().zip(values).collect(),
            entry_point: reader.value()?,
            says_helper: reader.value()?,
            segments: reader.value()?,
        })
    }
}
