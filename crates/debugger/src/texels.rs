//! Images: what a snapshot of one says of its format, dimensions and texels.
//!
//! A texel is found by a path of indices: level, layer, slice and sample, each where there are several of
//! them, then y (unless the image has one dimension) and x.

use pyro_abi::ImageRecord;
use pyro_abi::image::level_extent;
use pyro_image::layout::Tile;
use pyro_image::texel::{decode_block, decode_texel, host, value_scalar};
use pyro_image::{Aspect, PlanarView, Swizzle, ViewKey, ViewType};
use pyro_sanitizer::trace::{ImageSnapshot, TexelBlock};

/// Components of a texel.
pub const COMPONENTS: u64 = 4;

/// Texels that shaders have written, each by level, layer, slice, sample, y and x.
pub type Place = [u32; 6];

/// What one index of a path chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// A level.
    Level,
    /// An array layer, or a face of a cube.
    Layer,
    /// A slice of a three-dimensional image.
    Z,
    /// A sample.
    Sample,
    /// A row.
    Y,
    /// A texel.
    X,
}

impl Axis {
    const ALL: [Axis; 6] = [Axis::Level, Axis::Layer, Axis::Z, Axis::Sample, Axis::Y, Axis::X];
}

/// What rows of a plane consist of in views with this code; none where there is no such plane.
pub fn texel_block(code: u32, plane: usize) -> Option<TexelBlock> {
    if let Some(planar) = PlanarView::from_code(code) {
        let format = (*planar.planes.get(plane)?)?;
        return Some(TexelBlock { bytes: format.block_bytes(), extent: format.block_extent(), tile: None });
    }
    let key = ViewKey::from_code(code).filter(|_| plane == 0)?;
    let is_3d = key.view_type == ViewType::D3;
    let tile = match key.sparse && key.view_type != ViewType::Buffer {
        true => Some(Tile::of(key.format, is_3d, 1 << key.sample_bits)?.bits),
        false => None,
    };
    Some(TexelBlock { bytes: key.format.block_bytes(), extent: key.format.block_extent(), tile })
}

/// An image, with what its code says.
#[derive(Clone, Copy, Debug)]
pub struct Texels<'a> {
    snapshot: &'a ImageSnapshot,
    /// Of several planes, that of the first.
    key: Option<ViewKey>,
    planar: Option<PlanarView>,
}

impl<'a> Texels<'a> {
    /// Of a snapshot.
    pub fn new(snapshot: &'a ImageSnapshot) -> Texels<'a> {
        let code = (snapshot.image.view >> 32) as u32;
        let planar = PlanarView::from_code(code);
        let luma = planar.and_then(|planar| planar.planes[0]);
        let key = match luma {
            Some(format) => {
                Some(ViewKey::new(format, Aspect::Color, ViewType::D2Array, snapshot.image.levels))
            }
            None => ViewKey::from_code(code),
        };
        Texels { snapshot, key, planar }
    }

    fn image(&self) -> &'a ImageRecord {
        &self.snapshot.image
    }

    /// The axes of a path.
    pub fn axes(&self) -> Vec<Axis> {
        let image = self.image();
        let is_there = |axis: &Axis| match axis {
            Axis::Level => image.levels > 1,
            Axis::Layer => image.layers > 1,
            Axis::Z => image.depth > 1,
            Axis::Sample => image.samples > 1,
            Axis::Y => self.key.is_none_or(|key| key.view_type.dimensions() > 1),
            Axis::X => true,
        };
        Axis::ALL.into_iter().filter(is_there).collect()
    }

    /// The place of a path; indices that it lacks are zero.
    fn place(&self, path: &[u64]) -> Place {
        let mut place = [0; 6];
        for (axis, &index) in self.axes().into_iter().zip(path) {
            place[axis as usize] = u32::try_from(index).unwrap_or(u32::MAX);
        }
        place
    }

    /// How many parts what a path leads to has.
    pub fn count(&self, path: &[u64]) -> u64 {
        let image = self.image();
        let Some(axis) = self.axes().get(path.len()).copied() else { return COMPONENTS };
        let level = self.place(path)[Axis::Level as usize];
        let smaller = |extent: u32| level_extent(extent, level, image.is_corner_sampled()).min(extent);
        u64::from(match axis {
            Axis::Level => image.levels,
            Axis::Layer => image.layers,
            Axis::Z => smaller(image.depth),
            Axis::Sample => image.samples,
            Axis::Y => smaller(image.height),
            Axis::X => smaller(image.width),
        })
    }

    /// Whether a path leads to a texel.
    pub fn is_texel(&self, path: &[u64]) -> bool {
        path.len() >= self.axes().len()
    }

    /// What a path leads to, for people: the image itself, or a part of it.
    pub fn description(&self, path: &[u64]) -> String {
        let image = self.image();
        if !path.is_empty() {
            return format!("{} {}", self.count(path), self.parts_name(path));
        }
        let Some(key) = self.key else {
            return format!("{} x {} x {}", image.width, image.height, image.depth);
        };
        let extents = [image.width, image.height, image.depth];
        let mut text: Vec<String> =
            extents[..key.view_type.dimensions()].iter().map(ToString::to_string).collect();
        text = vec![text.join(" x ")];
        let counts = [(image.layers, "layers"), (image.levels, "levels"), (image.samples, "samples")];
        text.extend(counts.iter().filter(|(count, _)| *count > 1).map(|(count, of)| format!("{count} {of}")));
        match self.planar {
            None => text.push(format!("{:?}", key.format)),
            Some(planar) => {
                let planes: Vec<String> =
                    planar.planes.iter().flatten().map(|format| format!("{format:?}")).collect();
                text.push(format!("planes {}", planes.join(", ")));
            }
        }
        text.join(", ")
    }

    fn parts_name(&self, path: &[u64]) -> &'static str {
        match self.axes().get(path.len()) {
            Some(Axis::Level) => "levels",
            Some(Axis::Layer) => "layers",
            Some(Axis::Z) => "slices",
            Some(Axis::Sample) => "samples",
            Some(Axis::Y) => "rows",
            Some(Axis::X) => "texels",
            None => "components",
        }
    }

    /// The place at which a storage image's coordinates and sample are.
    pub fn place_of_coordinates(&self, coordinates: &[u64], sample: u64) -> Place {
        let mut place = [0; 6];
        let mut rest = coordinates.iter().map(|&one| u32::try_from(one).unwrap_or(u32::MAX));
        let dimensions = self.key.map_or(2, |key| key.view_type.dimensions());
        let axes = [Axis::X, Axis::Y, Axis::Z];
        for (axis, coordinate) in axes[..dimensions].iter().zip(rest.by_ref()) {
            place[*axis as usize] = coordinate;
        }
        if let Some(layer) = rest.next() {
            place[Axis::Layer as usize] = layer;
        }
        place[Axis::Sample as usize] = u32::try_from(sample).unwrap_or(u32::MAX);
        place
    }

    /// Where the texel, or of compressed ones the block, is that a path leads to: from the image's address.
    fn offset(&self, path: &[u64], block: TexelBlock) -> Option<u64> {
        offset(self.image(), self.place(path), block)
    }

    /// The address of a texel that a path leads to, and the bytes that are to be there so that shaders read
    /// these components.
    ///
    /// # Errors
    /// Why that cannot be done.
    pub fn bytes_of(&self, path: &[u64], components: [u64; 4]) -> Result<(u64, Vec<u8>), String> {
        let key = self
            .key
            .filter(|_| self.is_texel(path))
            .ok_or("a whole texel is changed, not a part of an image")?;
        if key.format.is_compressed() {
            return Err("texels of compressed images cannot be changed".to_owned());
        }
        if self.planar.is_some() {
            return Err("texels of images with several planes cannot be changed".to_owned());
        }
        let image = self.image();
        let block = texel_block((image.view >> 32) as u32, 0).filter(|block| block.tile.is_none());
        let block = block.ok_or("texels of sparse images cannot be changed")?;
        let offset = self.offset(path, block).ok_or("there is no such texel")?;
        let (start, size) = (offset as usize, block.bytes as usize);
        let old = start.checked_add(size).and_then(|end| self.snapshot.bytes.get(start..end));
        let mut bytes = old.ok_or("there is no such texel among those that are kept")?.to_vec();
        let mut stored = host::decode(key.format, key.aspect, &bytes);
        for (swizzle, component) in key.swizzle.into_iter().zip(components) {
            if !matches!(swizzle, Swizzle::Zero | Swizzle::One)
                && let Some(place) = swizzle.component()
            {
                stored[place] = component;
            }
        }
        host::encode(key.format, key.aspect, stored, &mut bytes);
        Ok((image.address.wrapping_add(offset), bytes))
    }

    /// The components of the texel that a path leads to, as shaders read them; where the shader has written
    /// others, these.
    pub fn texel(&self, path: &[u64], written: impl Fn(Place) -> Option<Vec<u64>>) -> Option<[u64; 4]> {
        let key = self.key.filter(|_| self.is_texel(path))?;
        if let Some(planar) = self.planar {
            return self.texel_of_planes(planar, self.place(path));
        }
        let image = self.image();
        let block = texel_block((image.view >> 32) as u32, 0)?;
        let (size, extent) = (block.bytes as usize, block.extent);
        let place = self.place(path);
        let [_, _, z, _, y, x] = place;
        let start = usize::try_from(self.offset(path, block)?).ok()?;
        let mut bytes = self.snapshot.bytes.get(start..start.checked_add(size)?)?.to_vec();
        if key.format.has_blocks_around() {
            let values = self.texel_of_blocks(key, place, block)?;
            return Some(swizzled(key, values, u64::from(1_f32.to_bits())));
        }
        if key.format.is_compressed() {
            let block = decode_block(key.format, &bytes)?;
            let row = z % extent[2] * extent[1] + y % extent[1];
            let texel = block.get((row * extent[0] + x % extent[0]) as usize)?;
            let values = texel.map(|component| u64::from(component.to_bits()));
            return Some(swizzled(key, values, u64::from(1_f32.to_bits())));
        }
        if let Some(values) = written(place) {
            let value = |index: usize| values.get(index).copied().unwrap_or(0);
            host::encode(key.format, key.aspect, std::array::from_fn(value), &mut bytes);
        }
        let values = host::decode(key.format, key.aspect, &bytes);
        let one = match value_scalar(key.format, key.aspect) {
            scalar if !scalar.is_float() => 1,
            scalar if scalar.bits() == 64 => 1_f64.to_bits(),
            _ => u64::from(1_f32.to_bits()),
        };
        Some(swizzled(key, values, one))
    }

    /// A texel that depends on the blocks around its own.
    fn texel_of_blocks(&self, key: ViewKey, place: Place, block: TexelBlock) -> Option<[u64; 4]> {
        let image = self.image();
        let [level, layer, z, sample, y, x] = place;
        let extents = [image.width, image.height]
            .map(|extent| level_extent(extent, level, image.is_corner_sampled()).min(extent));
        let blocks = [0, 1].map(|axis| extents[axis].div_ceil(block.extent[axis]));
        let word = |[column, row]: [u32; 2]| {
            let first = [level, layer, z, sample, row * block.extent[1], column * block.extent[0]];
            let start = offset(image, first, block).and_then(|start| usize::try_from(start).ok());
            let bytes = start.and_then(|start| self.snapshot.bytes.get(start..)?.first_chunk());
            bytes.map_or(0, |&bytes| u64::from_le_bytes(bytes))
        };
        let is_inside = x < extents[0] && y < extents[1];
        let texel = is_inside.then(|| decode_texel(key.format, blocks, [x, y], word)).flatten()?;
        Some(texel.map(|component| u64::from(component.to_bits())))
    }

    /// What the planes hold for a texel, as formats of several planes name it: red chroma, luma, blue chroma;
    /// as it is before a sampler's conversion.
    fn texel_of_planes(&self, planar: PlanarView, place: Place) -> Option<[u64; 4]> {
        let code = (self.image().view >> 32) as u32;
        let [level, layer, z, sample, y, x] = place;
        let chroma =
            [level, layer, z, sample, y >> u32::from(planar.halved[1]), x >> u32::from(planar.halved[0])];
        let values = |plane: usize| -> Option<[u64; 4]> {
            let (image, bytes) = match plane.checked_sub(1) {
                None => (self.image(), &self.snapshot.bytes),
                Some(further) => {
                    let (image, bytes) = self.snapshot.planes.get(further)?;
                    (image, bytes)
                }
            };
            let block = texel_block(code, plane)?;
            let start =
                usize::try_from(offset(image, if plane == 0 { place } else { chroma }, block)?).ok()?;
            let bytes = bytes.get(start..start.checked_add(block.bytes as usize)?)?;
            Some(host::decode(planar.planes[plane]?, Aspect::Color, bytes))
        };
        let (luma, first) = (values(0)?[0], values(1)?);
        // Of two planes, the second has both, blue first.
        let red = if planar.planes[2].is_some() { values(2)?[0] } else { first[1] };
        Some([red, luma, first[0], u64::from(1_f32.to_bits())])
    }
}

/// Where a texel or a block of an image is, from the image's address.
fn offset(image: &ImageRecord, place: Place, TexelBlock { bytes, extent, tile }: TexelBlock) -> Option<u64> {
    let [level, layer, z, sample, y, x] = place;
    let level = level as usize;
    let far = |count: u32, pitch: u32| u64::from(count) * u64::from(pitch);
    let start = u64::from(*image.level_offset.get(level)?)
        + far(layer, image.layer_pitch)
        + far(sample, image.sample_pitch);
    let at = [x / extent[0], y / extent[1], z / extent[2]];
    let tile = tile.unwrap_or([0; 3]);
    // The blocks of a tile are numbered with x first.
    let (mut number, mut shift) = (0, 0);
    for (index, bits) in at.into_iter().zip(tile) {
        number |= u64::from(index & ((1 << bits) - 1)) << shift;
        shift += bits;
    }
    let x_pitch = if shift == 0 { bytes } else { pyro_abi::sparse::BLOCK_BYTES as u32 };
    let pitches = [x_pitch, image.row_pitch[level], image.slice_pitch[level]];
    let whole: u64 = (0..3).map(|axis| far(at[axis] >> tile[axis], pitches[axis])).sum();
    Some(start + whole + number * u64::from(bytes))
}

/// The components in the order in which a view shows them.
fn swizzled(key: ViewKey, values: [u64; 4], one: u64) -> [u64; 4] {
    key.swizzle.map(|swizzle| match swizzle {
        Swizzle::Zero => 0,
        Swizzle::One => one,
        other => other.component().map_or(0, |component| values[component]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pyro_image::Format;
    use pyro_image::layout::{ImageLayout, ImageShape};

    fn snapshot(view_type: ViewType, levels: u32) -> ImageSnapshot {
        let key = ViewKey::new(Format::R8G8_UNORM, Aspect::Color, view_type, levels);
        let mut image = ImageRecord {
            address: 0x1000,
            view: u64::from(key.code().expect("a code")) << 32,
            width: 4,
            height: 2,
            depth: 1,
            layers: 2,
            levels,
            samples: 1,
            layer_pitch: 48,
            ..ImageRecord::default()
        };
        image.row_pitch[..2].copy_from_slice(&[16, 16]);
        image.level_offset[1] = 32;
        ImageSnapshot { record: 0, address: 0x2000, image, bytes: (0..96).collect(), planes: Vec::new() }
    }

    #[test]
    fn paths_lead_to_texels() {
        let snapshot = snapshot(ViewType::D2Array, 2);
        let texels = Texels::new(&snapshot);
        assert_eq!(texels.axes(), [Axis::Level, Axis::Layer, Axis::Y, Axis::X]);
        assert_eq!(texels.description(&[]), "4 x 2, 2 layers, 2 levels, R8G8_UNORM");
        assert_eq!(texels.description(&[0, 1]), "2 rows");
        assert_eq!([texels.count(&[0, 0]), texels.count(&[1, 0]), texels.count(&[1, 0, 0])], [2, 1, 2]);
        // Level 1, layer 1, row 0, texel 1: bytes 82 and 83.
        let float = |value: u64| f32::from_bits(value as u32);
        let found = texels.texel(&[1, 1, 0, 1], |_| None).expect("a texel").map(float);
        assert_eq!(found, [82.0 / 255.0, 83.0 / 255.0, 0.0, 1.0]);
        // What is written is what the format keeps of it.
        let half = u64::from(0.5_f32.to_bits());
        let found = texels.texel(&[0, 0, 1, 2], |place| {
            assert_eq!(place, texels.place_of_coordinates(&[2, 1, 0], 0));
            Some(vec![half, 0])
        });
        assert_eq!(found.expect("a texel").map(float), [128.0 / 255.0, 0.0, 0.0, 1.0]);
        assert_eq!(texels.texel(&[0, 0, 9, 0], |_| None), None);
        assert_eq!(texels.texel(&[0, 5, 0, 0], |_| None), None);
        assert_eq!(texels.texel(&[0, 0], |_| None), None);
        // Bytes 82 and 83 become these; blue and alpha are not stored.
        let one = u64::from(1_f32.to_bits());
        let (address, bytes) = texels.bytes_of(&[1, 1, 0, 1], [one, half, one, 0]).expect("bytes");
        assert_eq!((address, bytes), (0x1000 + 82, vec![255, 128]));
        assert!(texels.bytes_of(&[1, 1, 0], [0; 4]).is_err());
        assert!(texels.bytes_of(&[0, 5, 0, 0], [0; 4]).is_err());
    }

    #[test]
    fn blocks_are_taken_apart() {
        let key = ViewKey::new(Format::BC1_RGB_UNORM_BLOCK, Aspect::Color, ViewType::D2, 1);
        let code = key.code().expect("a code");
        let mut image = ImageRecord {
            address: 0x1000,
            view: u64::from(code) << 32,
            width: 7,
            height: 6,
            depth: 1,
            layers: 1,
            levels: 1,
            samples: 1,
            ..ImageRecord::default()
        };
        image.row_pitch[0] = 32;
        // Red and green, by texel in x; the last block of the second row has blue and black as well.
        let block = |first: u16, second: u16| {
            let mut bytes = [first.to_le_bytes(), second.to_le_bytes()].concat();
            bytes.extend([0b0100_0100; 4]);
            bytes
        };
        let mut bytes = [block(0xf800, 0x07e0), block(0xf800, 0x07e0), vec![0; 16]].concat();
        bytes.extend([block(0xf800, 0x07e0), block(0x001f, 0)].concat());
        let snapshot = ImageSnapshot { record: 0, address: 0x2000, image, bytes, planes: Vec::new() };
        let texels = Texels::new(&snapshot);
        let found = |y: u64, x: u64| {
            let texel = texels.texel(&[y, x], |_| None).expect("a texel");
            texel.map(|value| f32::from_bits(value as u32))
        };
        assert_eq!(texels.description(&[]), "7 x 6, BC1_RGB_UNORM_BLOCK");
        assert_eq!((found(0, 0), found(3, 1)), ([1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0]));
        assert_eq!((found(5, 4), found(4, 5)), ([0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.0, 1.0]));
        assert_eq!(texels.texel(&[8, 0], |_| None), None);
        assert_eq!(texel_block(code, 0), Some(TexelBlock { bytes: 8, extent: [4, 4, 1], tile: None }));
        assert_eq!(texel_block(code, 1), None);
    }

    /// Two blocks of PVRTC, black and white: between them texels are between them.
    #[test]
    fn blocks_around_a_texel_count() {
        let key = ViewKey::new(Format::PVRTC1_4BPP_UNORM_BLOCK_IMG, Aspect::Color, ViewType::D2, 1);
        let mut image = ImageRecord {
            address: 0x1000,
            view: u64::from(key.code().expect("a code")) << 32,
            width: 8,
            height: 4,
            depth: 1,
            layers: 1,
            levels: 1,
            samples: 1,
            ..ImageRecord::default()
        };
        image.row_pitch[0] = 16;
        let bytes = [0x8000_8000_0000_0000_u64, 0xffff_fffe_0000_0000].map(u64::to_le_bytes).concat();
        let snapshot = ImageSnapshot { record: 0, address: 0x2000, image, bytes, planes: Vec::new() };
        let texels = Texels::new(&snapshot);
        let red = |x: u64| {
            let texel = texels.texel(&[0, x], |_| None).expect("a texel");
            (f32::from_bits(texel[0] as u32) * 255.0).round() as u32
        };
        assert_eq!([0, 1, 2, 4, 6].map(red), [127, 63, 0, 127, 255]);
        assert_eq!(texels.texel(&[0, 8], |_| None), None);
    }

    /// Texels of sparse images are where the layout of tiles says.
    #[test]
    fn tiles_are_found() {
        for (format, view_type, samples, extent) in [
            (Format::R8G8B8A8_UNORM, ViewType::D2Array, 1, [300, 140, 1]),
            (Format::R8G8B8A8_UNORM, ViewType::D2, 4, [200, 100, 1]),
            (Format::R16G16B16A16_UNORM, ViewType::D3, 1, [70, 40, 33]),
            (Format::BC7_UNORM_BLOCK, ViewType::D2, 1, [300, 520, 1]),
        ] {
            let (is_3d, layers) = (view_type == ViewType::D3, 1 + u32::from(view_type == ViewType::D2Array));
            let levels = if samples > 1 { 1 } else { 3 };
            let shape = ImageShape { format, extent, levels, layers, samples, is_3d, corner_sampled: false };
            let layout = ImageLayout::tiled(shape).expect("possible");
            let mut key = ViewKey::new(format, Aspect::Color, view_type, levels);
            (key.sparse, key.sample_bits, key.multisampled) = (true, samples.ilog2() as u8, samples > 1);
            let mut image = layout.view(0x1000, (0, levels), (0, layers), false, format);
            image.view = u64::from(key.code().expect("a code")) << 32;
            let block = texel_block((image.view >> 32) as u32, 0).expect("tiles");
            for level in 0..levels {
                let smaller = |axis: usize| (extent[axis] >> level).max(1);
                for at in [[0, 0, 0], [0, 1, 2].map(|axis| smaller(axis) - 1), [17, 5, 0]] {
                    let place = [level, layers - 1, at[2], samples - 1, at[1], at[0]];
                    let [width, height, _] = format.block_extent();
                    let blocks = [at[0] / width, at[1] / height, at[2]];
                    let expected = layout.offset(level, layers - 1, samples - 1, blocks);
                    assert_eq!(offset(&image, place, block), Some(expected), "{format:?} {place:?}");
                }
            }
        }
    }

    /// Chroma of two planes has half the texels; of three planes, red is in the last.
    #[test]
    fn planes_are_one_texel() {
        let formats = |planes: [Option<Format>; 3]| {
            let planar = PlanarView { planes, halved: [true, true] };
            let record = |address, width, height, pitch, code: u32| {
                let mut image = ImageRecord { address, width, height, depth: 1, ..ImageRecord::default() };
                (image.layers, image.levels, image.samples) = (1, 1, 1);
                image.row_pitch[0] = pitch;
                image.view = u64::from(code) << 32;
                image
            };
            let plane = |first: u8| (record(0x2000, 2, 1, 64, 0), (first..first + 16).collect::<Vec<u8>>());
            ImageSnapshot {
                record: 0,
                address: 0x4000,
                image: record(0x1000, 4, 2, 64, planar.code()),
                bytes: (0..128).collect(),
                planes: planes[1..].iter().flatten().zip([200, 220]).map(|(_, first)| plane(first)).collect(),
            }
        };
        let luma = Some(Format::R8_UNORM);
        let found = |snapshot: &ImageSnapshot| {
            let texels = Texels::new(snapshot);
            let texel = texels.texel(&[1, 3], |_| None).expect("a texel");
            (texels.description(&[]), texel.map(|value| (255.0 * f32::from_bits(value as u32)).round()))
        };
        let two = formats([luma, Some(Format::R8G8_UNORM), None]);
        assert_eq!(
            found(&two),
            ("4 x 2, planes R8_UNORM, R8G8_UNORM".to_owned(), [203.0, 67.0, 202.0, 255.0])
        );
        let three = formats([luma; 3]);
        assert_eq!(found(&three).1, [221.0, 67.0, 201.0, 255.0]);
        assert!(Texels::new(&three).bytes_of(&[1, 3], [0; 4]).is_err());
    }

    #[test]
    fn unknown_images_have_no_texels() {
        let mut snapshot = snapshot(ViewType::D2, 1);
        snapshot.image.view = 7;
        let texels = Texels::new(&snapshot);
        assert_eq!(texels.description(&[]), "4 x 2 x 1");
        assert_eq!(texels.texel(&[0, 0, 0], |_| None), None);
    }
}
