//! Format strings of `debugPrintf` (`NonSemantic.DebugPrintf`): what they consist of.
//!
//! A conversion is `%`, flags out of `-+ #0`, a width, a precision behind `.`, `v2` to `v4` for vectors, `l`
//! for 64 bits, and one of `d i u o x X f F e E g G a A p s`; `%ul` is the same as `%lu`, and `%%` is a
//! percent sign. Formats come from shaders, so they are untrusted: what cannot be read is an error with its
//! position, and sizes are limited.
//!
//! Must not know: values, and what printing them gives.

use std::fmt;

/// The greatest width or precision: formats must not make output of any size.
const SIZE_MAX: u32 = 256;

/// What a conversion makes of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// `d`, `i`
    Signed,
    /// `u`
    Unsigned,
    /// `o`
    Octal,
    /// `x`, `X`
    Hexadecimal,
    /// `f`, `F`
    Fixed,
    /// `e`, `E`
    Exponent,
    /// `g`, `G`
    General,
    /// `a`, `A`
    HexFloat,
    /// `p`
    Pointer,
    /// `s`
    String,
}

impl Conversion {
    /// Whether it is for floats.
    pub fn is_float(self) -> bool {
        matches!(self, Conversion::Fixed | Conversion::Exponent | Conversion::General | Conversion::HexFloat)
    }
}

/// Flags of a conversion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// `-`: to the left of its field.
    pub left: bool,
    /// `+`: with a sign always.
    pub plus: bool,
    /// A space where there is no sign.
    pub space: bool,
    /// `#`: `0x` in front, and so on.
    pub alternate: bool,
    /// `0`: filled with zeros.
    pub zero: bool,
    /// The conversion's letter is a capital.
    pub upper: bool,
}

/// A conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    /// How it looks.
    pub flags: Flags,
    /// Least characters of each component.
    pub width: u32,
    /// Digits behind the point, or digits of integers.
    pub precision: Option<u32>,
    /// Components: 1 for scalars.
    pub components: u32,
    /// For values of 64 bits.
    pub long: bool,
    /// The conversion itself.
    pub conversion: Conversion,
}

/// A part of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text as it stands.
    Text(String),
    /// A conversion of the next value.
    Value(Spec),
}

/// Why a format cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatError {
    /// The byte at which the conversion begins.
    pub position: usize,
    /// What is wrong with it.
    pub message: String,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {} of the format", self.message, self.position)
    }
}

impl std::error::Error for FormatError {}

/// Reads a format.
///
/// # Errors
/// For the first conversion that is none.
pub fn parse(format: &str) -> Result<Vec<Piece>, FormatError> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        text.push_str(&rest[..at]);
        let position = format.len() - rest.len() + at;
        let mut cursor = Cursor { rest: &rest[at + 1..], position };
        if cursor.take('%') {
            text.push('%');
        } else {
            if !text.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut text)));
            }
            pieces.push(Piece::Value(cursor.spec()?));
        }
        rest = cursor.rest;
    }
    text.push_str(rest);
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
    Ok(pieces)
}

/// What is left of a conversion.
struct Cursor<'f> {
    rest: &'f str,
    position: usize,
}

impl Cursor<'_> {
    fn take(&mut self, wanted: char) -> bool {
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T, FormatError> {
        Err(FormatError { position: self.position, message: message.into() })
    }

    /// A decimal number; none where there is no digit.
    fn number(&mut self) -> Result<Option<u32>, FormatError> {
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = self.rest.split_at(digits);
        self.rest = rest;
        if number.is_empty() {
            return Ok(None);
        }
        match number.parse::<u32>() {
            Ok(number) if number <= SIZE_MAX => Ok(Some(number)),
            _ => self.error(format!("a width or precision above {SIZE_MAX}")),
        }
    }

    fn spec(&mut self) -> Result<Spec, FormatError> {
        let mut flags = Flags::default();
        loop {
            let flag = [
                ('-', &mut flags.left),
                ('+', &mut flags.plus),
                (' ', &mut flags.space),
                ('#', &mut flags.alternate),
                ('0', &mut flags.zero),
            ];
            match flag.into_iter().find(|(letter, _)| self.rest.starts_with(*letter)) {
                Some((letter, flag)) => {
                    *flag = true;
                    self.take(letter);
                }
                None => break,
            }
        }
        let width = self.number()?.unwrap_or(0);
        let precision = match self.take('.') {
            true => Some(self.number()?.unwrap_or(0)),
            false => None,
        };
        let components = match self.take('v') {
            true => match self.number()? {
                Some(count @ 2..=4) => count,
                _ => return self.error("a vector that has not 2, 3 or 4 components"),
            },
            false => 1,
        };
        let mut long = self.take('l');
        if self.take('l') {
            return self.error("the length \"ll\", which is \"l\" in shaders");
        }
        let Some(letter) = self.rest.chars().next() else {
            return self.error("a conversion without a letter");
        };
        let conversion = match letter {
            'd' | 'i' => Conversion::Signed,
            'u' => Conversion::Unsigned,
            'o' => Conversion::Octal,
            'x' | 'X' => Conversion::Hexadecimal,
            'f' | 'F' => Conversion::Fixed,
            'e' | 'E' => Conversion::Exponent,
            'g' | 'G' => Conversion::General,
            'a' | 'A' => Conversion::HexFloat,
            'p' => Conversion::Pointer,
            's' => Conversion::String,
            other => return self.error(format!("the unknown conversion '{}'", other.escape_default())),
        };
        self.take(letter);
        flags.upper = letter.is_ascii_uppercase();
        // `%ul` is how shaders have always written 64 bits.
        long |= letter == 'u' && self.take('l');
        if components > 1 && matches!(conversion, Conversion::String) {
            return self.error("a vector of strings");
        }
        Ok(Spec { flags, width, precision, components, long, conversion })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(format: &str) -> Spec {
        match &parse(format).expect("a format")[..] {
            [Piece::Value(spec)] => *spec,
            other => panic!("{format}: {other:?}"),
        }
    }

    #[test]
    fn text_and_percent_signs_stay() {
        assert_eq!(parse("").unwrap(), []);
        assert_eq!(parse("100%% ä").unwrap(), [Piece::Text("100% ä".to_owned())]);
        let pieces = parse("a=%d, b=%%%u\n").unwrap();
        assert_eq!(pieces.len(), 5);
        assert_eq!(pieces[2], Piece::Text(", b=%".to_owned()));
    }

    #[test]
    fn conversions_are_read_with_their_modifiers() {
        let plain = Spec {
            flags: Flags::default(),
            width: 0,
            precision: None,
            components: 1,
            long: false,
            conversion: Conversion::Signed,
        };
        assert_eq!(only("%i"), plain);
        let float = only("%-+08.3v4f");
        assert_eq!((float.width, float.precision, float.components), (8, Some(3), 4));
        assert!(float.flags.left && float.flags.plus && float.flags.zero && !float.flags.alternate);
        for long in ["%ul", "%lu", "%v2ul", "%lx", "%ld"] {
            assert!(only(long).long, "{long}");
        }
        assert!(only("%#X").flags.upper && only("%#X").flags.alternate);
        assert_eq!(only("%1.v2f").precision, Some(0));
        assert!(only("%A").conversion.is_float() && !only("%p").conversion.is_float());
    }

    #[test]
    fn malformed_conversions_are_errors_with_a_position() {
        for bad in ["%", "%l", "%v5f", "%vf", "%n", "%*d", "%lld", "%v2s", "%9999d", "%.99999999999f", "%ä"]
        {
            let error = parse(&format!("ab{bad}")).expect_err(bad);
            assert_eq!(error.position, 2, "{bad}: {error}");
        }
    }
}
