//! Checks that a function is well formed, and says everything that is wrong with it.
//!
//! # What is checked *Structure* (`structure`): the subgroup size; blocks in the order exist and are there
//! once; the entry has no parameters and nothing jumps to it; every instruction stands in one place, has its
//! operation's number of operands and, if the operation gives one, a result that names it; parameters name
//! their block and position; operands exist and are defined by something in the order; every block ends;
//! targets are in the order and get one value of the right type for each parameter.
//!
//! *Types* (`types`): every operand and result has the scalar type of the [`crate::Signature`] and the
//! shape of the form (see the crate's documentation of forms and [`crate::Opcode`]): in lane form everything
//! is varying; in mask form operands of one operation have one shape, addresses of varying accesses may be
//! uniform, conditions and selectors are uniform. Immediates: constants fit their type, memory operations are
//! canonical and do not write read-only spaces, slots exist and constant slot offsets lie inside them,
//! aligned, everything else is 0. Case literals are distinct and fit. `active`, slots and merge information
//! are lane form's only, and it returns 0.
//!
//! *Dominance*: a value is defined before each use on every way from the entry. Blocks that the entry does
//! not reach may use any value.
//!
//! *Block order* (`order`), lane form: an edge goes forward, or from inside a loop to its header; a loop is
//! the run from its header to its merge block, entered only at the header, and loops nest; the merge block of
//! a selection comes behind its header; a continue target lies inside its loop.
//!
//! # What is not checked
//! That mask form is reducible; that memory accesses are in bounds or aligned, and that slot accesses at
//! dynamic offsets obey the rules of [`crate::SlotData`]; that `speculatable` is true; that exit codes mean
//! something; that `suspend` has been lowered (only [`verify_executable`] checks that); that the blocks of
//! a selection beyond its merge block are not reached in other ways; source locations.

mod dominance;
mod order;
mod structure;
mod types;

use crate::function::{Block, Form, Function, Inst, Value};
use crate::opcode::Opcode;
use std::fmt;

/// The part of a function that an error is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entity {
    /// The whole function.
    Function,
    /// A block, or its terminator.
    Block(Block),
    /// An instruction in a block.
    Inst(Block, Inst),
}

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifierError {
    /// The part of the function that breaks the rule.
    pub entity: Entity,
    /// The instruction or terminator as text; empty for a function.
    pub context: String,
    /// Which rule, and how.
    pub message: String,
}

impl fmt::Display for VerifierError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.entity {
            Entity::Function => {}
            Entity::Block(block) => write!(f, "{block}: ")?,
            Entity::Inst(block, inst) => write!(f, "{block}, {inst}: ")?,
        }
        f.write_str(&self.message)?;
        if !self.context.is_empty() {
            write!(f, " in `{}`", self.context)?;
        }
        Ok(())
    }
}

/// Everything that is wrong with a function; at least one error, in the function's order.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct VerifierErrors {
    /// The function's name.
    pub function: String,
    /// The errors.
    pub errors: Vec<VerifierError>,
}

impl fmt::Display for VerifierErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not well formed:", self.function)?;
        self.errors.iter().try_for_each(|error| write!(f, "\n  {error}"))
    }
}

/// Checks a function in either form.
///
/// # Errors
/// All rules that it breaks. When its structure is broken, the rules that build on it are not looked at.
pub fn verify(function: &Function) -> Result<(), VerifierErrors> {
    let mut verifier = Verifier::new(function);
    structure::check(&mut verifier);
    if verifier.errors.is_empty() {
        types::check(&mut verifier);
        dominance::check(&mut verifier);
        if function.form == Form::Lane {
            order::check(&mut verifier);
        }
    }
    verifier.finish()
}

/// Checks that both executors may run a function: that it is well formed, in mask form, and that no `suspend`
/// is left.
///
/// # Errors
/// As [`verify`].
pub fn verify_executable(function: &Function) -> Result<(), VerifierErrors> {
    verify(function)?;
    let mut verifier = Verifier::new(function);
    if function.form != Form::Mask {
        verifier.error(Entity::Function, "executors run mask form");
    }
    for &block in &function.block_order {
        for &inst in &function.blocks[block].insts {
            let missing = match function.insts[inst].op {
                Opcode::Suspend => "suspend",
                Opcode::Report => "report_lowering",
                Opcode::Track => "track_lowering",
                _ => continue,
            };
            verifier.error(Entity::Inst(block, inst), format!("the {missing} pass has not run"));
        }
    }
    verifier.finish()
}

/// The function and what has been found out about it.
struct Verifier<'f> {
    function: &'f Function,
    errors: Vec<VerifierError>,
    /// By block number: place in the order, or [`NOWHERE`].
    position: Vec<u32>,
    /// By value number: where it is defined.
    definition: Vec<Definition>,
}

/// Not in the order.
const NOWHERE: u32 = u32::MAX;

/// Where a value is defined: the block, and 0 for a parameter or 1 plus the instruction's place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Definition {
    block: Block,
    index: u32,
}

impl<'f> Verifier<'f> {
    fn new(function: &'f Function) -> Verifier<'f> {
        Verifier {
            function,
            errors: Vec::new(),
            position: vec![NOWHERE; function.blocks.len()],
            definition: vec![Definition { block: Block::RESERVED, index: 0 }; function.values.len()],
        }
    }

    fn error(&mut self, entity: Entity, message: impl Into<String>) {
        let context = match entity {
            Entity::Function => String::new(),
            Entity::Block(block) => self
                .function
                .blocks
                .get(block)
                .map_or(String::new(), |data| crate::print::terminator_text(&data.terminator)),
            Entity::Inst(_, inst) => crate::print::inst_text(self.function, inst),
        };
        self.errors.push(VerifierError { entity, context, message: message.into() });
    }

    fn position(&self, block: Block) -> u32 {
        self.position.get(block.as_u32() as usize).copied().unwrap_or(NOWHERE)
    }

    fn definition(&self, value: Value) -> Option<Definition> {
        let definition = *self.definition.get(value.as_u32() as usize)?;
        (definition.block != Block::RESERVED).then_some(definition)
    }

    fn finish(self) -> Result<(), VerifierErrors> {
        if self.errors.is_empty() {
            return Ok(());
        }
        Err(VerifierErrors { function: self.function.name.clone(), errors: self.errors })
    }
}

#[cfg(test)]
mod tests;
