//! A video of merged frames, by ffmpeg.
//!
//! One thread and no text of the encoder's version: the same frames and the same ffmpeg give the same bytes.

use super::Results;
use crate::job::{Job, Kind, Section};
use anyhow::{Context, Result, bail, ensure};
use std::path::Path;
use std::process::{Command, Stdio};

/// Makes the videos of all sections whose frames are all there, below the folder that those are in.
///
/// # Errors
/// When ffmpeg cannot be run, or cannot make one.
pub fn make_videos(job: &Job, results: &Results, folder: &Path) -> Result<()> {
    for (section, found) in job.sections.iter().zip(&results.sections) {
        if found.items.iter().all(|item| !item.verdict.is_failure()) {
            make(section, &folder.join(&section.name))?;
        }
    }
    Ok(())
}

fn make(section: &Section, folder: &Path) -> Result<()> {
    let Kind::Numbers(numbers) = &section.kind else { return Ok(()) };
    let Some(video) = &numbers.video else { return Ok(()) };
    if let Some(parent) = folder.join(&video.file).parent() {
        std::fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
    }
    // `./` and a folder to run in: names are neither options nor protocols, and the folder's is no pattern.
    let output = Command::new("ffmpeg")
        .current_dir(folder)
        .args(["-nostdin", "-y", "-v", "error", "-f", "image2"])
        .args(["-framerate", &video.rate.to_string(), "-start_number", &numbers.first.to_string()])
        .args(["-i", &format!("./{}", video.pattern(&numbers.outputs)?)])
        .args(["-frames:v", &numbers.count.to_string()])
        .args(["-threads", "1", "-fflags", "+bitexact", "-flags:v", "+bitexact"])
        .args(&video.arguments)
        .arg(format!("./{}", video.file))
        .stdin(Stdio::null())
        .output();
    let output = match output {
        Ok(output) => output,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            bail!("the video {} of section {} needs the program ffmpeg", video.file, section.name)
        }
        Err(error) => return Err(error).context("cannot run ffmpeg"),
    };
    ensure!(
        output.status.success(),
        "ffmpeg cannot make the video {} of section {}: {}",
        video.file,
        section.name,
        String::from_utf8_lossy(&output.stderr).trim()
    );
    Ok(())
}
