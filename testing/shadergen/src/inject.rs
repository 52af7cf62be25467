//! Programs with a bug: something undefined, put into a program that has nothing undefined, at a known line.

use crate::program::{Program, Statement};
use pyro_random::Random;

/// The file that a bug's lines are in.
pub const FILE: &str = "bug";
/// The line of the bug.
pub const LINE: u32 = 2;
/// The line of the other side, of races in workgroup memory.
pub const OTHER_LINE: u32 = 1;

/// Something undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bug {
    /// A neighbour's word of workgroup memory is read without a barrier.
    RaceWorkgroup,
    /// All invocations store to one word of a buffer.
    RaceBuffer,
    /// Past the end of the private array.
    BoundsPrivate,
    /// Past the end of the input buffer.
    BoundsBuffer,
    /// A variable that nobody has written is stored.
    Uninitialized,
    /// By zero.
    Divide,
    /// By 32 bits or more.
    Shift,
    /// Past the last bit.
    BitField,
    /// Of a negative float to unsigned.
    Convert,
}

impl Bug {
    /// All of them.
    pub const ALL: [Bug; 9] = [
        Bug::RaceWorkgroup,
        Bug::RaceBuffer,
        Bug::BoundsPrivate,
        Bug::BoundsBuffer,
        Bug::Uninitialized,
        Bug::Divide,
        Bug::Shift,
        Bug::BitField,
        Bug::Convert,
    ];

    /// What the sanitizer calls it.
    pub fn kind(self) -> &'static str {
        match self {
            Bug::RaceWorkgroup => "race-workgroup",
            Bug::RaceBuffer => "race-buffer",
            Bug::BoundsPrivate => "bounds-private",
            Bug::BoundsBuffer => "bounds-buffer",
            Bug::Uninitialized => "uninitialized-variable",
            Bug::Divide => "divide-by-zero",
            Bug::Shift => "shift-width",
            Bug::BitField => "bit-field-range",
            Bug::Convert => "convert-range",
        }
    }
}

/// The program with a bug where all invocations come, and which it is.
pub fn inject(program: &Program, seed: u64) -> (Program, Bug) {
    let mut random = Random::new(seed ^ 0xb09);
    let mut bug = random.pick(&Bug::ALL);
    if bug == Bug::RaceWorkgroup && program.workgroup_size < 2 {
        bug = Bug::Divide;
    }
    let mut program = program.clone();
    let ends = program.body.iter().position(may_return).unwrap_or(program.body.len());
    program.body.insert(random.below(ends as u32 + 1) as usize, Statement::Bug(bug));
    (program, bug)
}

/// Whether some invocations may end in a statement.
fn may_return(statement: &Statement) -> bool {
    match statement {
        Statement::Return(..) => true,
        Statement::If(_, then, otherwise) => then.iter().chain(otherwise).any(may_return),
        Statement::Loop(_, body) => body.iter().any(may_return),
        Statement::Switch(_, cases, default) => {
            cases.iter().flat_map(|case| &case.body).chain(default).any(may_return)
        }
        _ => false,
    }
}
