//! What stands on the command line for data: literals, places of resources, sizes, constants.

use anyhow::{Context, Result, anyhow, bail};
use pyro_shadertest::values::Element;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Bytes of a buffer or of the push constants.
#[derive(Clone)]
pub(in crate::commands) struct Bytes(pub(in crate::commands) Vec<u8>);

/// Set and binding.
pub(in crate::commands) type Place = (u32, u32);

/// The element of this name in a literal or a print.
pub(super) fn element_of(name: &str) -> Result<Element> {
    Element::from_name(name)
        .ok_or_else(|| anyhow!("`{name}` is not one of u8 i8 u16 i16 u32 i32 u64 i64 f32 f64"))
}

/// The bytes of a value.
fn encode(element: Element, text: &str) -> Result<Vec<u8>> {
    let bad = || anyhow!("`{text}` does not fit {}", element.name());
    if matches!(element, Element::F32) {
        return Ok(text.parse::<f32>().map_err(|_| bad())?.to_le_bytes().to_vec());
    }
    if matches!(element, Element::F64) {
        return Ok(text.parse::<f64>().map_err(|_| bad())?.to_le_bytes().to_vec());
    }
    let value = match text.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16),
        None => text.parse(),
    }
    .map_err(|_| bad())?;
    let bits = element.bytes() * 8;
    let is_signed = matches!(element, Element::I8 | Element::I16 | Element::I32 | Element::I64);
    let (low, high) =
        if is_signed { (-(1i128 << (bits - 1)), 1i128 << (bits - 1)) } else { (0, 1i128 << bits) };
    if !(low..high).contains(&value) {
        return Err(bad());
    }
    Ok(value.to_le_bytes()[..element.bytes()].to_vec())
}

/// A value in JSON.
pub(super) fn decode(element: Element, bytes: &[u8]) -> Value {
    let mut raw = [0u8; 8];
    raw[..bytes.len()].copy_from_slice(bytes);
    let unsigned = u64::from_le_bytes(raw);
    let unused = 64 - 8 * bytes.len() as u32;
    let signed = (unsigned << unused) as i64 >> unused;
    match element {
        Element::U8 | Element::U16 | Element::U32 | Element::U64 => json!(unsigned),
        Element::I8 | Element::I16 | Element::I32 | Element::I64 => json!(signed),
        // JSON has no infinities; text keeps them readable.
        Element::F32 => {
            let value = f32::from_bits(unsigned as u32);
            value
                .to_string()
                .parse()
                .ok()
                .and_then(serde_json::Number::from_f64)
                .map_or_else(|| json!(value.to_string()), Value::Number)
        }
        Element::F64 => {
            let value = f64::from_bits(unsigned);
            serde_json::Number::from_f64(value).map_or_else(|| json!(value.to_string()), Value::Number)
        }
    }
}

/// Numbers of workgroups.
pub(super) fn parse_groups(text: &str) -> Result<[u32; 3]> {
    parse_triple(text, 1)
}

/// The first workgroup.
pub(super) fn parse_base(text: &str) -> Result<[u32; 3]> {
    parse_triple(text, 0)
}

/// Up to three numbers; those that are left out have the default.
fn parse_triple(text: &str, default: u32) -> Result<[u32; 3]> {
    let mut groups = [default; 3];
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > 3 {
        bail!("at most three numbers");
    }
    for (group, part) in groups.iter_mut().zip(parts) {
        *group = part.trim().parse().map_err(|_| anyhow!("`{part}` is not a number of workgroups"))?;
    }
    Ok(groups)
}

pub(in crate::commands) fn parse_place(text: &str) -> Result<Place> {
    let (set, binding) = text.split_once('.').unwrap_or(("0", text));
    let number = |part: &str| part.parse::<u32>().map_err(|_| anyhow!("`{text}` is not SET.BINDING"));
    let place = (number(set)?, number(binding)?);
    if place.0 >= 32 {
        bail!("set {} is past the last one, 31", place.0);
    }
    Ok(place)
}

/// What is before and behind the first `=`.
pub(super) fn split(text: &str) -> Result<(&str, &str)> {
    text.split_once('=').ok_or_else(|| anyhow!("`{text}` has no `=`"))
}

/// What is before and behind the first colon of data.
pub(in crate::commands) fn split_kind(text: &str) -> Result<(&str, &str)> {
    text.split_once(':').ok_or_else(|| anyhow!("`{text}` is not KIND:VALUES"))
}

pub(in crate::commands) fn parse_data(text: &str) -> Result<Bytes> {
    let (kind, rest) = split_kind(text)?;
    Ok(Bytes(match kind {
        "zero" => vec![0; rest.parse().map_err(|_| anyhow!("`{rest}` is not a number of bytes"))?],
        "file" => std::fs::read(rest).with_context(|| format!("cannot read {rest}"))?,
        _ => {
            let element = element_of(kind)?;
            let values: Result<Vec<Vec<u8>>> =
                rest.split(',').map(|value| encode(element, value.trim())).collect();
            values?.concat()
        }
    }))
}

/// A descriptor: set, binding, and the element where the binding is an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Slot {
    pub(super) set: u32,
    pub(super) binding: u32,
    pub(super) index: u32,
}

impl std::fmt::Display for Slot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.set, self.binding)?;
        if self.index > 0 { write!(f, "[{}]", self.index) } else { Ok(()) }
    }
}

/// No array of descriptors is longer here.
pub(super) const DESCRIPTORS_MAX: u32 = 4096;

/// Reads `0.3`, `3` of set 0, and `0.3[2]` of an array.
pub(super) fn parse_slot(text: &str) -> Result<Slot> {
    let (place, index) = match text.strip_suffix(']').and_then(|text| text.split_once('[')) {
        Some((place, index)) => {
            (place, index.parse().map_err(|_| anyhow!("`{index}` is not the number of an element"))?)
        }
        None => (text, 0),
    };
    if index >= DESCRIPTORS_MAX {
        bail!("element {index} is past the last one, {}", DESCRIPTORS_MAX - 1);
    }
    let (set, binding) = parse_place(place)?;
    Ok(Slot { set, binding, index })
}

/// The data of a descriptor.
pub(super) fn parse_resource(text: &str) -> Result<(Slot, Bytes)> {
    let (slot, data) = split(text)?;
    Ok((parse_slot(slot)?, parse_data(data)?))
}

/// What is printed of a descriptor.
pub(super) fn parse_print(text: &str) -> Result<(Slot, Element)> {
    let (slot, element) = split(text)?;
    Ok((parse_slot(slot)?, element_of(element)?))
}

/// Where a descriptor's contents are written.
pub(super) fn parse_save(text: &str) -> Result<(Slot, PathBuf)> {
    let (slot, path) = split(text)?;
    Ok((parse_slot(slot)?, PathBuf::from(path)))
}

/// No picture or image is larger in one direction.
const SIZE_MAX: u32 = 16384;

/// Reads `64`, `64x32` or `64x32x4`: none of the numbers is zero.
pub(super) fn parse_extent(text: &str) -> Result<[u32; 3]> {
    let mut extent = [1; 3];
    let parts: Vec<&str> = text.split(['x', ',']).collect();
    if parts.len() > 3 {
        bail!("`{text}` has more than three numbers");
    }
    for (size, part) in extent.iter_mut().zip(parts) {
        let number: Option<u32> = part.trim().parse().ok();
        *size = number
            .filter(|number| (1..=SIZE_MAX).contains(number))
            .with_context(|| format!("`{part}` is not a number of pixels from 1 to {SIZE_MAX}"))?;
    }
    Ok(extent)
}

/// Pixels of a picture.
pub(super) fn parse_size(text: &str) -> Result<[u32; 2]> {
    match parse_extent(text)? {
        [width, height, 1] if text.contains(['x', ',']) => Ok([width, height]),
        _ => bail!("`{text}` is not WIDTHxHEIGHT"),
    }
}

/// The color that is there before.
pub(super) fn parse_color(text: &str) -> Result<[f32; 4]> {
    let numbers: Vec<f32> = text
        .split(',')
        .map(|part| part.trim().parse().map_err(|_| anyhow!("`{part}` is not a number")))
        .collect::<Result<_>>()?;
    numbers.try_into().map_err(|_| anyhow!("a color is RED,GREEN,BLUE,ALPHA"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals() {
        assert_eq!(parse_data("u16:1,0xffff").unwrap().0, [1, 0, 255, 255]);
        assert_eq!(parse_data("i8:-1, 2").unwrap().0, [255, 2]);
        assert_eq!(parse_data("zero:3").unwrap().0, [0; 3]);
        assert_eq!(parse_data("f32:1.5").unwrap().0, 1.5f32.to_le_bytes());
        for bad in ["u8:256", "u8:-1", "i8:128", "f32:x", "u7:1", "7", "file:/no/such/file"] {
            assert!(parse_data(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn decoding_is_the_inverse() {
        for (element, text) in
            [(Element::I16, "-3"), (Element::U64, "18446744073709551615"), (Element::I64, "-9")]
        {
            assert_eq!(decode(element, &encode(element, text).unwrap()).to_string(), text);
        }
        assert_eq!(decode(Element::F32, &0.1f32.to_le_bytes()), json!(0.1));
        assert_eq!(decode(Element::F32, &f32::INFINITY.to_le_bytes()), json!("inf"));
    }

    #[test]
    fn places_groups_and_constants() {
        assert_eq!(parse_place("2.7").unwrap(), (2, 7));
        assert_eq!(parse_place("7").unwrap(), (0, 7));
        assert!(parse_place("32.0").is_err());
        assert_eq!(parse_groups("4,2").unwrap(), [4, 2, 1]);
        assert_eq!(parse_base("4,2").unwrap(), [4, 2, 0]);
    }

    #[test]
    fn slots_and_sizes() {
        assert_eq!(parse_slot("1.2[3]").unwrap(), Slot { set: 1, binding: 2, index: 3 });
        assert_eq!(parse_slot("1.2[3]").unwrap().to_string(), "1.2[3]");
        assert_eq!(parse_slot("4").unwrap().to_string(), "0.4");
        for bad in ["1.2[", "1.2[x]", "1.2[4096]", "x", "1.2]"] {
            assert!(parse_slot(bad).is_err(), "{bad}");
        }
        assert_eq!(parse_extent("64x32").unwrap(), [64, 32, 1]);
        assert_eq!(parse_size("64,32").unwrap(), [64, 32]);
        for bad in ["0x1", "1x2x3x4", "", "99999", "axb"] {
            assert!(parse_extent(bad).is_err(), "{bad}");
        }
        assert!(parse_size("64").is_err());
        assert_eq!(parse_color("0,0.5,1,1").unwrap(), [0.0, 0.5, 1.0, 1.0]);
        assert!(parse_color("1,2").is_err());
    }
}
