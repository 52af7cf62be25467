//! Parsing of test files into cases: a function, its directives, and what they expect.

use crate::data::{Data, parse_data};
use pyro_abi::Exit;
use pyro_ir::Function;

/// What to do with a function.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Apply these passes, then run it.
    Run(Vec<String>),
    /// Apply passes.
    Pass(Vec<String>),
    /// See what the verifier says.
    Verify(String),
}

/// A piece of memory that functions see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Region {
    /// The buffer whose address is this word of the push constants.
    Buffer(usize),
    /// Workgroup memory.
    Shared,
    /// Private arrays.
    Scratch,
    /// Frame memory.
    Frame,
}

/// Buffers that a case has.
pub const BUFFER_COUNT: usize = 8;

impl Region {
    fn from_name(name: &str) -> Option<Region> {
        match name {
            "shared" => Some(Region::Shared),
            "scratch" => Some(Region::Scratch),
            "frame" => Some(Region::Frame),
            _ => {
                let number: usize = name.strip_prefix("buffer")?.parse().ok()?;
                (number < BUFFER_COUNT).then_some(Region::Buffer(number))
            }
        }
    }
}

/// What a case's directives say.
#[derive(Clone, Debug)]
pub struct Directives {
    /// What to do.
    pub action: Action,
    /// Memory before.
    pub before: Vec<(Region, Data)>,
    /// Memory afterwards.
    pub after: Vec<(Region, Data)>,
    /// How each call ends.
    pub exits: Vec<Exit>,
    /// `SubgroupContext::active_lanes`.
    pub active: u64,
    /// `SubgroupContext::subgroup_id`.
    pub subgroup: u32,
}

/// One function with its directives.
#[derive(Clone, Debug)]
pub struct Case {
    /// Where it starts in its file, from 1.
    pub line: usize,
    /// All lines up to the function's end, as they are.
    pub head: String,
    /// The lines behind it that start with `;=`, without that.
    pub expected: String,
    /// What the directives say.
    pub directives: Directives,
    /// The function.
    pub function: Function,
}

impl Case {
    /// The case as text.
    pub fn text(&self) -> String {
        let mut text = self.head.clone();
        for line in self.expected.lines() {
            text += &format!(";= {line}\n");
        }
        text
    }
}

/// Reads a file.
///
/// # Errors
/// What is wrong, with its line.
pub fn parse_file(text: &str) -> Result<Vec<Case>, String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut cases = Vec::new();
    let mut next = 0;
    while lines[next..].iter().any(|line| !line.is_empty()) {
        let start = next;
        while next < lines.len() && lines[next] != "}" {
            next += 1;
        }
        if next == lines.len() {
            return Err(format!("line {}: no function ends with a line \"}}\"", start + 1));
        }
        next += 1;
        let head = lines[start..next].iter().map(|line| format!("{line}\n")).collect::<String>();
        let mut expected = String::new();
        while let Some(line) = lines.get(next).and_then(|line| line.strip_prefix(";=")) {
            expected += line.strip_prefix(' ').unwrap_or(line);
            expected.push('\n');
            next += 1;
        }
        let directives = directives(&lines[start..next], start)?;
        // Comments stay in the text, so that the parser's lines are right.
        let function = pyro_ir::parse::parse(&head).map_err(|error| {
            format!("line {}, column {}: {}", error.line as usize + start, error.column, error.message)
        })?;
        let line = start + 1 + lines[start..].iter().take_while(|line| line.is_empty()).count();
        cases.push(Case { line, head, expected, directives, function });
    }
    if cases.is_empty() {
        return Err("there is no case".to_owned());
    }
    Ok(cases)
}

fn directives(lines: &[&str], start: usize) -> Result<Directives, String> {
    let mut action = None;
    let mut found = Directives {
        action: Action::Run(Vec::new()),
        before: Vec::new(),
        after: Vec::new(),
        exits: vec![Exit::Done],
        active: u64::MAX,
        subgroup: 0,
    };
    for (index, line) in lines.iter().enumerate() {
        let Some(text) = line.strip_prefix(";!") else { continue };
        let error = |message: &str| format!("line {}: {message}", start + index + 1);
        let text = text.trim();
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let names = || rest.split_whitespace().map(str::to_owned).collect();
        match word {
            "run" => action = Some(Action::Run(names())),
            "pass" => action = Some(Action::Pass(names())),
            "verify" => action = Some(Action::Verify(rest.to_owned())),
            "active:" | "subgroup:" => {
                let number = match rest.strip_prefix("0x") {
                    Some(digits) => u64::from_str_radix(digits, 16),
                    None => rest.parse(),
                };
                let number = number.map_err(|_| error("expected a number"))?;
                if word == "active:" {
                    found.active = number;
                } else {
                    found.subgroup = number.try_into().map_err(|_| error("too large"))?;
                }
            }
            "exits:" => {
                let exit = |word: &str| match word {
                    "done" => Ok(Exit::Done),
                    "barrier" => Ok(Exit::Barrier),
                    "aborted" => Ok(Exit::Aborted),
                    _ => Err(error("unknown exit")),
                };
                found.exits = rest.split_whitespace().map(exit).collect::<Result<_, _>>()?;
            }
            _ => {
                let (name, before) = match word.strip_suffix(':') {
                    Some(name) => (name, true),
                    None => (word, false),
                };
                let region = Region::from_name(name).ok_or_else(|| error("unknown directive"))?;
                if before {
                    found.before.push((region, parse_data(rest).map_err(|message| error(&message))?));
                } else {
                    let rest = rest.strip_prefix('=').ok_or_else(|| error("expected ':' or '='"))?;
                    found.after.push((region, parse_data(rest).map_err(|message| error(&message))?));
                }
            }
        }
    }
    found.action =
        action.ok_or_else(|| format!("line {}: the case has no run, pass or verify directive", start + 1))?;
    if matches!(found.action, Action::Run(_)) && found.after.is_empty() && found.exits == [Exit::Done] {
        return Err(format!("line {}: the case expects nothing", start + 1));
    }
    Ok(found)
}
