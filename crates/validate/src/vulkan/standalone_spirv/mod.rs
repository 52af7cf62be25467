//! Rules that hold on every device ("Standalone SPIR-V Validation"), by what they look at.
//!
//! | file | looks at |
//! | --- | --- |
//! | [`declaration`] | types, constants, decorations, execution modes |
//! | [`variable`] | variables at module scope |
//! | [`block_layout`] | explicit layouts of blocks |
//! | [`instruction`] | instructions in functions |
//! | [`memory_model`] | execution and memory scopes, memory semantics |
//! | [`indexing`] | indices into arrays of resources |
//! | [`entry_point`] | interfaces of entry points |
//! | [`stage`] | what entry points of a stage may use |
//! | [`execution_mode`] | execution modes and the stages they are for |
//! | [`builtin`] | built-ins beyond the table of `pyro_interface` |
//! | [`mesh`] | task and mesh shaders |
//! | [`transform_feedback`] | outputs that transform feedback captures |

pub(crate) mod block_layout;
pub(crate) mod builtin;
pub(crate) mod declaration;
pub(crate) mod entry_point;
pub(crate) mod execution_mode;
pub(crate) mod indexing;
pub(crate) mod instruction;
pub(crate) mod memory_model;
pub(crate) mod mesh;
pub(crate) mod stage;
pub(crate) mod transform_feedback;
pub(crate) mod variable;
