//! Pictures: how they are kept in a file, and how two are compared.

use crate::scene::{SIZE, Scene};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, BufReader, BufWriter};
use std::path::Path;

/// Bytes of a picture: `SIZE` x `SIZE` pixels of four bytes.
pub(crate) const BYTES: usize = (SIZE * SIZE * 4) as usize;

/// The pictures that a device drew. Their file is a PNG, one below the other, with the header as a text
/// chunk.
pub(crate) struct Pictures {
    pub(crate) header: Header,
    /// [`BYTES`] for each seed.
    pub(crate) pixels: Vec<u8>,
}

/// What the pictures are of; JSON in the file's text.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Header {
    pub(crate) device: String,
    pub(crate) seeds: Vec<u64>,
    /// How many draws of each scene, when not all.
    pub(crate) draws: Option<usize>,
    /// Scenes that the device could not draw, with the reason.
    pub(crate) refused: Vec<(u64, String)>,
}

/// The text chunk's keyword.
const KEYWORD: &str = "Description";

impl Pictures {
    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        let mut encoder = png::Encoder::new(
            BufWriter::new(File::create(path)?),
            SIZE,
            SIZE * self.header.seeds.len() as u32,
        );
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_compression(png::Compression::High);
        encoder.add_text_chunk(KEYWORD.to_owned(), serde_json::to_string(&self.header)?)?;
        encoder.write_header()?.write_image_data(&self.pixels)?;
        Ok(())
    }

    pub(crate) fn read(path: &Path) -> io::Result<Pictures> {
        let invalid = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
        let mut reader = png::Decoder::new(BufReader::new(File::open(path)?)).read_info()?;
        let texts = &reader.info().uncompressed_latin1_text;
        let text = texts.iter().find(|text| text.keyword == KEYWORD);
        let header: Header = serde_json::from_str(&text.ok_or_else(|| invalid("no description"))?.text)?;
        let mut pixels = vec![0; header.seeds.len() * BYTES];
        let size = reader.output_buffer_size();
        if size != Some(pixels.len()) || reader.output_color_type().0 != png::ColorType::Rgba {
            return Err(invalid("the picture is of another size or kind"));
        }
        reader.next_frame(&mut pixels)?;
        Ok(Pictures { header, pixels })
    }

    /// The picture of a seed, if this device drew it.
    pub(crate) fn picture(&self, seed: u64) -> Option<&[u8]> {
        let number = self.header.seeds.iter().position(|&drawn| drawn == seed)?;
        let was_refused = self.header.refused.iter().any(|(refused, _)| *refused == seed);
        (!was_refused).then(|| &self.pixels[number * BYTES..][..BYTES])
    }
}

/// How many pixels of two pictures differ by more than rounding explains, and the first of them.
pub(crate) fn difference(scene: &Scene, first: &[u8], second: &[u8]) -> (usize, Option<[u32; 2]>) {
    let allowed = tolerance(scene);
    let differing: Vec<usize> = (0..first.len() / 4)
        .filter(|pixel| {
            let bytes = pixel * 4..pixel * 4 + 4;
            first[bytes.clone()].iter().zip(&second[bytes]).any(|(a, b)| a.abs_diff(*b) > allowed)
        })
        .collect();
    let place = differing.first().map(|&pixel| [pixel as u32 % SIZE, pixel as u32 / SIZE]);
    (differing.len(), place)
}

/// Steps of 1/255 by which exact devices may differ: a rounding for each draw that blends, and interpolation.
fn tolerance(scene: &Scene) -> u8 {
    if scene.is_integer() {
        return 0;
    }
    let blends = scene.draws.iter().filter(|draw| draw.blend.blend_enable != 0).count();
    1 + 2 * blends as u8
}
