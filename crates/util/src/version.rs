//! The version of the driver, and that of the bits that it computes.

/// The driver's version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The pixels epoch: for one number, every program gets the same bits on every machine. A change of the
/// driver that changes any bit of a result raises it.
///
/// `testing/scenes` holds digests of pictures and buffers against it: where they change, its test fails until
/// the epoch is raised.
pub const PIXELS_EPOCH: u32 = 3;
