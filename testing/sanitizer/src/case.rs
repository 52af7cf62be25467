//! Files of the corpus.
//!
//! ```text
//! # What is wrong.
//! kind: shift-width          the kind of the finding
//! stages: compute vertex     all stages of `Stage::ALL` unless said
//! size: 4 1 1                invocations of a workgroup
//! groups: 1                  workgroups
//! input: 32 0 0 0            the first words of the buffer
//! also: bounds-buffer        kinds that may be found beside it
//! lanes: 16                  the size of subgroups
//! backends: avx512 avx2      those that it runs on
//! addressing: physical       the first two words of the buffer are its device address
//! interface: %in %out        further variables of the entry point's interface
//! reads: 3                   the fragment shader behind another stage reads this location
//! second                     words 2 and 3 are a further buffer's address, destroyed in the bad program
//! tasked                     mesh workgroups are started by a task, which writes the first word of four
//! bare                       the stage does nothing but what the case says: no position, no color, no rays
//! capabilities: Float16      further capabilities
//! extensions: SPV_KHR_x      further extensions
//! imports: NonSemantic.X     a further set of extended instructions, `%imported`
//! says: in main              what the finding's message has
//! rebuild: bottom top        structures that commands before rebuild; the twin has a barrier behind each
//! command: vkCmdX            the finding is at a command, not at a line
//! pushed: 8                  bytes of push constants that are set (16 unless said)
//! stack: 64 4096             the ray tracing pipeline's stack size, of the bad program and the good one
//! equal                      the draw's depths are compared for equality
//! before: vertex             the stage before that has the sections `bad before`, `good before` and
//!                            `before declarations`
//! triangles: 3 1             triangles of the draw: of the bad program and the good one
//! rays: 2                    rays of the launch
//! --- modes                  further execution modes
//! --- declarations           what stands before functions
//! --- decorations            `good decorations`, `bad decorations`: of one of both
//! --- locals                 variables of the function
//! --- functions              functions behind the entry point
//! --- bad
//! %result = OpShiftLeftLogical %uint %uint_1 %in0 ; <- finding
//! --- good
//! …
//! ```
//!
//! `; <- other` marks the other side. Sections but `bad` and `good` are for both. Instructions may use `%in0`
//! to `%in3` (the first words of the buffer), `%gid` (the invocation, in compute shaders), the types and
//! constants of [`crate::module`], and must define `%result`, a `%uint`, unless `nothing:` says otherwise.
//! Those of kernels may use the registers of [`crate::kernels`], and must define `%r3`.

use pyro_test_kit::compute::Buffer;
use std::collections::BTreeMap;
use std::path::Path;

/// A stage that a case is put into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// `GLCompute`
    Compute,
    /// `Vertex`
    Vertex,
    /// `TessellationControl`
    Control,
    /// `TessellationEvaluation`
    Evaluation,
    /// `Geometry`
    Geometry,
    /// `Fragment`
    Fragment,
    /// `TaskEXT`
    Task,
    /// `MeshEXT`
    Mesh,
    /// `RayGenerationKHR`
    RayGeneration,
    /// `MissKHR`
    Miss,
    /// `ClosestHitKHR`
    ClosestHit,
    /// `AnyHitKHR`
    AnyHit,
    /// `IntersectionKHR`
    Intersection,
    /// `CallableKHR`
    Callable,
    /// `GLCompute` as a node of an execution graph.
    Node,
    /// A CUDA kernel: the case is PTX.
    Kernel,
}

impl Stage {
    /// All stages of SPIR-V.
    pub const ALL: [Stage; 15] = [
        Stage::Compute,
        Stage::Vertex,
        Stage::Control,
        Stage::Evaluation,
        Stage::Geometry,
        Stage::Fragment,
        Stage::Task,
        Stage::Mesh,
        Stage::RayGeneration,
        Stage::Miss,
        Stage::ClosestHit,
        Stage::AnyHit,
        Stage::Intersection,
        Stage::Callable,
        Stage::Node,
    ];

    /// Its name, as findings have it.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Compute | Stage::Node | Stage::Kernel => "compute",
            Stage::Vertex => "vertex",
            Stage::Control => "tessellation control",
            Stage::Evaluation => "tessellation evaluation",
            Stage::Geometry => "geometry",
            Stage::Fragment => "fragment",
            Stage::Task => "task",
            Stage::Mesh => "mesh",
            Stage::RayGeneration => "ray generation",
            Stage::Miss => "miss",
            Stage::ClosestHit => "closest-hit",
            Stage::AnyHit => "any-hit",
            Stage::Intersection => "intersection",
            Stage::Callable => "callable",
        }
    }

    fn from_word(word: &str) -> Option<Stage> {
        let words = [
            "compute",
            "vertex",
            "control",
            "evaluation",
            "geometry",
            "fragment",
            "task",
            "mesh",
            "ray-generation",
            "miss",
            "closest-hit",
            "any-hit",
            "intersection",
            "callable",
            "node",
        ];
        if word == "kernel" {
            return Some(Stage::Kernel);
        }
        Some(Stage::ALL[words.iter().position(|known| *known == word)?])
    }
}

/// An acceleration structure that is built again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rebuilt {
    /// That of the triangle.
    Bottom,
    /// That of the instances.
    Top,
}

/// The two of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// With the bug.
    Bad,
    /// Without.
    Good,
}

/// A line of assembly with its number in the file.
#[derive(Clone, Debug)]
pub struct Line {
    /// From 1.
    pub number: u32,
    /// The instruction.
    pub text: String,
}

/// A pair.
#[derive(Clone, Debug)]
pub struct Case {
    /// The file's name without its ending.
    pub name: String,
    /// The kind of the finding.
    pub kind: String,
    /// The stages that it is put into.
    pub stages: Vec<Stage>,
    /// Invocations of a workgroup.
    pub size: [u32; 3],
    /// Workgroups.
    pub groups: u32,
    /// The first words of the buffer.
    pub input: Vec<u32>,
    /// Kinds that may be found beside it.
    pub also: Vec<String>,
    /// The backends that it runs on; empty for all.
    pub backends: Vec<String>,
    /// It has device addresses: the first two words of the buffer are its own.
    pub is_physical: bool,
    /// Further variables of the entry point's interface.
    pub interface: String,
    /// The location that the fragment shader behind another stage reads.
    pub reads: Option<u32>,
    /// The stage does nothing of its own.
    pub is_bare: bool,
    /// Whether there is a further buffer, which is destroyed before the bad program runs.
    pub has_second: bool,
    /// Whether a task shader that has a payload starts mesh workgroups.
    pub is_tasked: bool,
    /// Further capabilities.
    pub capabilities: Vec<String>,
    /// Further extensions of SPIR-V.
    pub extensions: Vec<String>,
    /// A further set of extended instructions; empty where there is none.
    pub imports: String,
    /// What the finding's message has.
    pub says: String,
    /// Bytes of push constants that are set.
    pub pushed: u32,
    /// The stack size of the ray tracing pipeline, where commands set it: of the bad program and the good
    /// one.
    pub stack: Option<[u32; 2]>,
    /// Whether the draw's depths are compared for equality.
    pub compares_equal: bool,
    /// The stage before, where it has a body of its own.
    pub before: Option<Stage>,
    /// Triangles of the draw: of the bad program and the good one.
    pub triangles: [u32; 2],
    /// Rays of the launch.
    pub rays: u32,
    /// The number of lanes that subgroups must have.
    pub lanes: Option<u32>,
    /// Structures that are rebuilt before rays are traced: those of triangles, and of instances.
    pub rebuild: Vec<Rebuilt>,
    /// The command that the finding is at; empty where it is at a line.
    pub command: String,
    /// Line of the finding, and of the other side.
    pub finding: u32,
    /// Line of the other side.
    pub other: Option<u32>,
    sections: BTreeMap<String, Vec<Line>>,
}

impl Case {
    /// Whether the bad program loses its device.
    pub fn aborts(&self) -> bool {
        self.kind == "abort"
    }

    /// Whether its bad program reads memory that nobody wrote.
    #[must_use]
    pub fn reads_uninitialized(&self) -> bool {
        let kinds = std::iter::once(&self.kind).chain(&self.also);
        kinds.into_iter().any(|kind| kind.starts_with("uninitialized"))
    }

    /// Puts a buffer's own address into its first words, where the case has device addresses.
    pub fn put_address(&self, words: &Buffer, address: u64) {
        if self.is_physical {
            words.put(0, address as u32);
            words.put(1, (address >> 32) as u32);
        }
    }

    /// What a buffer holds, but for its own address, which is another in each process.
    #[must_use]
    pub fn words_left(&self, words: &Buffer) -> Vec<u32> {
        let mut left = words.words();
        if self.is_physical {
            left[..2].fill(0);
        }
        left
    }

    /// The lines of a section.
    pub fn section(&self, name: &str) -> &[Line] {
        self.sections.get(name).map_or(&[], Vec::as_slice)
    }

    /// The lines of decorations that one variant has.
    pub fn own_decorations(&self, variant: Variant) -> &[Line] {
        self.section(match variant {
            Variant::Bad => "bad decorations",
            Variant::Good => "good decorations",
        })
    }

    /// The lines of a variant.
    pub fn body(&self, variant: Variant) -> &[Line] {
        self.section(match variant {
            Variant::Bad => "bad",
            Variant::Good => "good",
        })
    }

    /// The lines that the stage before has in a variant.
    pub fn body_before(&self, variant: Variant) -> &[Line] {
        self.section(match variant {
            Variant::Bad => "bad before",
            Variant::Good => "good before",
        })
    }

    /// Reads a file's text.
    ///
    /// # Errors
    /// Says which line cannot be read.
    pub fn parse(name: &str, text: &str) -> Result<Case, String> {
        let mut case = Case {
            name: name.to_owned(),
            kind: String::new(),
            stages: Stage::ALL.to_vec(),
            size: [4, 1, 1],
            groups: 1,
            input: Vec::new(),
            also: Vec::new(),
            backends: Vec::new(),
            is_physical: false,
            interface: String::new(),
            reads: None,
            is_bare: false,
            is_tasked: false,
            has_second: false,
            capabilities: Vec::new(),
            extensions: Vec::new(),
            imports: String::new(),
            says: String::new(),
            pushed: 16,
            stack: None,
            compares_equal: false,
            before: None,
            triangles: [1; 2],
            rays: 1,
            lanes: None,
            rebuild: Vec::new(),
            command: String::new(),
            finding: 0,
            other: None,
            sections: BTreeMap::new(),
        };
        let mut section: Option<String> = None;
        for (number, line) in (1..).zip(text.lines()) {
            if let Some(name) = line.strip_prefix("--- ") {
                section = Some(name.trim().to_owned());
                continue;
            }
            let Some(section) = &section else {
                case.header(line).map_err(|error| format!("{name}:{number}: {error}"))?;
                continue;
            };
            if matches!(section.as_str(), "bad" | "bad before") {
                if line.contains("; <- finding") {
                    case.finding = number;
                } else if line.contains("; <- other") {
                    case.other = Some(number);
                }
            }
            let text = line.split(';').next().unwrap_or_default().trim().to_owned();
            if !text.is_empty() {
                case.sections.entry(section.clone()).or_default().push(Line { number, text });
            }
        }
        let is_whole =
            !case.kind.is_empty() && ["bad", "good"].iter().all(|name| case.sections.contains_key(*name));
        let is_marked = text.contains("; <- finding") || !case.command.is_empty();
        if !is_whole || case.finding == 0 && !is_marked {
            return Err(format!("{name}: no kind, no bad or good section, or no finding is marked"));
        }
        if case.finding == 0 && case.command.is_empty() {
            // In a function that both variants call.
            let at = text.lines().position(|line| line.contains("; <- finding")).unwrap_or(0);
            case.finding = at as u32 + 1;
        }
        Ok(case)
    }

    fn header(&mut self, line: &str) -> Result<(), String> {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            return Ok(());
        }
        if line == "tasked" {
            self.is_tasked = true;
            return Ok(());
        }
        if line == "second" {
            self.has_second = true;
            return Ok(());
        }
        if line == "bare" {
            self.is_bare = true;
            return Ok(());
        }
        if line == "equal" {
            self.compares_equal = true;
            return Ok(());
        }
        let (key, value) = line.split_once(':').ok_or("neither KEY: VALUE nor a comment")?;
        let words = || value.split_whitespace();
        let numbers = || {
            let number = |word: &str| match word.strip_prefix("0x") {
                Some(digits) => u32::from_str_radix(digits, 16).map_err(|error| error.to_string()),
                None if word.contains('.') => {
                    word.parse::<f32>().map(f32::to_bits).map_err(|error| error.to_string())
                }
                None => word.parse::<i64>().map(|number| number as u32).map_err(|error| error.to_string()),
            };
            words().map(number).collect::<Result<Vec<u32>, _>>()
        };
        match key {
            "kind" => self.kind = value.trim().to_owned(),
            "stages" => {
                let stage = |word| Stage::from_word(word).ok_or(format!("no stage {word}"));
                self.stages = words().map(stage).collect::<Result<_, _>>()?;
            }
            "before" => {
                self.before = Some(Stage::from_word(value.trim()).ok_or(format!("no stage {value}"))?);
            }
            "triangles" => self.triangles = numbers()?.try_into().map_err(|_| "not two numbers")?,
            "rays" => self.rays = *numbers()?.first().ok_or("no number")?,
            "size" => self.size = numbers()?.try_into().map_err(|_| "not three numbers")?,
            "groups" => self.groups = *numbers()?.first().ok_or("no number")?,
            "input" => self.input = numbers()?,
            "also" => self.also = words().map(str::to_owned).collect(),
            "capabilities" => self.capabilities = words().map(str::to_owned).collect(),
            "extensions" => self.extensions = words().map(str::to_owned).collect(),
            "backends" => self.backends = words().map(str::to_owned).collect(),
            "addressing" => self.is_physical = value.trim() == "physical",
            "imports" => self.imports = value.trim().to_owned(),
            "says" => self.says = value.trim().to_owned(),
            "interface" => self.interface = value.trim().to_owned(),
            "reads" => self.reads = numbers()?.first().copied(),
            "stack" => self.stack = Some(numbers()?.try_into().map_err(|_| "not two numbers")?),
            "pushed" => self.pushed = *numbers()?.first().ok_or("no number")?,
            "rebuild" => {
                let structure = |word| match word {
                    "bottom" => Ok(Rebuilt::Bottom),
                    "top" => Ok(Rebuilt::Top),
                    _ => Err(format!("no structure {word}")),
                };
                self.rebuild = words().map(structure).collect::<Result<_, _>>()?;
            }
            "command" => self.command = value.trim().to_owned(),
            "lanes" => self.lanes = numbers()?.first().copied(),
            _ => return Err(format!("unknown key {key}")),
        }
        Ok(())
    }
}

/// All files of a folder, by name.
///
/// # Panics
/// When the folder cannot be read, or a file is malformed: a mistake of the corpus.
pub fn all(folder: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder of cases") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "case") {
            let text = std::fs::read_to_string(&path).expect("a text");
            let name = path.file_stem().expect("a name").to_string_lossy();
            cases.push(Case::parse(&name, &text).unwrap_or_else(|error| panic!("{error}")));
        }
    }
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    cases
}
