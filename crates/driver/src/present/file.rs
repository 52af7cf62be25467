//! Presented images as PNG files.

use super::rows_bgrx;
use crate::objects::image::Image;
use std::sync::atomic::{AtomicU32, Ordering};

/// Images written so far.
static COUNT: AtomicU32 = AtomicU32::new(0);

/// Writes an image, if a folder is set. Errors are told once by the missing file; presentation goes on.
pub(super) fn write(image: &Image) {
    let Some(folder) = &pyro_util::config::get().present_directory else { return };
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let mut pixels = Vec::new();
    rows_bgrx(image, |row| {
        pixels.extend(row.chunks_exact(4).flat_map(|texel| [texel[2], texel[1], texel[0]]));
    });
    let extent = image.info().extent;
    let Ok(file) = std::fs::File::create(folder.join(format!("frame-{number:06}.png"))) else { return };
    let mut encoder = png::Encoder::new(std::io::BufWriter::new(file), extent.width, extent.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    if let Ok(mut writer) = encoder.write_header() {
        let _ = writer.write_image_data(&pixels);
    }
}
