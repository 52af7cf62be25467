//! More rules that hold on every device, by what they look at.
//!
//! | file | looks at |
//! | --- | --- |
//! | [`declaration`] | types and constants |
//! | [`variable`] | variables at module scope |
//! | [`stage`] | entry points and what they use |
//! | [`instruction`] | instructions in functions |
//! | [`indexing`] | indices into arrays of resources |

pub(crate) mod declaration;
pub(crate) mod indexing;
pub(crate) mod instruction;
pub(crate) mod stage;
pub(crate) mod variable;
