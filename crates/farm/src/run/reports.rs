//! The reports that processes write beside the results of their items.

use super::Context as RunContext;
use super::process::End;
use crate::job::Section;
use crate::merge::check_report;
use crate::record::Output;
use anyhow::{Context, Result, ensure};
use std::path::Path;

/// Bytes of a report.
const REPORT_BYTES_MAX: u64 = 256 << 20;

/// The reports of a unit's processes, by the section's reports.
#[derive(Default)]
pub(super) struct Reports(pub(super) Vec<Vec<Output>>);

impl Reports {
    /// Keeps what a process wrote into its folder. One that was ended need not have written any.
    ///
    /// # Errors
    /// Reports that are missing, too large or cannot be joined, and store errors.
    pub(super) fn collect(
        &mut self,
        context: &RunContext<'_>,
        section: &Section,
        folder: &Path,
        end: &End,
    ) -> Result<()> {
        self.0.resize(section.reports.len(), Vec::new());
        for (report, parts) in section.reports.iter().zip(&mut self.0) {
            let (path, name) = (folder.join(&report.file), &report.file);
            let Ok(found) = std::fs::symlink_metadata(&path) else {
                ensure!(
                    !matches!(end, End::Code(_)),
                    "{} ended with {end} and wrote no report {name}",
                    section.program_as_written
                );
                continue;
            };
            ensure!(
                found.is_file() && found.len() <= REPORT_BYTES_MAX,
                "report {name} is not a regular file, or has more than {REPORT_BYTES_MAX} bytes"
            );
            let bytes = std::fs::read(&path).with_context(|| format!("cannot read report {name}"))?;
            match check_report(report.join, &bytes) {
                Ok(()) => {}
                // A process that was ended may have left a part of one.
                Err(_) if !matches!(end, End::Code(_)) => continue,
                Err(error) => return Err(error.context(format!("report {name} cannot be joined"))),
            }
            let byte_count = bytes.len() as u64;
            parts.push(Output {
                name: name.clone(),
                bytes: byte_count,
                digest: context.store.put_blob(bytes)?,
            });
        }
        Ok(())
    }
}
