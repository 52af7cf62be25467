//! The `wgpu` crate draws six pictures: a triangle, a textured cube, shadows, multisampled lines, mip levels
//! made by draws, particles moved by compute.
//!
//! `wgpu-render FOLDER` writes each as a PPM file, for `../foreign/run.py` to compare with other drivers'.
//! What can be said of a picture without another one is checked here.

mod context;
mod scenes;

use context::{Context, SIZE};

fn main() {
    let folder = std::path::PathBuf::from(std::env::args().nth(1).expect("a folder to write into"));
    let context = Context::open();
    for (name, draw) in scenes::ALL {
        let pixels = draw(&context);
        let mut seen: Vec<&[u8]> = pixels.chunks_exact(4).collect();
        seen.sort();
        seen.dedup();
        assert!(seen.len() > 2, "{name}: the picture holds {} colours", seen.len());
        let mut file = format!("P6 {SIZE} {SIZE} 255\n").into_bytes();
        pixels.chunks_exact(4).for_each(|pixel| file.extend(&pixel[..3]));
        std::fs::write(folder.join(format!("{name}.ppm")), file).expect("the folder takes files");
    }
    println!("{} pictures by wgpu on {}", scenes::ALL.len(), context.name);
}
