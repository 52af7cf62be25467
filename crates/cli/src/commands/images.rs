//! Images of a replay as OpenEXR files.

use crate::exr;
use anyhow::{Context, Result};
use pyro_replay::{Image, Texels};
use std::path::Path;

/// Writes layers of images into a folder, and prints what they are.
pub(super) fn write(folder: &Path, images: &[(Image, u32, Texels)]) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    println!("{:>8} {:>6} {:>12} {:>8} format", "image", "layer", "size", "samples");
    for (image, layer, texels) in images {
        let name = if image.layers > 1 {
            format!("image-{}-layer-{layer}.exr", image.number)
        } else {
            format!("image-{}.exr", image.number)
        };
        let path = folder.join(name);
        let names: &[&str] = if texels.channels == 1 { &["Z"] } else { &["R", "G", "B", "A"] };
        let written = std::fs::File::create(&path)
            .and_then(|file| exr::write(std::io::BufWriter::new(file), texels.width, names, &texels.values));
        written.with_context(|| format!("cannot write {}", path.display()))?;
        println!(
            "{:>8} {layer:>6} {:>12} {:>8} {}",
            image.number,
            format!("{}x{}", texels.width, texels.height),
            image.samples,
            image.format_name()
        );
    }
    Ok(())
}
