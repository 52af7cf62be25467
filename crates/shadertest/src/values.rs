//! Values in buffers: literals such as `f32:1,2.5`, and comparison with tolerance.

/// The type of a buffer's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // Named as in literals.
pub enum Element {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F32,
    F64,
}

/// The elements of each name.
const NAMES: [(&str, Element); 10] = [
    ("u8", Element::U8),
    ("i8", Element::I8),
    ("u16", Element::U16),
    ("i16", Element::I16),
    ("u32", Element::U32),
    ("i32", Element::I32),
    ("u64", Element::U64),
    ("i64", Element::I64),
    ("f32", Element::F32),
    ("f64", Element::F64),
];

/// How much a value may differ from what is expected: by either of these.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tolerance {
    /// An absolute difference.
    pub absolute: f64,
    /// A difference relative to the expected value.
    pub relative: f64,
}

impl Element {
    /// The element of this name.
    pub fn from_name(name: &str) -> Option<Element> {
        NAMES.iter().find(|(known, _)| *known == name).map(|&(_, element)| element)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(_, known)| *known == self).map_or("?", |(name, _)| name)
    }

    /// Bytes of an element.
    pub fn bytes(self) -> usize {
        match self {
            Element::U8 | Element::I8 => 1,
            Element::U16 | Element::I16 => 2,
            Element::U32 | Element::I32 | Element::F32 => 4,
            Element::U64 | Element::I64 | Element::F64 => 8,
        }
    }

    fn is_float(self) -> bool {
        matches!(self, Element::F32 | Element::F64)
    }

    fn integer(self, bytes: &[u8]) -> i128 {
        let mut raw = [0; 8];
        raw[..bytes.len()].copy_from_slice(bytes);
        let unsigned = u64::from_le_bytes(raw);
        let unused = 64 - 8 * bytes.len() as u32;
        match self {
            Element::I8 | Element::I16 | Element::I32 | Element::I64 => {
                i128::from((unsigned << unused) as i64 >> unused)
            }
            _ => i128::from(unsigned),
        }
    }

    fn float(self, bytes: &[u8]) -> f64 {
        match (self, bytes) {
            (Element::F32, &[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]).into(),
            (Element::F64, bytes) => bytes.try_into().map_or(f64::NAN, f64::from_le_bytes),
            _ => self.integer(bytes) as f64,
        }
    }

    /// A value as text.
    pub fn text(self, bytes: &[u8]) -> String {
        match (self, bytes) {
            (Element::F32, &[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]).to_string(),
            (Element::F64, bytes) => self.float(bytes).to_string(),
            _ => self.integer(bytes).to_string(),
        }
    }

    /// Whether a value is close enough to what is expected. NaN is close to NaN alone.
    fn is_close(self, found: &[u8], expected: &[u8], tolerance: Tolerance) -> bool {
        if found == expected {
            return true;
        }
        let (found, expected) = (self.float(found), self.float(expected));
        if self.is_float() && (found.is_nan() || expected.is_nan()) {
            return found.is_nan() && expected.is_nan();
        }
        let difference = (found - expected).abs();
        found == expected
            || difference <= tolerance.absolute
            || difference <= tolerance.relative * expected.abs()
    }
}

/// An element that is not as expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Its index.
    pub index: usize,
    /// What it is.
    pub found: String,
    /// What it should be.
    pub expected: String,
}

/// The elements that are not as expected; those behind the end of `found` are not there.
pub fn compare(element: Element, found: &[u8], expected: &[u8], tolerance: Tolerance) -> Vec<Mismatch> {
    let size = element.bytes();
    let expected = expected.chunks_exact(size).enumerate();
    expected
        .filter_map(|(index, expected)| {
            let found = found.get(index * size..(index + 1) * size);
            match found {
                Some(found) if element.is_close(found, expected, tolerance) => None,
                _ => Some(Mismatch {
                    index,
                    found: found.map_or("nothing".to_owned(), |found| element.text(found)),
                    expected: element.text(expected),
                }),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    #[test]
    fn floats_differ_by_tolerance_and_nan_is_nan() {
        let (found, expected) = (bytes(&[1.0, 2.001, f32::NAN, 0.0]), bytes(&[1.0, 2.0, f32::NAN, -0.0]));
        let exact = compare(Element::F32, &found, &expected, Tolerance::default());
        assert_eq!(exact, [Mismatch { index: 1, found: "2.001".to_owned(), expected: "2".to_owned() }]);
        let loose = Tolerance { absolute: 0.01, relative: 0.0 };
        assert!(compare(Element::F32, &found, &expected, loose).is_empty());
        let relative = Tolerance { absolute: 0.0, relative: 1e-3 };
        assert!(compare(Element::F32, &found, &expected, relative).is_empty());
        assert_eq!(compare(Element::F32, &bytes(&[f32::NAN]), &bytes(&[1.0]), loose).len(), 1);
        assert_eq!(compare(Element::F32, &[], &bytes(&[1.0]), loose)[0].found, "nothing");
    }

    #[test]
    fn integers_have_signs() {
        assert_eq!(Element::I16.text(&[0xfe, 0xff]), "-2");
        assert_eq!(Element::U16.text(&[0xfe, 0xff]), "65534");
        assert_eq!(Element::from_name("i16").map(Element::name), Some("i16"));
        assert_eq!(Element::from_name("i17"), None);
    }
}
