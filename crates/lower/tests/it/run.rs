//! Shaders give what the same computation in Rust gives, at every subgroup size.

use crate::support::{Binding, Buffer, Test, floats, storage, uniform};

#[test]
fn simple() {
    let test = Test::new("simple", vec![storage(0..100)]).groups(2, 1, 1);
    let want: Vec<u32> = (0..100).map(|x| x * 2 + 1).collect();
    assert_eq!(test.result(0), want);
}

fn classify(x: u32) -> u32 {
    if x == 7 {
        return 1000;
    }
    for i in 2..20 {
        if x % i == 5 {
            return i;
        }
        if i > x + 3 {
            break;
        }
    }
    2000 + x
}

#[test]
fn control() {
    let mut want = Vec::new();
    for i in 0..40u32 {
        let mut sum = 0u32;
        for a in 0..i {
            if a % 3 == 1 {
                continue;
            }
            let mut b = a;
            while b <= 12 {
                b += 5;
                if b == 11 {
                    sum += 100;
                    continue;
                }
                sum += b;
            }
            if sum > 900 {
                break;
            }
        }
        let mut kind = match i % 7 {
            0 => 11,
            1 => 10,
            2 if i > 10 => 0,
            2 => 1100,
            5 => 1000,
            _ => 5,
        };
        loop {
            kind += 3;
            if kind >= i {
                break;
            }
        }
        want.extend([sum, kind, classify(i)]);
    }
    let test = Test::new("control", vec![storage(vec![0; 120])]);
    assert_eq!(test.result(0), want);
}

#[test]
fn shared() {
    let data: Vec<u32> = (0..192u32).map(|x| x.wrapping_mul(2_654_435_761) >> 20).collect();
    let mut want = Vec::new();
    for group in 0..2 {
        let mut values = data[group * 96..][..96].to_vec();
        let mut step = 48;
        while step > 2 {
            for i in 0..step {
                values[i] += values[i + step];
            }
            step /= 2;
        }
        let total: u32 = values[..3].iter().sum();
        want.extend((0..96u32).map(|i| total + i % 8 + 100 * (i / 8 % 6) + 10000 * (i / 48)));
        want.push(values[0]);
    }
    let test = Test::new("shared", vec![storage(data), storage(vec![0; 194])]).groups(2, 1, 1);
    assert_eq!(test.result(1), want);
}

/// Where a float of the uniform block of `types` lies, in words: as std140 says.
struct Block(Vec<f32>);

#[test]
fn types() {
    // mat4 m: 16 words. Part: a 0..3, b 3, m at 4 (three columns of four), list at 16 (five of four): 36
    // words. r: a row-major mat3x2: two rows of three, each in four words.
    let mut block = Block((0..16 + 72 + 8).map(|index| index as f32 * 0.5 - 3.0).collect());
    for part in 0..2 {
        for index in 0..5 {
            block.0[16 + 36 * part + 16 + 4 * index] = f32::from_bits(10 * part as u32 + index as u32);
        }
    }
    let at = |index: usize| block.0[index];
    let dot = |x: &[f32], y: &[f32]| {
        let mut sum = x[0] * y[0];
        for (x, y) in x.iter().zip(y).skip(1) {
            sum = x.mul_add(*y, sum);
        }
        sum
    };
    let scale = [1.0f32, 2.0, -1.0, 0.25];
    let pick = 5;
    let mut want = Vec::new();
    for i in 0..16usize {
        let part = 16 + 36 * (i & 1);
        let a = [at(part), at(part + 1), at(part + 2)];
        let column = |c: usize| [at(part + 4 + 4 * c), at(part + 5 + 4 * c), at(part + 6 + 4 * c)];
        let vector = [i as f32, 1.0, 2.0, 3.0];
        let v: Vec<f32> =
            (0..4).map(|r| dot(&[at(r), at(4 + r), at(8 + r), at(12 + r)], &vector) * scale[r]).collect();
        let w: Vec<f32> = (0..3).map(|r| dot(&[column(0)[r], column(1)[r], column(2)[r]], &a)).collect();
        let (x, b) = (a[1], at(part + 3) + 0.5);
        let r = |row: usize, c: usize| at(88 + 4 * row + c);
        let q: Vec<f32> = (0..2).map(|row| dot(&[r(row, 0), r(row, 1), r(row, 2)], &a)).collect();
        let s = dot(&q, &[r(0, 2), r(1, 2)]);
        let index = (i + pick) % 9;
        let list = at(part + 16 + 4 * (i % 5)).to_bits() + u32::from(i % 5 == 2);
        // transpose(m)[2][1] is m[1][2].
        let z = column(1)[2] + if i % 3 == 2 { 2.0 } else { 0.0 };
        // A sum of products with ones: products are exact.
        let outer =
            (a[0] * (1.0 + (i % 3) as f32) + a[1] * (1.0 + (i % 3) as f32)) + a[2] * (1.0 + (i % 3) as f32);
        want.extend([
            v[0],
            v[i & 3],
            w[i % 3],
            b + x,
            (index * index) as f32,
            (1 << (i % 6)) as f32,
            list as f32,
            q[1],
            s,
            if i % 3 == 1 { 7.0 } else { 0.0 },
            z,
            outer,
        ]);
    }
    let words = block.0.iter().map(|value| value.to_bits());
    let mut test = Test::new("types", vec![uniform(words), storage(vec![0; 12 * 16])]);
    test.push_constants = floats(scale);
    test.push_constants.push(pick as u32);
    let got: Vec<f32> = test.result(1).into_iter().map(f32::from_bits).collect();
    assert_eq!(got, want);
}

#[test]
fn bounds() {
    let data: Vec<u32> = (0..26).map(|x| x + 1000).collect();
    let pairs: Vec<u32> = (0..6 * 20).map(|x| x + 5000).collect();
    let many: Vec<u32> = (0..12).map(|x| x + 9000).collect();
    // The last pair is cut after its third word.
    let pairs = pairs[..6 * 19 + 3].to_vec();
    let mut buffers =
        vec![storage(data.clone()), storage(vec![0; 256]), storage(pairs.clone()), storage(many.clone())];
    buffers[3].count = 4;
    let test = Test::new("bounds", buffers);
    let memory = test.run(32);
    let read = |list: &[u32], index: u64| {
        usize::try_from(index).ok().and_then(|i| list.get(i)).copied().unwrap_or(0)
    };
    for i in 0..32u64 {
        let got = &memory[1][8 * i as usize..][..8];
        // `head` comes before `data`.
        assert_eq!(got[0], read(&data, i + 1), "data[{i}]");
        let wrapped = (i * 0x1000_0001) & 0xffff_ffff;
        assert_eq!(got[1], read(&data, wrapped + 1), "data[{wrapped}]");
        assert_eq!(got[2], 25 + 100 * 19, "lengths");
        assert_eq!(got[3], read(&pairs, 6 * i + 2 + i % 3), "b of {i}");
        let far = ((i * 0x0800_0000) & 0xffff_ffff) + 1;
        assert_eq!(got[4], read(&pairs, 6 * far + 1), "a.y of {far}");
        let buffer = i % 5;
        let word = i / 5;
        let inside = buffer < 4 && word < 3;
        assert_eq!(got[5], if inside { many[(buffer * 3 + word) as usize] } else { 0 }, "many of {i}");
        let back = if i < 2 { u64::MAX / 8 } else { 6 * (i - 2) };
        assert_eq!(got[6], read(&pairs, back), "pair before {i}");
        assert_eq!(got[7], 0);
    }
    let mut written = data.clone();
    written[21..].fill(77);
    assert_eq!(memory[0], written);
    let mut written = many.clone();
    for buffer in 0..4 {
        written[buffer * 3 + 1] = 500 + buffer as u32;
    }
    assert_eq!(memory[3], written);
}

#[test]
fn group() {
    let mut want = Vec::new();
    for i in 0..64u32 {
        let quad = i & !3;
        want.push(i);
        want.push(quad * 4 + 6);
        want.push(quad + 2 + 100 * (i ^ 3));
        want.push(i ^ 3);
        want.push(if i % 4 == 1 { 3 } else { quad + 3 });
        want.push(if i % 4 == 1 { 4 } else { u32::from(i % 4 == 2) });
        // The first round has three lanes, the second two, the third one.
        want.push(match i % 4 {
            0 => 0,
            1 => 3,
            2 => 5,
            _ => 6,
        });
        want.extend([64, 1, 5]);
    }
    let test = Test::new("group", vec![storage(vec![0; 640])]);
    assert_eq!(test.result(0), want);
}

#[test]
fn atomics() {
    let start = vec![0, 0, 0, 0, !0, 0, 0, 0, 5, 0];
    let test = Test::new("atomics", vec![storage(start), storage(vec![0; 51])]);
    for lanes in [4, 8, 16, 32, 64] {
        let memory = test.run(lanes);
        let sum: u32 = (0..50).sum();
        let xor = (0..50).fold(0, |x, y| x ^ y);
        assert_eq!(memory[0][..9], [sum, !0, 147, xor, !0xff, 17, 17, 16, -49i32 as u32]);
        assert!((1..=50).contains(&memory[0][9]));
        let mut want = vec![1; 50];
        want.push(1);
        assert_eq!(memory[1], want);
    }
}

#[test]
fn conversions() {
    let specials = [0u32, 1, 0x7fc0_0000, 0xff80_0000, 0x3f80_0000, 0x8000_0000, 0xffff_ffff, 77];
    let data: Vec<u32> =
        specials.into_iter().chain((8..32u32).map(|x| x.wrapping_mul(2_654_435_761) ^ 0x1234)).collect();
    let mut want = Vec::new();
    for (i, &x) in data.iter().enumerate() {
        let f = f32::from_bits(x);
        let half = (i as f32 * 0.3).to_bits();
        // Rounded to 11 significant bits, halves to even.
        let half = f32::from_bits((half + 0xfff + (half >> 13 & 1)) & !0x1fff);
        let long = u64::from(x) * u64::from(x);
        let product = u64::from(x) * 12345;
        let mask = 0x7f << 5;
        let msb = if x == 0 { u32::MAX } else { 31 - x.leading_zeros() };
        let lsb = if x == 0 { u32::MAX } else { x.trailing_zeros() };
        want.extend([
            x as i8 as u32,
            ((x >> 3) & 0xffff) + (half * 1024.0) as u32,
            (long >> 32) as u32 ^ long as u32,
            u32::from(x.checked_add(x).is_none()) + 2 * u32::from(x < 77),
            (product >> 32) as u32,
            product as u32,
            x & !mask | (i as u32) << 5 & mask,
            ((x as i32) << 19 >> 23) as u32,
            x.count_ones().wrapping_add(lsb.wrapping_mul(100)).wrapping_add(msb.wrapping_mul(10000)),
            u32::from(f < 1.0)
                + 2 * u32::from(f.is_nan())
                + 4 * u32::from(f.is_infinite())
                + 8 * u32::from(f < 1.0 || f.is_nan()),
        ]);
    }
    let bytes = 32 + 64 + 64 + 256 + 256;
    let test = Test::new(
        "conversions",
        vec![storage(data.clone()), storage(vec![0; 320]), storage(vec![0; bytes / 4])],
    );
    assert_eq!(test.result(1), want);
    let doubles = &test.run(16)[2][(32 + 64 + 64) / 4..][..64];
    for (pair, &x) in doubles.chunks_exact(2).zip(&data) {
        let value = f64::from_bits(u64::from(pair[0]) | u64::from(pair[1]) << 32);
        assert_eq!(value, f64::from(x as i32) * 1.5);
    }
}

#[test]
fn address() {
    // Four nodes of six words in memory that the test owns; each names the next.
    let mut nodes = vec![0u32; 24];
    let start = nodes.as_mut_ptr() as u64;
    for node in 0..4u32 {
        let next = start + u64::from((node + 1) % 4) * 24;
        let words = &mut nodes[6 * node as usize..][..6];
        words.copy_from_slice(&[100 * node, 0, next as u32, (next >> 32) as u32, 7, 8]);
    }
    let data = storage([start as u32, (start >> 32) as u32, 0, 0, 0]);
    let test = Test::new("address", vec![data, storage(vec![0; 16])]);
    let memory = test.run(16);
    let want: Vec<u32> = (0..16).map(|i| 100 * (i % 4) + 7 + (i & 1)).collect();
    assert_eq!(memory[1], want);
    assert_eq!(nodes[6 * 3 + 5], 99);
}

#[test]
fn derivative() {
    let value = |x: u32, y: u32, z: u32| (x * x + 10 * y * y + 100 * z) as f32;
    let mut want = Vec::new();
    for i in 0..64 {
        let (x, y, z) = (i % 8, i / 8 % 4, i / 32);
        want.push(value(x, y, z));
        want.push(value(x | 1, y, z) - value(x & !1, y, z));
        want.push(value(x, y | 1, z) - value(x, y & !1, z));
    }
    let test = Test::new("derivative", vec![storage(vec![0; 192])]);
    let got: Vec<f32> = test.result(0).into_iter().map(f32::from_bits).collect();
    assert_eq!(got, want);
}

/// What `functions` computes with its specialization constants.
fn functions_want(rounds: u32, scale: f32) -> Vec<u32> {
    let mut want = Vec::new();
    for i in 0..32u32 {
        let (mut x, mut twice, mut calls, mut seen) = (i, 0, 0, [false; 10]);
        let mut flags = [i % 2 == 0, false, true];
        let (mut alive, mut at, mut heat) = (false, [i, 7], [1.0f32, 2.0, 3.0]);
        for k in 0..rounds {
            calls += 1;
            let by = (i + k) % 4;
            if by != 0 {
                x += by;
                x = if x > 40 { 40 } else { x * 2 };
            }
            twice += u32::from(std::mem::replace(&mut seen[(x + k) as usize % 10], true));
            flags[(i + k) as usize % 3] = !flags[k as usize % 3];
            alive = !alive && (i + k) % 3 != 0;
            at = [at[1] + i + k, at[0] + 1];
            heat[(i + k) as usize % 3] = scale * (i + k) as f32;
        }
        let bits = |flag: bool, weight: u32| u32::from(flag) * weight;
        want.extend([x, twice, calls]);
        want.push(bits(flags[0], 1) + bits(flags[1], 2) + bits(flags[2], 4));
        want.push(bits(alive, 1) + 10 * at[0] + 1000 * at[1]);
        want.push((heat[0] + 10.0 * heat[1] + 100.0 * heat[2]) as u32);
    }
    want
}

#[test]
fn functions_and_specialization() {
    let mut test = Test::new("functions", vec![storage(vec![0; 192])]);
    assert_eq!(test.result(0), functions_want(3, 2.0));
    test.specialization.set(5, 6);
    test.specialization.set(6, 0.5f32.to_bits().into());
    assert_eq!(test.result(0), functions_want(6, 0.5));
}

#[test]
fn variable_pointers() {
    let a: Vec<u32> = (0..20).map(|x| x * 10).collect();
    let b: Vec<u32> = (0..32).map(|x| 1000 + x).collect();
    let read = |list: &[u32], index: u32| list.get(index as usize).copied().unwrap_or(0);
    let test = Test::new("variable_pointers", vec![storage(a.clone()), storage(b.clone())]);
    // In `b`, elements from 16 on are written at the end; those read before lie below or are not read.
    let value = |i: u32| {
        let at = if i < 5 { i } else { 3 } + 2 * i + (i & 1);
        if i < 5 { read(&a, at) } else { read(&b, at) }
    };
    let mut want = b.clone();
    for i in 0..16 {
        let near = value(if i < 5 { i } else { i ^ 1 });
        let kept = if i < 5 { a[i as usize] } else { b[3] };
        want[16 + i as usize] = near + kept;
    }
    assert_eq!(test.result(1), want);
}

#[test]
fn descriptors() {
    let params: Vec<u32> = (0..8).map(|x| 7 * x + 1).collect();
    let dynamic: Vec<u32> = (0..12).map(|x| 100 + x).collect();
    let many: Vec<u32> = (0..15).map(|x| 1000 + x).collect();
    let buffers = vec![
        Buffer { binding: Binding::Inline, ..uniform(params.clone()) },
        Buffer { binding: Binding::Dynamic, count: 2, ..storage(dynamic.clone()) },
        storage(vec![0; 64]),
        Buffer { binding: Binding::Variable, count: 5, ..storage(many.clone()) },
    ];
    let test = Test::new("descriptors", buffers);
    let mut want = Vec::new();
    for i in 0..16usize {
        want.push(params[i % 8] + params[3]);
        // Two buffers of six words; others than the two are null.
        want.push(if i % 3 < 2 && i / 3 < 6 { dynamic[i % 3 * 6 + i / 3] } else { 0 } + dynamic[6]);
        want.push(if i % 7 < 5 && i / 7 < 3 { many[i % 7 * 3 + i / 7] } else { 0 });
        want.push(many[4 * 3 + 1] + if i < 5 { 3 } else { 0 });
    }
    assert_eq!(test.result(2), want);
}

#[test]
fn memory() {
    // std140: an Item is two columns of a vec3 in four words each, v, and a list of three in four words each:
    // 4 + 4 + 4 (v and padding) + 12 words. std430, row-major: m is three rows of a vec2, in six words; v
    // follows, then the list: 6 + 2 + 3 words, rounded up to 12.
    let input: Vec<u32> = (0..48).map(|x| (x as f32 * 0.5).to_bits()).collect();
    let buffers = vec![
        uniform(input.clone()),
        storage(vec![0; 12 * 24]),
        storage(vec![0; 6 + 48]),
        storage(vec![0; 120]),
    ];
    let test = Test::new("memory", buffers);
    for lanes in [4, 8, 16, 32, 64] {
        let memory = test.run(lanes);
        for i in 0..24usize {
            let item = &input[24 * (i & 1)..][..24];
            let mut want = [0u32; 12];
            for column in 0..2 {
                for row in 0..3 {
                    let mut value = f32::from_bits(item[4 * column + row]);
                    if column == 1 && row == i % 3 {
                        value += 0.5;
                    }
                    if column == 0 && row == 1 {
                        value = i as f32;
                    }
                    want[2 * row + column] = value.to_bits();
                }
            }
            want[6..8].copy_from_slice(&item[8..10]);
            for index in 0..3 {
                want[8 + index] = if index == i % 3 { i as u32 } else { item[12 + 4 * index] };
            }
            assert_eq!(memory[1][12 * i..][..11], want[..11], "item {i}");

            let j = (i + 5) % 24;
            let words = &memory[3][5 * i..][..5];
            let flag = |i: usize| u32::from(i % 3 == 1);
            let bytes = |i: usize| [i as u8, (i as u8).wrapping_add(250), i as u8 * 2, 255 - i as u8];
            let mixed = bytes(j)[2].wrapping_add(bytes(i)[3]);
            assert_eq!(words[0], [10, 99, 99, 13].get(i).copied().unwrap_or(99));
            assert_eq!(words[1], flag(j) + 2 * flag(i));
            assert_eq!(words[2], j as u32 + 4);
            let want =
                u32::from(bytes(j)[1]) + 1000 * u32::from(bytes(j)[i & 3]) + 1_000_000 * u32::from(mixed);
            assert_eq!(words[3], want, "bytes of {i}");
            let negative = (i as i16).wrapping_mul(3000) < 0;
            assert_eq!(words[4], (2.0 * i as f32 + 1.5) as u32 + u32::from(negative));
            let size = u64::from(memory[2][6 + 2 * i]) | u64::from(memory[2][7 + 2 * i]) << 32;
            assert_eq!(size as i64, i as i64 * -3_000_000_000);
        }
        let wide = |at: usize| u64::from(memory[2][at]) | u64::from(memory[2][at + 1]) << 32;
        assert_eq!((wide(0), wide(2)), (276 << 30, 161 << 20));
        assert_eq!(f32::from_bits(memory[2][4]), 69.0);
    }
}

#[test]
fn half_vector() {
    let test = Test::new("half_vector", vec![storage([0])]);
    // 20 and 40 as binary16.
    assert_eq!(test.result(0), [0x5100_4d00]);
}

#[test]
fn invocation() {
    let sizes = [
        [1, 1, 1],
        [3, 1, 1],
        [64, 1, 1],
        [8, 8, 1],
        [16, 4, 2],
        [32, 3, 2],
        [4, 6, 3],
        [2, 2, 9],
        [2, 1, 20],
        [5, 7, 3],
        [1, 48, 2],
        [1, 1, 40],
        [24, 2, 1],
        [128, 2, 4],
        [31, 33, 2],
    ];
    for size in sizes {
        let [x, y, z] = size;
        let count = x * y * z;
        let mut test =
            Test::new("invocation", vec![storage(vec![0; 4 * 6 * count as usize])]).groups(3, 2, 1);
        for (id, size) in size.into_iter().enumerate() {
            test.specialization.set(id as u32, size.into());
        }
        let one = (0..count).flat_map(|i| [i % x, i / x % y, i / x / y, 1]);
        let want: Vec<u32> = (0..6).flat_map(|_| one.clone()).collect();
        assert_eq!(test.result(0), want, "{size:?}");
    }
}

#[test]
fn derivative_linear() {
    let square = |i: u32| (i * i) as f32;
    let want: Vec<f32> =
        (0..40).flat_map(|i| [square(i | 1) - square(i & !1), square(i | 2) - square(i & !2)]).collect();
    let test = Test::new("derivative_linear", vec![storage(vec![0; 80])]);
    let got: Vec<f32> = test.result(0).into_iter().map(f32::from_bits).collect();
    assert_eq!(got, want);
}

/// Blocks in workgroup memory share its start, each with its own layout and bounds.
#[test]
fn shared_blocks() {
    let word = |index: u32| 0x0101_0101 * index;
    let want: Vec<u32> = (0..16)
        .flat_map(|i| {
            let next = if i < 15 { word(3 * (i + 1)) } else { 0 };
            [word(3 * (15 - i) + 1), i + 1, next]
        })
        .collect();
    let test = Test::new("shared_blocks", vec![storage(vec![0; 48])]);
    assert_eq!(test.result(0), want);
}

#[test]
fn table() {
    let points = [
        [0.5, 1.0],
        [1.0, -2.0],
        [3.0, 4.0],
        [5.0, 6.0],
        [7.0, 8.0],
        [9.0, 0.25],
        [1.0, 1.0],
        [2.0, 2.0],
        [3.0, 3.0],
    ];
    let want: Vec<u32> = (0..32u32)
        .map(|i| {
            let sum: u32 = (0..=i % 5).map(|k| ((i * 7 + k) % 20).pow(2)).sum();
            let [x, y] = points[i as usize % 9];
            sum + (4.0 * (x + y) + 100.0f32) as u32
        })
        .collect();
    let test = Test::new("table", vec![storage(vec![0; 32])]);
    assert_eq!(test.result(0), want);
}

#[test]
fn derivative_kinds() {
    let f = |x: usize, y: usize| {
        let (x, y) = (x as f32, y as f32);
        x * x + 10.0 * y * y + 3.0 * x * y
    };
    let mut want = Vec::new();
    for (y, x) in (0..4).flat_map(|y| (0..8).map(move |x| (y, x))) {
        // The square's first invocation.
        let (left, top) = (x & !1, y & !1);
        let dx = |y| f(left + 1, y) - f(left, y);
        let dy = |x| f(x, top + 1) - f(x, top);
        let width = |dx: f32, dy: f32| dx.abs() + dy.abs();
        want.extend([dx(y), dy(x), dx(top), dy(left), width(dx(y), dy(x)), width(dx(y), dy(x))]);
        want.extend([width(dx(top), dy(left)), dx(y) + dy(x)]);
    }
    let test = Test::new("derivative_kinds", vec![storage(vec![0; 256])]);
    let got: Vec<f32> = test.result(0).into_iter().map(f32::from_bits).collect();
    assert_eq!(got, want);
}

#[test]
fn clocks_of_both_scopes_go_forward() {
    let test = Test::new("clock", vec![storage(vec![0; 16])]);
    assert_eq!(test.result(0), [7; 16]);
}
