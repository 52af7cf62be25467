//! Pictures: how they are kept in a file, and how two are compared.

use crate::scene::{SIZE, Scene};
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::path::Path;

/// Bytes of a picture: `SIZE` x `SIZE` pixels of four bytes.
pub(crate) const BYTES: usize = (SIZE * SIZE * 4) as usize;

/// The pictures that a device drew for seeds one after another.
pub(crate) struct Pictures {
    pub(crate) header: Header,
    /// [`BYTES`] for each seed.
    pub(crate) pixels: Vec<u8>,
}

/// The first line of a file of pictures, as JSON; the pixels follow.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Header {
    pub(crate) device: String,
    pub(crate) seeds: Vec<u64>,
    /// How many draws of each scene, when not all.
    pub(crate) draws: Option<usize>,
    /// Scenes that the device could not draw, with the reason.
    pub(crate) refused: Vec<(u64, String)>,
}

impl Pictures {
    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        let mut file = std::fs::File::create(path)?;
        writeln!(file, "{}", serde_json::to_string(&self.header)?)?;
        file.write_all(&self.pixels)
    }

    pub(crate) fn read(path: &Path) -> io::Result<Pictures> {
        let mut bytes = Vec::new();
        std::fs::File::open(path)?.read_to_end(&mut bytes)?;
        let end = bytes.iter().position(|&byte| byte == b'\n').ok_or(io::ErrorKind::InvalidData)?;
        let header: Header = serde_json::from_slice(&bytes[..end])?;
        let pixels = bytes.split_off(end + 1);
        if pixels.len() != header.seeds.len() * BYTES {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the file is not whole"));
        }
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
