//! Rows of four words to columns, without AVX-512. Compilers copy word by word where loops do this.

/// The columns of four rows of four words.
#[inline(always)]
pub(crate) fn transposed(rows: [&[u32; 4]; 4]) -> [[u32; 4]; 4] {
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: all processors of this architecture have SSE2.
        #[allow(unsafe_code)]
        unsafe {
            transposed_sse2(rows)
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    transposed_plain(rows)
}

/// The same as plain code.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline(always)]
fn transposed_plain(rows: [&[u32; 4]; 4]) -> [[u32; 4]; 4] {
    let mut columns = [[0; 4]; 4];
    for (at, row) in rows.into_iter().enumerate() {
        for (column, &word) in columns.iter_mut().zip(row) {
            column[at] = word;
        }
    }
    columns
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "sse2")]
fn transposed_sse2([a, b, c, d]: [&[u32; 4]; 4]) -> [[u32; 4]; 4] {
    use std::arch::x86_64::{
        _mm_loadu_si128 as load, _mm_storeu_si128 as store, _mm_unpackhi_epi32 as high_words,
        _mm_unpackhi_epi64 as high, _mm_unpacklo_epi32 as low_words, _mm_unpacklo_epi64 as low,
    };
    // SAFETY: each is as long as a register.
    #[allow(unsafe_code)]
    let (a, b, c, d) = unsafe {
        (load(a.as_ptr().cast()), load(b.as_ptr().cast()), load(c.as_ptr().cast()), load(d.as_ptr().cast()))
    };
    let (first, second) = (low_words(a, b), low_words(c, d));
    let (third, fourth) = (high_words(a, b), high_words(c, d));
    let mut columns = [[0; 4]; 4];
    let values = [low(first, second), high(first, second), low(third, fourth), high(third, fourth)];
    for (column, value) in columns.iter_mut().zip(values) {
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe {
            store(column.as_mut_ptr().cast(), value);
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_of_the_rows() {
        let rows = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, u32::MAX]];
        let columns = transposed(rows.each_ref());
        assert_eq!(columns, [[1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15], [4, 8, 12, u32::MAX]]);
        assert_eq!(columns, transposed_plain(rows.each_ref()));
    }
}
