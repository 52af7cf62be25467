//! Values as bytes: what compiled code is kept as in caches.
//!
//! Numbers are little-endian, sequences start with a 32-bit count. Reading checks every length against the
//! bytes that are left, so bytes that were not written by [`ByteCodec::write`] give `None` or some value,
//! never a panic or a large allocation; whoever keeps bytes where others may damage them adds a checksum.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Bytes that are read from the front.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'b> {
    bytes: &'b [u8],
}

impl<'b> Reader<'b> {
    /// From the start of `bytes`.
    pub fn new(bytes: &'b [u8]) -> Reader<'b> {
        Reader { bytes }
    }

    /// The next `len` bytes.
    pub fn take(&mut self, len: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(len)?;
        self.bytes = rest;
        Some(taken)
    }

    /// A value.
    pub fn value<T: ByteCodec>(&mut self) -> Option<T> {
        T::read(self)
    }

    /// A sequence of bytes behind its count.
    pub fn byte_slice(&mut self) -> Option<&'b [u8]> {
        let len = u32::read(self)?;
        self.take(len as usize)
    }

    /// Bytes that are left.
    pub fn left(&self) -> usize {
        self.bytes.len()
    }
}

/// A value that can be written as bytes and read again.
pub trait ByteCodec: Sized {
    /// Appends the value.
    fn write(&self, out: &mut Vec<u8>);
    /// Reads what [`ByteCodec::write`] wrote.
    fn read(reader: &mut Reader<'_>) -> Option<Self>;
}

/// Appends a sequence of bytes behind its count.
///
/// # Panics
/// When there are 4 GiB or more.
pub fn write_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    u32::try_from(bytes.len()).expect("less than 4 GiB").write(out);
    out.extend_from_slice(bytes);
}

macro_rules! numbers {
    ($($number:ty),+) => { $(
        impl ByteCodec for $number {
            fn write(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            fn read(reader: &mut Reader<'_>) -> Option<$number> {
                Some(<$number>::from_le_bytes(reader.take(size_of::<$number>())?.try_into().ok()?))
            }
        }
    )+ };
}

numbers!(u8, u16, u32, u64, i32, i64);

impl ByteCodec for bool {
    fn write(&self, out: &mut Vec<u8>) {
        out.push((*self).into());
    }

    fn read(reader: &mut Reader<'_>) -> Option<bool> {
        match u8::read(reader)? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl ByteCodec for usize {
    fn write(&self, out: &mut Vec<u8>) {
        (*self as u64).write(out);
    }

    fn read(reader: &mut Reader<'_>) -> Option<usize> {
        u64::read(reader)?.try_into().ok()
    }
}

impl ByteCodec for String {
    fn write(&self, out: &mut Vec<u8>) {
        write_bytes(self.as_bytes(), out);
    }

    fn read(reader: &mut Reader<'_>) -> Option<String> {
        String::from_utf8(reader.byte_slice()?.to_vec()).ok()
    }
}

impl<T: ByteCodec> ByteCodec for Vec<T> {
    fn write(&self, out: &mut Vec<u8>) {
        u32::try_from(self.len()).expect("less than 2^32 elements").write(out);
        self.iter().for_each(|element| element.write(out));
    }

    fn read(reader: &mut Reader<'_>) -> Option<Vec<T>> {
        let len = u32::read(reader)? as usize;
        // Every element takes a byte at least.
        let mut all = Vec::with_capacity(len.min(reader.left()));
        for _ in 0..len {
            all.push(T::read(reader)?);
        }
        Some(all)
    }
}

impl<T: ByteCodec> ByteCodec for Option<T> {
    fn write(&self, out: &mut Vec<u8>) {
        self.is_some().write(out);
        if let Some(value) = self {
            value.write(out);
        }
    }

    fn read(reader: &mut Reader<'_>) -> Option<Option<T>> {
        Some(if bool::read(reader)? { Some(T::read(reader)?) } else { None })
    }
}

impl<T: ByteCodec> ByteCodec for Box<T> {
    fn write(&self, out: &mut Vec<u8>) {
        T::write(self, out);
    }

    fn read(reader: &mut Reader<'_>) -> Option<Box<T>> {
        T::read(reader).map(Box::new)
    }
}

impl<T: ByteCodec> ByteCodec for Arc<T> {
    fn write(&self, out: &mut Vec<u8>) {
        T::write(self, out);
    }

    fn read(reader: &mut Reader<'_>) -> Option<Arc<T>> {
        T::read(reader).map(Arc::new)
    }
}

impl<T: ByteCodec, const N: usize> ByteCodec for [T; N] {
    fn write(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|element| element.write(out));
    }

    fn read(reader: &mut Reader<'_>) -> Option<[T; N]> {
        let all: Option<Vec<T>> = (0..N).map(|_| T::read(reader)).collect();
        all?.try_into().ok()
    }
}

impl<A: ByteCodec, B: ByteCodec> ByteCodec for (A, B) {
    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
        self.1.write(out);
    }

    fn read(reader: &mut Reader<'_>) -> Option<(A, B)> {
        Some((A::read(reader)?, B::read(reader)?))
    }
}

impl<K: ByteCodec + Ord, V: ByteCodec> ByteCodec for BTreeMap<K, V> {
    fn write(&self, out: &mut Vec<u8>) {
        u32::try_from(self.len()).expect("less than 2^32 elements").write(out);
        for (key, value) in self {
            key.write(out);
            value.write(out);
        }
    }

    fn read(reader: &mut Reader<'_>) -> Option<BTreeMap<K, V>> {
        Some(Vec::<(K, V)>::read(reader)?.into_iter().collect())
    }
}

/// Implements [`ByteCodec`] for a structure by naming all of its fields; one that is forgotten is an error.
#[macro_export]
macro_rules! codec_struct {
    ($name:ident { $($field:ident),+ $(,)? }) => {
        impl $crate::codec::ByteCodec for $name {
            fn write(&self, out: &mut Vec<u8>) {
                let $name { $($field),+ } = self;
                $( $crate::codec::ByteCodec::write($field, out); )+
            }

            fn read(reader: &mut $crate::codec::Reader<'_>) -> Option<$name> {
                Some($name { $( $field: reader.value()? ),+ })
            }
        }
    };
}

/// Implements [`ByteCodec`] for an enumeration without data by naming all of its variants.
#[macro_export]
macro_rules! codec_enum {
    ($name:ident { $($variant:ident),+ $(,)? }) => {
        impl $crate::codec::ByteCodec for $name {
            fn write(&self, out: &mut Vec<u8>) {
                // A variant that is forgotten is an error here.
                match self { $( $name::$variant )|+ => {} }
                let all = [$($name::$variant),+];
                let index = all.iter().position(|one| one == self).unwrap_or(all.len());
                out.push(index as u8);
            }

            fn read(reader: &mut $crate::codec::Reader<'_>) -> Option<$name> {
                let index = <u8 as $crate::codec::ByteCodec>::read(reader)?;
                [$($name::$variant),+].into_iter().nth(index.into())
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Pair {
        name: String,
        numbers: Vec<Option<u32>>,
        kind: Kind,
    }

    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Kind {
        One,
        Two,
    }

    codec_struct!(Pair { name, numbers, kind });
    codec_enum!(Kind { One, Two });

    #[test]
    fn values_round_trip_and_truncated_ones_fail() {
        let pair = Pair { name: "ä".to_owned(), numbers: vec![Some(7), None], kind: Kind::Two };
        let both = (BTreeMap::from([(1_u32, pair)]), [true, false, true]);
        let mut bytes = Vec::new();
        both.write(&mut bytes);
        let mut reader = Reader::new(&bytes);
        assert_eq!(reader.value(), Some(both));
        assert_eq!(reader.left(), 0);
        for len in 0..bytes.len() {
            let found: Option<(BTreeMap<u32, Pair>, [bool; 3])> = Reader::new(&bytes[..len]).value();
            assert_eq!(found, None, "{len}");
        }
    }

    #[test]
    fn huge_counts_allocate_little() {
        assert_eq!(Reader::new(&[0xff; 8]).value::<Vec<u32>>(), None);
        assert_eq!(Reader::new(&[2]).value::<bool>(), None);
        assert_eq!(Reader::new(&[2]).value::<Kind>(), None);
    }
}
