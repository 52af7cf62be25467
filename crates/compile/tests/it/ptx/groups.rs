//! What threads of a warp and of a block do together.

use super::support::{Grid, kernel, map, run};

fn values() -> Vec<Vec<u32>> {
    (0..128u32).map(|index| vec![index.wrapping_mul(0x85eb_ca6b) >> 24]).collect()
}

/// Runs a body that makes `%r20`, `%r21`, ... of `%r10`; the expected words are made of the warp's values and
/// the lane.
fn check<const N: usize>(body: &str, expected: impl Fn(&[u32], usize) -> [u32; N]) {
    let inputs = values();
    let mut body = format!("ld.global.u32 %r10, [%rd3];\nmov.u32 %r11, %laneid;\n{body}\n");
    for index in 0..N {
        body += &format!("st.global.u32 [%rd4+{}], %r{};\n", 4 * index, 20 + index);
    }
    let found = map("", &inputs, N, &body);
    let flat: Vec<u32> = inputs.concat();
    for (warp, values) in flat.chunks(32).enumerate() {
        for lane in 0..32 {
            assert_eq!(found[warp * 32 + lane], expected(values, lane), "lane {lane} of {values:?}");
        }
    }
}

#[test]
fn shuffles() {
    check(
        "shfl.sync.down.b32 %r20|%p1, %r10, 3, 31, -1;\nselp.u32 %r21, 1, 0, %p1;\n\
         shfl.sync.up.b32 %r22|%p2, %r10, 5, 0, 0xffffffff;\nselp.u32 %r23, 1, 0, %p2;\n\
         shfl.sync.bfly.b32 %r24, %r10, 16, 31, -1;\n\
         and.b32 %r12, %r10, 31;\nshfl.sync.idx.b32 %r25, %r10, %r12, 31, -1;\n\
         shfl.sync.down.b32 %r26, %r10, 2, 0x181f, -1;",
        |values, lane| {
            let down = if lane + 3 < 32 { lane + 3 } else { lane };
            let up = lane.checked_sub(5).unwrap_or(lane);
            // Segments of eight lanes.
            let segment = if lane % 8 + 2 < 8 { lane + 2 } else { lane };
            [
                values[down],
                u32::from(down != lane),
                values[up],
                u32::from(up != lane),
                values[lane ^ 16],
                values[values[lane] as usize & 31],
                values[segment],
            ]
        },
    );
}

#[test]
fn votes() {
    check(
        "setp.gt.u32 %p1, %r10, 100;\nvote.sync.ballot.b32 %r20, %p1, -1;\nvote.sync.any.pred %p2, %p1, -1;\n\
         vote.sync.all.pred %p3, !%p1, -1;\nvote.sync.uni.pred %p4, %p1, -1;\n\
         selp.u32 %r21, 1, 0, %p2;\nselp.u32 %r22, 1, 0, %p3;\nselp.u32 %r23, 1, 0, %p4;\n\
         mov.u32 %r24, 0;\n@%p1 activemask.b32 %r24;\n\
         mov.u32 %r25, 9;\n@!%p1 vote.sync.ballot.b32 %r25, %p1, -1;",
        |values, lane| {
            let bits = (0..32).fold(0, |bits, lane| bits | u32::from(values[lane] > 100) << lane);
            let holds = values[lane] > 100;
            [
                bits,
                u32::from(bits != 0),
                u32::from(bits == 0),
                u32::from(bits == 0 || bits == u32::MAX),
                if holds { bits } else { 0 },
                if holds { 9 } else { 0 },
            ]
        },
    );
}

#[test]
fn matches_and_reductions() {
    check(
        "and.b32 %r12, %r10, 7;\nmatch.any.sync.b32 %r20, %r12, -1;\nmatch.all.sync.b32 %r21|%p1, %r12, -1;\n\
         redux.sync.add.u32 %r22, %r10, -1;\nredux.sync.max.s32 %r23, %r10, -1;\nredux.sync.xor.b32 %r24, %r10, -1;\n\
         mov.u32 %r25, %lanemask_lt;\nmov.u32 %r26, %lanemask_ge;",
        |values, lane| {
            let own = values[lane] & 7;
            let same = (0..32).fold(0, |bits, lane| bits | u32::from(values[lane] & 7 == own) << lane);
            [
                same,
                if same == u32::MAX { same } else { 0 },
                values.iter().sum(),
                *values.iter().max().unwrap(),
                values.iter().fold(0, |all, value| all ^ value),
                (1 << lane) - 1,
                u32::MAX << lane,
            ]
        },
    );
}

/// The sum of a block's values by a tree in shared memory, and each value reversed within its block.
#[test]
fn barriers_and_shared_memory() {
    const THREADS: usize = 200;
    let outside = ".shared .align 4 .b8 tile[1024];\n.extern .shared .align 16 .b8 more[];";
    let body = "mul.wide.u32 %rd5, %r1, 4;\nadd.s64 %rd6, %rd1, %rd5;\nadd.s64 %rd7, %rd2, %rd5;\n\
        ld.global.u32 %r10, [%rd6];\n\
        mov.u32 %r11, tile;\nshl.b32 %r12, %r3, 2;\nadd.s32 %r13, %r11, %r12;\nst.shared.u32 [%r13], %r10;\n\
        mov.u32 %r14, more;\nadd.s32 %r14, %r14, %r12;\nst.shared.u32 [%r14], %r10;\n\
        bar.sync 0;\n\
        mov.u32 %r15, 128;\n\
        LOOP:\nadd.u32 %r16, %r3, %r15;\nsetp.lt.u32 %p1, %r3, %r15;\nsetp.lt.and.u32 %p1, %r16, %r2, %p1;\n\
        @!%p1 bra SKIP;\n\
        shl.b32 %r17, %r15, 2;\nadd.s32 %r18, %r13, %r17;\nld.shared.u32 %r19, [%r18];\nld.shared.u32 %r20, [%r13];\n\
        add.u32 %r20, %r20, %r19;\nst.shared.u32 [%r13], %r20;\n\
        SKIP:\nbar.sync 0;\nshr.u32 %r15, %r15, 1;\nsetp.ne.u32 %p2, %r15, 0;\n@%p2 bra LOOP;\n\
        ld.shared.u32 %r21, [tile];\n\
        sub.u32 %r22, %r2, %r3;\nsub.u32 %r22, %r22, 1;\nshl.b32 %r22, %r22, 2;\nmov.u32 %r23, more;\n\
        add.s32 %r23, %r23, %r22;\nld.shared.u32 %r24, [%r23];\n\
        mad.lo.u32 %r25, %r21, 1000, %r24;\nst.global.u32 [%rd7], %r25;";
    let grid = Grid { dynamic_shared_bytes: 4 * THREADS as u32, ..Grid::new(3, THREADS as u32) };
    let input: Vec<u32> = (0..3 * THREADS as u32).map(|index| index * 7 % 101).collect();
    let found = run(&kernel(2, outside, body), grid, &[input.clone(), vec![0; input.len()]]);
    for (index, found) in found[1].iter().enumerate() {
        let block = &input[index / THREADS * THREADS..][..THREADS];
        let sum: u32 = block.iter().sum();
        assert_eq!(*found, sum * 1000 + block[THREADS - 1 - index % THREADS], "{index}");
    }
}

#[test]
fn barriers_with_results() {
    let body = "setp.lt.u32 %p1, %r3, 70;\nbar.red.popc.u32 %r10, 0, %p1;\n\
        bar.red.and.pred %p2, 0, %p1;\nbar.red.or.pred %p3, 0, %p1;\n\
        selp.u32 %r11, 1000, 0, %p2;\nselp.u32 %r12, 2000, 0, %p3;\nadd.u32 %r10, %r10, %r11;\nadd.u32 %r10, %r10, %r12;\n\
        mul.wide.u32 %rd5, %r1, 4;\nadd.s64 %rd5, %rd1, %rd5;\nst.global.u32 [%rd5], %r10;";
    for (threads, expected) in [(100, 2070), (64, 3064), (32, 3032), (20, 3020)] {
        let found = run(&kernel(1, "", body), Grid::new(2, threads), &[vec![0; 2 * threads as usize]]);
        assert_eq!(found[0], vec![expected; 2 * threads as usize], "{threads}");
    }
}

#[test]
fn atomics() {
    // Sums over all threads are the same whatever the order.
    let body = "ld.global.u32 %r10, [%rd2];\nand.b32 %r11, %r1, 7;\nmul.wide.u32 %rd5, %r11, 4;\nadd.s64 %rd6, %rd1, %rd5;\n\
        atom.global.add.u32 %r12, [%rd6], %r1;\n\
        red.global.max.u32 [%rd1+32], %r1;\nred.global.or.b32 [%rd1+36], %r1;\n\
        cvt.u64.u32 %rd7, %r1;\nred.global.add.u64 [%rd1+40], %rd7;\n\
        cvt.rn.f32.u32 %f1, %r11;\nred.global.add.f32 [%rd1+48], %f1;\n\
        atom.global.inc.u32 %r13, [%rd1+52], 9;\natom.global.dec.u32 %r14, [%rd1+56], 6;\n\
        setp.eq.u32 %p1, %r11, 3;\n@%p1 red.global.add.u32 [%rd1+60], 1;\n\
        RETRY:\nld.volatile.global.u32 %r15, [%rd1+64];\nadd.u32 %r16, %r15, %r11;\n\
        atom.global.cas.b32 %r17, [%rd1+64], %r15, %r16;\nsetp.ne.u32 %p2, %r17, %r15;\n@%p2 bra RETRY;\n\
        cvt.rn.f64.u32 %fd1, %r11;\nred.global.add.f64 [%rd1+72], %fd1;\n\
        mov.u32 %r18, 0x3c003c00;\nred.global.add.noftz.f16x2 [%rd1+80], %r18;\n\
        red.global.min.s64 [%rd1+88], %rd7;\natom.global.exch.b32 %r19, [%rd1+96], 5;";
    const THREADS: u32 = 4 * 100;
    let mut memory = vec![0; 32];
    memory[22..24].copy_from_slice(&[u32::MAX, i32::MAX as u32]);
    let found = run(&kernel(2, "", body), Grid::new(4, 100), &[memory, vec![0; 1]]);
    let found = &found[0];
    for place in 0..8 {
        assert_eq!(found[place as usize], (0..THREADS).filter(|thread| thread % 8 == place).sum::<u32>());
    }
    let low: u32 = (0..THREADS).map(|thread| thread % 8).sum();
    assert_eq!(found[8], THREADS - 1);
    assert_eq!(found[9], (0..THREADS).fold(0, |all, thread| all | thread));
    assert_eq!(u64::from(found[11]) << 32 | u64::from(found[10]), u64::from(THREADS * (THREADS - 1) / 2));
    assert_eq!(f32::from_bits(found[12]), low as f32);
    assert_eq!(found[13], THREADS % 10);
    let down = (0..THREADS).fold(0u32, |value, _| if value == 0 || value > 6 { 6 } else { value - 1 });
    assert_eq!(found[14], down);
    assert_eq!(found[15], THREADS / 8);
    assert_eq!(found[16], low);
    assert_eq!(f64::from_bits(u64::from(found[19]) << 32 | u64::from(found[18])), f64::from(low));
    assert_eq!(found[20], 0x5e40_5e40, "two halves of 400");
    assert_eq!((found[22], found[23]), (0, 0));
    assert_eq!(found[24], 5);
}
