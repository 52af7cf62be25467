//! Tiles to one picture.

use super::files::Wrong;
use crate::job::Tiles;
use crate::record::{ItemResult, Output};
use anyhow::{Context, Result, ensure};
use std::io::Cursor;

/// Bytes of a picture.
const PICTURE_BYTES_MAX: u64 = 16 << 30;

/// A decoded tile.
struct Tile {
    color: png::ColorType,
    depth: png::BitDepth,
    bytes_per_pixel: usize,
    pixels: Vec<u8>,
}

/// The picture as PNG; `None` when a tile failed or is wrong.
///
/// # Errors
/// When the picture is too large or cannot be written.
pub(super) fn join(
    tiles: &Tiles,
    items: &[ItemResult],
    read: &mut dyn FnMut(&Output) -> Result<Vec<u8>>,
    wrong: &mut Wrong,
) -> Result<Option<Vec<u8>>> {
    if items.iter().any(|item| item.outputs.len() != 1) {
        return Ok(None);
    }
    let mut picture: Option<Tile> = None;
    let [width, height] = tiles.size.map(|side| side as usize);
    for (at, item) in items.iter().enumerate() {
        let (origin, size) = tiles.rectangle(at);
        let decoded = read(&item.outputs[0]).and_then(|bytes| decode(&bytes, size));
        let tile = match decoded {
            Ok(tile) => tile,
            Err(error) => {
                wrong.0.push((at, format!("its tile is refused: {error:#}")));
                continue;
            }
        };
        let byte_count = width as u64 * height as u64 * tile.bytes_per_pixel as u64;
        ensure!(byte_count <= PICTURE_BYTES_MAX, "a picture of {byte_count} bytes");
        let whole =
            picture.get_or_insert_with(|| Tile { pixels: vec![0; byte_count as usize], ..tile.like() });
        if (whole.color, whole.depth) != (tile.color, tile.depth) {
            wrong.0.push((at, "its tile has other pixels than the first one".to_owned()));
            continue;
        }
        let bytes_per_pixel = tile.bytes_per_pixel;
        for (row, pixels) in tile.pixels.chunks_exact(size[0] as usize * bytes_per_pixel).enumerate() {
            let start = ((origin[1] as usize + row) * width + origin[0] as usize) * bytes_per_pixel;
            whole.pixels[start..start + pixels.len()].copy_from_slice(pixels);
        }
    }
    let Some(picture) = picture.filter(|_| wrong.0.is_empty()) else { return Ok(None) };
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, tiles.size[0], tiles.size[1]);
    encoder.set_color(picture.color);
    encoder.set_depth(picture.depth);
    encoder.write_header()?.write_image_data(&picture.pixels).context("cannot encode the picture")?;
    Ok(Some(bytes))
}

impl Tile {
    /// The same kind of pixels, without any.
    fn like(&self) -> Tile {
        Tile { pixels: Vec::new(), ..*self }
    }
}

fn decode(bytes: &[u8], size: [u32; 2]) -> Result<Tile> {
    let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().context("it is not a PNG file")?;
    let info = reader.info();
    ensure!(
        [info.width, info.height] == size,
        "it has {} x {} pixels, not {} x {}",
        info.width,
        info.height,
        size[0],
        size[1]
    );
    ensure!(
        info.bit_depth as u8 >= 8 && info.color_type != png::ColorType::Indexed,
        "pixels of less than a byte, or with a palette, are not joined"
    );
    let (color, depth) = (info.color_type, info.bit_depth);
    let bytes_per_pixel = info.bytes_per_pixel();
    let mut pixels = vec![0; reader.output_buffer_size().context("it is too large")?];
    reader.next_frame(&mut pixels).context("it is not a whole PNG file")?;
    Ok(Tile { color, depth, bytes_per_pixel, pixels })
}
