//! `pyroclast replay FILE`: makes the calls of a capture again on this driver, and compares the results.
#![allow(unsafe_code)] // the driver's entry point

use super::capture;
use super::trim::Bounds;
use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use pyro_capture::file::Capture;
use pyro_capture::graph::Graph;
use pyro_capture::record::{Digest, Note, Record, digest};
use pyro_replay::{Counts, Difference, Picture, Player, trim};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Exit code when results differ from the capture's.
const DIFFERENT: u8 = 1;
/// Exit code when the capture cannot be replayed.
const FAILED: u8 = 2;

/// What to replay, and what to do with it.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The capture.
    capture: PathBuf,
    /// Write presented images into this folder, as PNG.
    #[arg(long, value_name = "FOLDER")]
    png: Option<PathBuf>,
    /// Write the images that draws and shaders write to into this folder: each as it is when it is destroyed,
    /// or where the replay stops.
    #[arg(long, value_name = "FOLDER")]
    images: Option<PathBuf>,
    /// What --images writes: OpenEXR keeps the numbers as 32-bit floats, PNG those from 0 to 1 as 8 bits.
    #[arg(long, value_name = "FORMAT", default_value = "exr")]
    image_format: super::images::Format,
    /// Print the value of a pixel: of the last presented picture, or of --image.
    #[arg(long, value_name = "X,Y", value_parser = parse_pixel)]
    pixel: Option<[u32; 2]>,
    /// The image of the pixel, by its number in --images.
    #[arg(long, value_name = "NUMBER", requires = "pixel")]
    image: Option<u64>,
    /// Print digests of what is in memory where the replay stops, or one behind each submission that the
    /// program waited for.
    #[arg(long, value_name = "WHERE", num_args = 0..=1, require_equals = true, default_missing_value = "end")]
    digests: Option<Digests>,
    /// Make the replay so many times, and show how long each took.
    #[arg(long = "loop", value_name = "TIMES", default_value_t = 1)]
    times: u32,
    /// Begin at this submission, counted from zero: what is before it is made once, and then its objects and
    /// contents of memory are restored for each replay. Only the rest is compared, shown and timed.
    #[arg(long, value_name = "SUBMISSION", conflicts_with_all = ["from_frame", "to_frame"])]
    from: Option<u64>,
    /// Stop behind this submission, counted from zero.
    #[arg(long, value_name = "SUBMISSION")]
    to: Option<u64>,
    /// Write pictures from this frame on only, counted from zero.
    #[arg(long, value_name = "FRAME", default_value_t = 0)]
    from_frame: u64,
    /// Stop behind this frame, counted from zero.
    #[arg(long, value_name = "FRAME")]
    to_frame: Option<u64>,
    /// Replay a capture whose program ended early, as far as it goes.
    #[arg(long)]
    partial: bool,
    /// Show the results as JSON.
    #[arg(long)]
    json: bool,
}

/// Where digests are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Digests {
    /// Where the replay stops.
    End,
    /// Behind each submission.
    Each,
}

/// Reads `3,4`.
pub(super) fn parse_pixel(text: &str) -> Result<[u32; 2], String> {
    let number = |text: &str| text.trim().parse().map_err(|_| format!("{text:?} is not a number of pixels"));
    let (x, y) = text.split_once(',').ok_or("a pixel is X,Y")?;
    Ok([number(x)?, number(y)?])
}

/// What a replay gave.
struct Outcome {
    counts: Counts,
    differences: Vec<Difference>,
    unknown_handles: u64,
    time: Duration,
}

/// Writes a picture.
fn write_png(folder: &Path, number: u64, picture: &Picture) -> Result<()> {
    let path = folder.join(format!("frame-{number:06}.png"));
    let file = std::fs::File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    let mut encoder = png::Encoder::new(std::io::BufWriter::new(file), picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let rows: Vec<u8> =
        picture.texels.chunks_exact(4).flat_map(|texel| [texel[2], texel[1], texel[0]]).collect();
    encoder.write_header()?.write_image_data(&rows).with_context(|| path.display().to_string())
}

/// A bar of so many steps for the terminal; nothing elsewhere.
pub(super) fn bar(steps: u64) -> ProgressBar {
    bar_as(steps, "{bar:40} {percent}% {eta} {msg}")
}

/// The same by a template of `indicatif`.
pub(super) fn bar_as(steps: u64, template: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(steps);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// What makes the calls of a capture again, on the driver in this process.
pub(super) fn player() -> Player {
    pyroclast_icd::keep_for_reload();
    pyroclast_icd::keep_dropped_attachments();
    // SAFETY: the driver's own entry point.
    let mut player = unsafe { Player::new(pyroclast_icd::get_instance_proc_addr) };
    player.set_reload(pyroclast_icd::reload_module);
    player
}

/// A capture of what comes from a submission on.
struct Part {
    capture: Capture,
    /// Submissions at its start that do nothing but leave fences and semaphores as they were.
    empty_submissions: u64,
    /// Images that were presented before it.
    presentations: u64,
}

/// What there is from a submission on: its objects are made, and memory holds what it held there.
fn part_of(capture: &Capture, first: u64, to: Option<u64>) -> Result<Part> {
    let graph = Graph::new(capture)?;
    let parts = super::trim::by_submission(&graph);
    let newest = parts.len().saturating_sub(1);
    let last = to.map_or(newest, |to| to as usize);
    let bounds = Bounds { first: first as usize, last: last.min(newest) };
    if bounds.first > bounds.last && bounds.first < parts.len() {
        bail!("--from {first} is behind --to {last}");
    }
    let mut records = super::trim::among(&parts, bounds, "submission")?;
    let start = records.start;
    if to.is_none() {
        // The end of the program belongs to it.
        records.end = graph.nodes.len();
    }
    let before = &graph.nodes[..start];
    let presentations = before.iter().filter(|node| node.command() == "vkQueuePresentKHR").count() as u64;
    let bar = bar_as(start as u64, "{bar:40} {percent}% {eta} what is before --from");
    // SAFETY: the driver's own entry point.
    let trimmed =
        unsafe { trim::trimmed(&graph, records, pyroclast_icd::get_instance_proc_addr, || bar.inc(1)) };
    bar.finish_and_clear();
    let trimmed = trimmed?;
    let before = graph.submissions.iter().take_while(|(at, _)| *at < start);
    let empty_submissions = before.filter(|(at, _)| trimmed.kept[*at]).count() as u64;
    Ok(Part { capture: Capture::of_records(trimmed.encoded())?, empty_submissions, presentations })
}

/// Replays a whole capture, or a part of one that ends where `--to` says.
fn play(whole: &Capture, part: Option<&Part>, arguments: &Arguments) -> Result<Outcome> {
    let capture = part.map_or(whole, |part| &part.capture);
    let last = arguments.to.filter(|_| part.is_none());
    let start = Instant::now();
    let mut player = player();
    if arguments.images.is_some() || arguments.image.is_some() {
        player.keep_images();
    }
    let mut last_picture = None;
    let bar = bar(capture.summary.map_or(0, |summary| summary.records));
    let mut written = part.map_or(0, |part| part.presentations);
    let mut records = capture.records();
    while let Some(record) = records.next() {
        player.play(&record, &mut records.clone())?;
        bar.inc(1);
        let counts = player.counts();
        if arguments.digests == Some(Digests::Each)
            && record == Record::Note(Note::Idle)
            && let Some(submission) = counts.submissions.checked_sub(1)
        {
            // Not by handles: other captures have others.
            let mut all: Vec<Digest> = memory_digests(&mut player)?.into_values().collect();
            all.sort_unstable();
            println!("behind submission {submission}: {}", as_text(&digest(all.as_flattened())));
        }
        for picture in player.take_pictures() {
            let is_wanted = counts.frames > arguments.from_frame;
            if let Some(folder) = arguments.png.as_deref().filter(|_| is_wanted) {
                write_png(folder, written, &picture)?;
            }
            written += 1;
            last_picture = Some(picture);
        }
        if last.is_some_and(|last| counts.submissions > last)
            || arguments.to_frame.is_some_and(|last| counts.frames > last)
        {
            break;
        }
    }
    bar.finish_and_clear();
    look(&mut player, last_picture.as_ref(), arguments)?;
    player.finish();
    let mut counts = player.counts();
    counts.submissions -= part.map_or(0, |part| part.empty_submissions).min(counts.submissions);
    Ok(Outcome {
        counts,
        differences: player.differences().to_vec(),
        unknown_handles: player.unknown_handles(),
        time: start.elapsed(),
    })
}

/// Shows what there is where a replay stops, as far as it was asked for.
fn look(player: &mut Player, picture: Option<&Picture>, arguments: &Arguments) -> Result<()> {
    if arguments.images.is_some() || arguments.image.is_some() {
        let (images, refused) = player.take_images()?;
        if let Some(folder) = &arguments.images {
            super::images::write(folder, &images, arguments.image_format)?;
            refused.iter().for_each(|why| eprintln!("pyroclast: {why}"));
        }
        if let (Some([x, y]), Some(number)) = (arguments.pixel, arguments.image) {
            let image = images.iter().rfind(|(image, layer, _)| image.number == number && *layer == 0);
            let (.., texels) =
                image.with_context(|| format!("the replay has no image {number} that can be read"))?;
            let value =
                texels.at(x, y).with_context(|| format!("({x}, {y}) is outside of image {number}"))?;
            let value: Vec<String> = value.iter().map(|one| format!("{one:?}")).collect();
            println!("pixel ({x}, {y}) of image {number}: {}", value.join(" "));
        }
    }
    if let (Some([x, y]), None) = (arguments.pixel, arguments.image) {
        let picture = picture.context("nothing was presented: say which image by --image")?;
        if x >= picture.width || y >= picture.height {
            bail!("({x}, {y}) is outside of the picture");
        }
        let start = 4 * (y as usize * picture.width as usize + x as usize);
        let texel = &picture.texels[start..start + 4];
        println!("pixel ({x}, {y}): {} {} {}", texel[2], texel[1], texel[0]);
    }
    if arguments.digests == Some(Digests::End) {
        for (memory, digest) in memory_digests(player)? {
            println!("memory {memory:#x}: {}", as_text(&digest));
        }
    }
    Ok(())
}

/// The digest of what is in each memory; none of memory that is all zeros.
fn memory_digests(player: &mut Player) -> Result<BTreeMap<u64, Digest>> {
    let mut all: BTreeMap<u64, Vec<u8>> = BTreeMap::new();
    for (memory, offset, bytes) in player.snapshot()? {
        let contents = all.entry(memory).or_default();
        contents.extend(offset.to_le_bytes());
        contents.extend(bytes);
    }
    Ok(all.into_iter().map(|(memory, contents)| (memory, digest(&contents))).collect())
}

fn as_text(digest: &Digest) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn show(outcome: &Outcome, as_json: bool) {
    let Outcome { counts, differences, unknown_handles, time } = outcome;
    let texts: Vec<String> = differences.iter().map(ToString::to_string).collect();
    if as_json {
        let value = json!({
            "calls": counts.calls, "submissions": counts.submissions, "frames": counts.frames,
            "compared": counts.compared, "different": counts.different, "differences": texts,
            "unknownHandles": unknown_handles, "seconds": time.as_secs_f64(),
        });
        println!("{value:#}");
        return;
    }
    println!(
        "{} calls, {} submissions, {} frames in {:.3} s",
        counts.calls,
        counts.submissions,
        counts.frames,
        time.as_secs_f64()
    );
    println!("{} results compared, {} differ", counts.compared, counts.different);
    texts.iter().for_each(|text| println!("  {text}"));
    if *unknown_handles > 0 {
        println!("{unknown_handles} uses of handles that the capture did not make");
    }
}

/// Reads a capture whose program came to its end.
pub(super) fn complete(path: &Path) -> Result<Capture> {
    let capture = capture::open(path)?;
    if capture.summary.is_none() {
        bail!("{}: the capture has no end: its program was killed, or still runs", path.display());
    }
    Ok(capture)
}

fn try_run(arguments: &Arguments) -> Result<ExitCode> {
    let capture = if arguments.partial {
        capture::open(&arguments.capture)?
    } else {
        complete(&arguments.capture).context("--partial replays a capture as far as it goes")?
    };
    if let Some(folder) = &arguments.png {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let start = arguments.from.filter(|from| *from > 0);
    let part = start.map(|from| part_of(&capture, from, arguments.to)).transpose()?;
    let mut is_same = true;
    for _ in 0..arguments.times {
        let outcome = play(&capture, part.as_ref(), arguments)?;
        is_same &= outcome.counts.different == 0;
        show(&outcome, arguments.json);
    }
    Ok(if is_same { ExitCode::SUCCESS } else { ExitCode::from(DIFFERENT) })
}

/// Replays, and says by the exit code whether results differ (1) or the capture cannot be replayed (2).
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    try_run(arguments).unwrap_or_else(|error| {
        eprintln!("pyroclast: {error:#}");
        ExitCode::from(FAILED)
    })
}
