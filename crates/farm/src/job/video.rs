//! Videos that merging makes of frames.

use super::{check_output, template};
use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// Frames per second, at most.
const RATE_MAX: f64 = 1000.0;

/// A video of a section's frames.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Video {
    /// Its file, below the section's folder; its ending says the format.
    pub file: String,
    /// Which of the section's outputs are its pictures [the first].
    pub pictures: Option<String>,
    /// Frames per second.
    #[serde(default = "default_rate")]
    pub rate: f64,
    /// Arguments of ffmpeg for the output.
    #[serde(default = "default_arguments")]
    pub arguments: Vec<String>,
}

fn default_rate() -> f64 {
    30.0
}

/// What players show, of any pictures.
fn default_arguments() -> Vec<String> {
    ["-pix_fmt", "yuv420p"].map(str::to_owned).into()
}

impl Video {
    /// Checks it against the outputs of its section.
    ///
    /// # Errors
    /// Names that lead elsewhere, pictures that no frame writes, and rates out of range.
    pub(super) fn check(&self, outputs: &[String]) -> Result<()> {
        check_output(&self.file)?;
        ensure!(self.rate > 0.0 && self.rate <= RATE_MAX, "rate: {} is not in (0, {RATE_MAX}]", self.rate);
        let pictures = self.pictures(outputs);
        ensure!(outputs.contains(pictures), "pictures: {pictures:?} is not one of the outputs");
        self.pattern(outputs).map(drop)
    }

    fn pictures<'a>(&'a self, outputs: &'a [String]) -> &'a String {
        self.pictures.as_ref().unwrap_or(&outputs[0])
    }

    /// The names of its pictures as ffmpeg reads them: `film-%05d.png`.
    ///
    /// # Errors
    /// Names with the frame's number twice.
    pub(crate) fn pattern(&self, outputs: &[String]) -> Result<String> {
        let pictures = self.pictures(outputs);
        template::pattern(pictures, "frame").with_context(|| format!("pictures: {pictures:?}"))
    }
}
