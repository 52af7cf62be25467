//! Facts about functions that passes share. Each is computed from scratch and holds until the function
//! changes.

pub mod affine;
pub mod cfg;
pub mod dominators;
pub mod int_ranges;
pub mod interval;
pub mod invocations;
pub mod linear_offset;
pub mod liveness;
pub mod loops;
pub mod pressure;
pub mod range;
pub mod row_walk;
pub mod uses;

pub use affine::{Affine, AffineValues};
pub use cfg::{Cfg, Edge};
pub use dominators::Dominators;
pub use int_ranges::IntRanges;
pub use interval::{Interval, Width};
pub use invocations::Invocations;
pub use linear_offset::{LinearOffsets, Steps};
pub use liveness::Liveness;
pub use loops::{LoopForest, LoopId};
pub(crate) use range::power_of_two;
pub use range::{Range, Ranges};
pub use row_walk::{reads_rows, walks_rows};
pub use uses::UseCounts;
