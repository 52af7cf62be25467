//! The program tree: statements and expressions over 32-bit variables.

use crate::inject::Bug;
use crate::typed::{Combine, Extent, Source, Type, TypedBinary};

/// Words of the input buffer; indices are taken modulo this.
pub const INPUT_WORDS: u32 = 64;
/// Words of output for each invocation.
pub const OUTPUT_WORDS: u32 = 8;
/// Elements of the private array.
pub const ARRAY_WORDS: u32 = 8;
/// 32-bit variables of the entry point.
pub const VARIABLES: u32 = 6;
/// Variables of a function: its two parameters first.
pub const FUNCTION_VARIABLES: u32 = 4;

/// A binary operation on 32-bit words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in SPIR-V")]
pub enum Binary {
    IAdd,
    ISub,
    IMul,
    /// Divisor made odd.
    UDiv,
    /// Divisor made odd.
    UMod,
    /// Operands made small and the divisor positive.
    SDiv,
    /// Operands made small and the divisor positive.
    SMod,
    /// Amount modulo 32.
    ShiftLeftLogical,
    /// Amount modulo 32.
    ShiftRightLogical,
    /// Amount modulo 32.
    ShiftRightArithmetic,
    BitwiseAnd,
    BitwiseOr,
    BitwiseXor,
    UMin,
    SMax,
    /// On the operands converted from 16-bit integers, exact.
    FAdd,
    /// On the operands converted from 11-bit integers, exact.
    FMul,
    /// High half of the product.
    UMulHigh,
    /// Of packed bytes.
    SDot,
    /// Of packed bytes.
    UDot,
    /// Of packed bytes.
    SUDot,
    /// Of packed bytes, and the first operand.
    SDotAccSat,
    /// Of packed bytes, and the first operand.
    UDotAccSat,
    /// Of packed bytes, and the first operand.
    SUDotAccSat,
}

impl Binary {
    /// All of them.
    pub const ALL: [Binary; 24] = [
        Binary::IAdd,
        Binary::ISub,
        Binary::IMul,
        Binary::UDiv,
        Binary::UMod,
        Binary::SDiv,
        Binary::SMod,
        Binary::ShiftLeftLogical,
        Binary::ShiftRightLogical,
        Binary::ShiftRightArithmetic,
        Binary::BitwiseAnd,
        Binary::BitwiseOr,
        Binary::BitwiseXor,
        Binary::UMin,
        Binary::SMax,
        Binary::FAdd,
        Binary::FMul,
        Binary::UMulHigh,
        Binary::SDot,
        Binary::UDot,
        Binary::SUDot,
        Binary::SDotAccSat,
        Binary::UDotAccSat,
        Binary::SUDotAccSat,
    ];
}

/// A unary operation on 32-bit words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in SPIR-V")]
pub enum Unary {
    Not,
    SNegate,
    BitCount,
    BitReverse,
    FindUMsb,
    FindILsb,
}

impl Unary {
    /// All of them.
    pub const ALL: [Unary; 6] =
        [Unary::Not, Unary::SNegate, Unary::BitCount, Unary::BitReverse, Unary::FindUMsb, Unary::FindILsb];
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in SPIR-V")]
pub enum Compare {
    IEqual,
    INotEqual,
    ULessThan,
    SGreaterThanEqual,
}

impl Compare {
    /// All of them.
    pub const ALL: [Compare; 4] =
        [Compare::IEqual, Compare::INotEqual, Compare::ULessThan, Compare::SGreaterThanEqual];
}

/// A 32-bit value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// A constant.
    Constant(u32),
    /// A variable of the current function.
    Variable(u32),
    /// `GlobalInvocationId.x`.
    GlobalId,
    /// `LocalInvocationIndex`.
    LocalIndex,
    /// `SubgroupLocalInvocationId`.
    LaneId,
    /// `WorkgroupId.x`: the same in the whole workgroup.
    WorkgroupId,
    /// A word of the input buffer.
    Input(Box<Expression>),
    /// An element of the private array.
    Element(Box<Expression>),
    /// A unary operation.
    Unary(Unary, Box<Expression>),
    /// A binary operation.
    Binary(Binary, Box<Expression>, Box<Expression>),
    /// An operation in another type, whose result's bits become a word.
    Typed(Type, TypedBinary, Box<Expression>, Box<Expression>),
    /// A choice without control flow.
    Select(Box<Condition>, Box<Expression>, Box<Expression>),
}

/// A truth value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A comparison.
    Compare(Compare, Expression, Expression),
    /// Both.
    And(Box<Condition>, Box<Condition>),
    /// Either.
    Or(Box<Condition>, Box<Condition>),
    /// The opposite.
    Not(Box<Condition>),
}

/// An operation over the active lanes of a subgroup; the operand is a 32-bit value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in SPIR-V")]
pub enum Group {
    /// 1 in the lowest active lane, else 0.
    Elect,
    /// Whether the operand is odd in all lanes.
    All,
    /// Whether the operand is odd in any lane.
    Any,
    AllEqual,
    BroadcastFirst,
    /// How many lanes have an odd operand.
    BallotBitCount,
    /// The ballot's first word.
    Ballot,
    IAddReduce,
    IAddInclusiveScan,
    IAddExclusiveScan,
    UMinReduce,
    SMaxInclusiveScan,
    BitwiseXorReduce,
    IMulExclusiveScan,
}

impl Group {
    /// All of them.
    pub const ALL: [Group; 14] = [
        Group::Elect,
        Group::All,
        Group::Any,
        Group::AllEqual,
        Group::BroadcastFirst,
        Group::BallotBitCount,
        Group::Ballot,
        Group::IAddReduce,
        Group::IAddInclusiveScan,
        Group::IAddExclusiveScan,
        Group::UMinReduce,
        Group::SMaxInclusiveScan,
        Group::BitwiseXorReduce,
        Group::IMulExclusiveScan,
    ];
}

/// One arm of a switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// What it does.
    pub body: Vec<Statement>,
    /// Goes on with the next case instead of leaving.
    pub falls_through: bool,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// Sets a variable.
    Set(u32, Expression),
    /// Sets an element of the private array (entry point only).
    SetElement(Expression, Expression),
    /// Writes one of the invocation's output words (entry point only).
    Output(u32, Expression),
    /// Adds to the shared output word by an atomic whose result is not used.
    AtomicAdd(Expression),
    /// A selection.
    If(Condition, Vec<Statement>, Vec<Statement>),
    /// Repeats the body this many times at most.
    Loop(Expression, Vec<Statement>),
    /// Leaves the innermost loop where the condition holds.
    Break(Condition),
    /// Goes on with the next round where the condition holds.
    Continue(Condition),
    /// Chooses case `selector` modulo the number of cases plus one; the last is the default.
    Switch(Expression, Vec<Case>, Vec<Statement>),
    /// Leaves the function where the condition holds; in a function, with this value.
    Return(Condition, Expression),
    /// Sets a variable to a function's result.
    Call(u32, usize, Expression, Expression),
    /// Sets a variable to the result of a group operation.
    Group(u32, Group, Expression),
    /// Sets a variable to a reduction or scan in another type.
    TypedGroup(u32, Type, Combine, Extent, Expression),
    /// Sets a variable to another lane's value in another type, or 0 where that lane is not active.
    Lane(u32, Type, Source, Expression),
    /// Sets a variable to the sum of the second expression over the lanes that agree in the first modulo 4.
    Partitioned(u32, Expression, Expression),
    /// Writes workgroup memory, waits, and sets a variable to what the invocation so many places further
    /// wrote, then waits again. In uniform control flow only.
    Exchange(u32, u32, Expression),
    /// Something undefined that changes no variable ([`crate::inject`]).
    Bug(Bug),
}

/// A function of two parameters (variables 0 and 1) and a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// What it does.
    pub body: Vec<Statement>,
    /// Its result at the end.
    pub result: Expression,
}

/// A compute shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Invocations of a workgroup, in x.
    pub workgroup_size: u32,
    /// Functions; each may call those before it.
    pub functions: Vec<Function>,
    /// The entry point.
    pub body: Vec<Statement>,
}

impl Program {
    /// Lets every case of a switch leave: whether the invocations that fall through reconverge with those
    /// that chose the next case is left open even under maximal reconvergence.
    #[must_use]
    pub fn without_fall_through(mut self) -> Program {
        leave_cases(&mut self.body);
        self.functions.iter_mut().for_each(|function| leave_cases(&mut function.body));
        self
    }
}

fn leave_cases(block: &mut [Statement]) {
    for statement in block {
        match statement {
            Statement::If(_, then, otherwise) => {
                leave_cases(then);
                leave_cases(otherwise);
            }
            Statement::Loop(_, body) => leave_cases(body),
            Statement::Switch(_, cases, default) => {
                for case in cases {
                    case.falls_through = false;
                    leave_cases(&mut case.body);
                }
                leave_cases(default);
            }
            _ => {}
        }
    }
}
