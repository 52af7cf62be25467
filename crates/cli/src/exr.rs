//! OpenEXR files of one part: rows without compression, channels of 32-bit floats.
//!
//! The package `exr` does more and takes eleven others; this is the file layout of "Reading and Writing
//! OpenEXR files", with the attributes that every file must have.

use std::io::{self, Write};

/// The number that files begin with, and version 2 without flags.
const START: [u8; 8] = [0x76, 0x2f, 0x31, 0x01, 2, 0, 0, 0];
/// The type of 32-bit floats among pixel types.
const FLOAT: u32 = 2;

/// An attribute of the header: its name, type and value.
fn attribute(header: &mut Vec<u8>, name: &str, kind: &str, value: &[u8]) {
    for text in [name, kind] {
        header.extend(text.as_bytes());
        header.push(0);
    }
    header.extend((value.len() as u32).to_le_bytes());
    header.extend(value);
}

fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Writes rows of pixels, from the top. `names` are those of the channels of a pixel, in their order in
/// `values`.
///
/// # Errors
/// When it cannot be written.
pub(crate) fn write(mut to: impl Write, width: u32, names: &[&str], values: &[f32]) -> io::Result<()> {
    let channels = names.len();
    let row = width as usize * channels;
    let height = values.len().checked_div(row).unwrap_or(0);
    // Files have channels in the order of their names.
    let mut order: Vec<usize> = (0..channels).collect();
    order.sort_by_key(|channel| names[*channel]);
    let mut list = Vec::new();
    for &channel in &order {
        list.extend(names[channel].as_bytes());
        list.push(0);
        // The type, not perceptually linear, every pixel in both directions.
        list.extend(words(&[FLOAT, 0, 1, 1]));
    }
    list.push(0);
    let window = words(&[0, 0, width.saturating_sub(1), (height as u32).saturating_sub(1)]);
    let one = 1.0_f32.to_le_bytes();
    let mut header = START.to_vec();
    attribute(&mut header, "channels", "chlist", &list);
    attribute(&mut header, "compression", "compression", &[0]);
    attribute(&mut header, "dataWindow", "box2i", &window);
    attribute(&mut header, "displayWindow", "box2i", &window);
    attribute(&mut header, "lineOrder", "lineOrder", &[0]);
    attribute(&mut header, "pixelAspectRatio", "float", &one);
    attribute(&mut header, "screenWindowCenter", "v2f", &[0; 8]);
    attribute(&mut header, "screenWindowWidth", "float", &one);
    header.push(0);
    let row_bytes = 4 * row;
    let first = header.len() + 8 * height;
    to.write_all(&header)?;
    for y in 0..height {
        to.write_all(&((first + y * (8 + row_bytes)) as u64).to_le_bytes())?;
    }
    for (y, pixels) in values.chunks_exact(row.max(1)).enumerate() {
        let mut bytes = words(&[y as u32, row_bytes as u32]);
        for &channel in &order {
            bytes.extend(pixels.iter().skip(channel).step_by(channels).flat_map(|value| value.to_le_bytes()));
        }
        to.write_all(&bytes)?;
    }
    to.flush()
}

#[cfg(test)]
mod tests {
    use super::write;

    #[test]
    fn rows_lie_where_the_table_says() {
        let mut file = Vec::new();
        write(&mut file, 2, &["R", "A"], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]).expect("written");
        let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|index| file[at + index])) as usize;
        let float = |at: usize| f32::from_le_bytes(std::array::from_fn(|index| file[at + index]));
        // Two rows of a number, a length, and two floats for each of two channels, at the end.
        let second = file.len() - 24;
        let table = second - 24 - 16;
        assert_eq!([long(table), long(table + 8)], [second - 24, second]);
        // A comes before R.
        let row: Vec<f32> = (0..4).map(|index| float(second + 8 + 4 * index)).collect();
        assert_eq!(row, [6.0, 8.0, 5.0, 7.0]);
    }
}
