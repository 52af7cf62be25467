//! The intermediate representation: typed SSA over scalars, one program for all lanes of a subgroup.
//!
//! # Two forms
//! A [`Function`] is in one of two [`Form`]s, with the same instructions:
//!
//! * **Lane form** says what *one invocation* does. Control flow is per invocation: conditions may differ
//!   from lane to lane. It is structured: headers carry [`Merge`] information, and the block order obeys the
//!   rules below. The front end makes it; most optimisation passes work on it.
//! * **Mask form** says what *the subgroup* does. Every value has a [`Shape`]: *uniform* (one scalar for the
//!   subgroup) or *varying* (one per lane). Branch conditions are uniform; divergence has become masks
//!   (varying `i1` values) that predicate memory operations and feed `select`s. Both executors run this form
//!   and nothing else.
//!
//! The `linearize` pass turns the first into the second. In lane form all values count as varying.
//!
//! # Evaluation
//! An instruction without side effects computes its result for *every* lane, active or not, and may not
//! trap: division by zero, shifts by too much, conversions out of range all have a result, given with each
//! [`Opcode`]. Only operations with a *predicate* (their last operand, of type `i1`: loads, stores, atomics)
//! look at which lanes take part. In lane form the predicate is only the operation's own condition (such as
//! a bounds check); `linearize` combines it with the lanes that have come here. A lane whose predicate is
//! false reads zero, and writes nothing.
//!
//! # Memory
//! The address of an access is `base + zext(offset) + displacement`: `base` an `i64`, `offset` an `i32` or
//! `i64` counted in bytes, the displacement a signed constant in the instruction ([`MemoryOp`]). Memory is
//! little-endian. Lanes of one store or atomic take effect in ascending lane order. Booleans are not stored.
//! In lane form there are also *slots*: private variables of the function, addressed by byte offset, which
//! the passes turn into SSA values or into scratch memory.
//!
//! # Block order
//! [`Function::block_order`] is part of the program in lane form, since it decides where lanes meet again:
//! 1. the entry block is first; an edge goes forward in the order, except from inside a loop to its header;
//! 2. a loop is the contiguous run of blocks from its header up to, not including, its merge block; edges
//!    enter it only at the header;
//! 3. the blocks of a selection lie between its header and its merge block.
//!
//! Lanes that leave a construct by different ways wait at the block they go to, and the blocks run in order:
//! so at a merge block all lanes that the construct sends there are together again (maximal reconvergence).
//!
//! # Entry
//! A shader is called with the addresses of two records, read by `arg 0` (`pyro_abi::DispatchContext`) and
//! `arg 1` (`pyro_abi::SubgroupContext`), and returns a `pyro_abi::Exit` code.
//!
//! # Adding an operation
//! 1. A line in the table of [`opcode`]: mnemonic, signature, effect, meaning. With a signature that exists,
//!    the builder, printer, parser and verifier need nothing more; a new [`Signature`] is a case in each of
//!    them.
//! 2. Its meaning for one lane in [`mod@eval`], with tests of known values and of the edges.
//! 3. A handler in the interpreter (`pyro-interp`, `ops`), unless it is rare: pure operations without one go
//!    through [`eval::pure`]. Code generation in the JIT.
//! 4. A case in the text tests (`testing/filetests`, which fail as long as an operation has none), and how to
//!    make it in the generator (`testing/irgen`, `Generator::make`) if its signature is new.
//! 5. If passes may reorder, merge or simplify it in ways its [`Effect`] does not say: the passes.
#![forbid(unsafe_code)]

pub mod builder;
pub mod eval;
pub mod function;
pub mod opcode;
pub mod parse;
pub mod print;
pub mod types;
pub mod verify;

pub use builder::Builder;
pub use function::{
    Block, BlockCall, BlockData, Form, Function, Inst, InstData, MemoryOp, Merge, Slot, SlotData, SourceLoc,
    Space, Terminator, Value, ValueData, ValueDef,
};
pub use opcode::{Effect, Opcode, Signature};
pub use types::{Scalar, Shape, Type};
