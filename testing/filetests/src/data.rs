//! Memory contents in test files: parsing and printing.

use pyro_ir::{Scalar, eval};

/// Typed numbers in a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Data {
    /// Each element's type and bits.
    pub elements: Vec<(Scalar, u64)>,
}

impl Data {
    /// Its bytes, little-endian.
    pub fn bytes(&self) -> Vec<u8> {
        let element =
            |&(scalar, bits): &(Scalar, u64)| bits.to_le_bytes()[..scalar.bytes() as usize].to_vec();
        self.elements.iter().flat_map(element).collect()
    }

    /// The first element that memory does not hold, in words. All NaN are the same.
    pub fn difference(&self, memory: &[u8]) -> Option<String> {
        let mut at = 0;
        for (index, &(scalar, bits)) in self.elements.iter().enumerate() {
            let size = scalar.bytes() as usize;
            let found = memory.get(at..at + size)?;
            let found = found.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
            if found != bits && !(is_nan(scalar, bits) && is_nan(scalar, found)) {
                return Some(format!(
                    "element {index} (byte {at:#x}) is {}, expected {}",
                    number(scalar, found),
                    number(scalar, bits)
                ));
            }
            at += size;
        }
        None
    }
}

fn is_nan(scalar: Scalar, bits: u64) -> bool {
    scalar.is_float() && as_f64(scalar, bits).is_nan()
}

fn as_f64(scalar: Scalar, bits: u64) -> f64 {
    let wide = match scalar {
        Scalar::F64 => Some(bits),
        _ => eval::pure(pyro_ir::Opcode::FConvert, scalar, Scalar::F64, &[bits], 0),
    };
    f64::from_bits(wide.unwrap_or(0))
}

fn number(scalar: Scalar, bits: u64) -> String {
    if scalar.is_float() {
        return format!("{:?} ({bits:#x})", as_f64(scalar, bits));
    }
    format!("{} ({bits:#x})", eval::sign_extend(scalar, bits))
}

/// Reads `TYPE number ... | TYPE number ...`.
///
/// # Errors
/// What is wrong.
pub fn parse_data(text: &str) -> Result<Data, String> {
    let mut elements = Vec::new();
    for part in text.split('|') {
        let mut words = part.split_whitespace();
        let name = words.next().ok_or("expected a type")?;
        if name == "zero" {
            let count =
                words.next().and_then(|word| word.parse().ok()).filter(|&count: &usize| count <= 1 << 20);
            let count = count.ok_or("expected a number of bytes")?;
            elements.extend(std::iter::repeat_n((Scalar::I8, 0), count));
            continue;
        }
        let scalar = Scalar::from_name(name).filter(|&scalar| scalar != Scalar::I1).ok_or("unknown type")?;
        for word in words {
            let bits = parse_number(scalar, word).ok_or_else(|| format!("{word:?} is no {name}"))?;
            elements.push((scalar, bits));
        }
    }
    Ok(Data { elements })
}

fn parse_number(scalar: Scalar, word: &str) -> Option<u64> {
    if let Some(digits) = word.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok().filter(|bits| bits & !scalar.mask() == 0);
    }
    match scalar {
        Scalar::F16 => {
            // Numbers that tests write are short: no double rounding shows.
            let bits = word.parse::<f32>().ok()?.to_bits();
            eval::pure(pyro_ir::Opcode::FConvert, Scalar::F32, Scalar::F16, &[bits.into()], 0)
        }
        Scalar::F32 => Some(word.parse::<f32>().ok()?.to_bits().into()),
        Scalar::F64 => Some(word.parse::<f64>().ok()?.to_bits()),
        _ => {
            let number: i128 = word.parse().ok()?;
            let limit = 1i128 << scalar.bits();
            (-limit / 2 <= number && number < limit).then_some(number as u64 & scalar.mask())
        }
    }
}
