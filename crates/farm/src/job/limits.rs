//! What job files may ask for, at most. Job files may come from others: a mistyped count must give an error,
//! not take all memory.

/// Bytes of a job file.
pub(crate) const FILE_BYTES_MAX: u64 = 16 << 20;
/// Bytes of a list of cases.
pub(crate) const LIST_BYTES_MAX: u64 = 1 << 30;
/// Items of a job.
pub(crate) const ITEMS_MAX: u64 = 10_000_000;
/// Characters of a case's name.
pub(crate) const CASE_NAME_MAX: usize = 4096;
/// Characters of a job's or a section's name.
pub(crate) const NAME_MAX: usize = 100;
/// Sections of a job.
pub(crate) const SECTIONS_MAX: usize = 1000;
/// Seconds of a timeout: 30 days.
pub(crate) const SECONDS_MAX: f64 = 30.0 * 86400.0;
/// Attempts after the first.
pub(crate) const RETRIES_MAX: u32 = 100;
/// Pixels of a picture's side.
pub(crate) const PICTURE_SIDE_MAX: u32 = 65_535;
/// Bytes of a buffer.
pub(crate) const BUFFER_BYTES_MAX: u64 = 1 << 40;
/// Reports of a section.
pub(crate) const REPORTS_MAX: usize = 16;
