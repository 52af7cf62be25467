; Control flow of the subgroup.

; The sum of 1 to 10 in a loop, with the two parameters of the header swapped each time round.
;! run
;! buffer0 = i32 55 2 1
shader "loop" mask lanes=4 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i32 = const 1
    v5: i32 = const 2
    v6: i32 = const 10
    jump block1(v4, v1, v5, v4)
block1(v7: i32, v8: i32, v9: i32, v10: i32):
    v11: i32 = iadd v8, v7
    v12: i32 = iadd v7, v4
    v13: i1 = ule v12, v6
    branch v13, block1(v12, v11, v10, v9), block2(v11)
block2(v14: i32):
    store.global v3, v1, v14, v2
    store.global v3, v1, v10, v2 +4
    store.global v3, v1, v9, v2 +8
    return 0
}

; Three lanes' values go round in a ring; masks and uniform values with them.
;! run
;! buffer0 = i32 100 101 102 103 | i32 200 201 202 203 | i32 0 1 2 3
;! buffer1 = i64 10 5
shader "ring" mask lanes=4 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: i64 = load.context v0, v1, v2 +296
    v5: i64 = load.context v0, v1, v2 +304
    v6: <i32> = lane_id
    v7: i32 = const 100
    v8: <i32> = splat v7
    v9: <i32> = iadd v6, v8
    v10: <i32> = iadd v9, v8
    v11: i64 = const 5
    v12: <i1> = mask_from_bits v11
    v13: <i1> = not v12
    jump block1(v1, v6, v9, v10, v12, v13)
block1(v14: i32, v15: <i32>, v16: <i32>, v17: <i32>, v18: <i1>, v19: <i1>):
    v20: i32 = const 1
    v21: i32 = iadd v14, v20
    v22: i32 = const 2
    v23: i1 = ult v21, v22
    branch v23, block1(v21, v16, v17, v15, v19, v18), block2
block2:
    v24: <i32> = iadd v6, v6
    v25: <i32> = iadd v24, v24
    store.global v4, v25, v15, v3
    store.global v4, v25, v16, v3 +16
    store.global v4, v25, v17, v3 +32
    v26: i64 = ballot v18
    v27: i64 = ballot v19
    store.global v5, v1, v26, v2
    store.global v5, v1, v27, v2 +8
    return 0
}

; Cases, the default, and cases that share a target.
;! run
;! buffer0: i16 0 7 -1 8
;! buffer1 = i32 100 207 207 300
shader "switch" mask lanes=4 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: i32 = const 100
    v6: i32 = const 207
    v7: i32 = const 300
    jump block1(v1)
block1(v8: i32):
    v9: i32 = iadd v8, v8
    v10: i16 = load.global v3, v9, v2
    switch v10, 0: block2(v5), 7: block3, 65535: block3, default block2(v7)
block2(v11: i32):
    v12: i32 = iadd v9, v9
    store.global v4, v12, v11, v2
    v13: i32 = const 1
    v14: i32 = iadd v8, v13
    v15: i32 = const 4
    v16: i1 = ult v14, v15
    branch v16, block1(v14), block4
block3:
    jump block2(v6)
block4:
    return 0
}

; Both ways of a branch to one block, with other arguments.
;! run
;! buffer0: i8 1 0
;! buffer1 = f32 1.5 2.5
shader "one target" mask lanes=4 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: f32 = const 0x3fc00000
    v6: f32 = const 0x40200000
    v7: i8 = load.global v3, v1, v2
    v8: i8 = load.global v3, v1, v2 +1
    v9: i8 = const 0
    v10: i1 = ine v7, v9
    branch v10, block1(v5), block1(v6)
block1(v11: f32):
    store.global v4, v1, v11, v2
    v12: i1 = ine v8, v9
    branch v12, block2(v5), block2(v6)
block2(v13: f32):
    store.global v4, v1, v13, v2 +4
    return 0
}

; A resumable function: two exits at a barrier, and what lives across them in the frame.
;! run
;! exits: barrier barrier done
;! buffer0 = i32 7 8 9
shader "resume" mask lanes=4 scratch=0 frame=4 {
block0:
    v0: i64 = arg 0
    v1: i64 = arg 1
    v2: i32 = const 0
    v3: i1 = const 1
    v4: i64 = load.context v0, v2, v3 +296
    v5: i64 = load.context v1, v2, v3 +48
    v6: i32 = load.frame v1, v2, v3 +24
    switch v6, 1: block2, 2: block3, default block1
block1:
    v7: i32 = const 7
    store.global v4, v2, v7, v3
    store.frame v5, v2, v7, v3
    v8: i32 = const 1
    store.frame v1, v2, v8, v3 +24
    return 1
block2:
    v9: i32 = load.frame v5, v2, v3
    v10: i32 = const 1
    v11: i32 = iadd v9, v10
    store.global v4, v2, v11, v3 +4
    store.frame v5, v2, v11, v3
    v12: i32 = const 2
    store.frame v1, v2, v12, v3 +24
    return 1
block3:
    v13: i32 = load.frame v5, v2, v3
    v14: i32 = const 1
    v15: i32 = iadd v13, v14
    store.global v4, v2, v15, v3 +8
    return 0
}

; The shader sees the abort word of its dispatch. It is zero here, and the loop ends by itself.
;! run
;! exits: aborted
shader "gives up" mask lanes=4 scratch=0 frame=0 {
block0:
    v0: i32 = const 0
    v1: i32 = const 3
    jump block1(v0)
block1(v2: i32):
    v3: i32 = const 1
    v4: i32 = iadd v2, v3
    v5: i1 = ult v4, v1
    branch v5, block1(v4), block2
block2:
    return 2
}
