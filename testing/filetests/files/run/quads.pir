; Accesses and shuffles of quads: each four lanes have a place of their own; lanes come in pairs.
;! run
;! buffer0: i32 -289 -252 -215 -178 -141 -104 -67 -30 7 44 81 118 155 192 229 266 303 340 377 414 451 488 525 562 599 636 673 -290 -253 -216 -179 -142 -105 -68 -31 6 43 80 117 154 191 228 265 302 339 376 413 450 487 524 561 598 635 672 -291 -254 -217 -180 -143 -106 -69 -32 5 42
;! buffer1: i32 160 0 64 208
;! buffer5 = i32 339 376 413 450 -141 -104 -67 -30 451 488 525 562 -217 -180 -143 -106 413 413 413 413 -67 -67 -67 -67 525 525 525 525 -143 -143 -143 -143 450 413 376 339 -30 -67 -104 -141 562 525 488 451 -106 -143 -180 -217
shader "a line for each quad" mask lanes=16 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v13: i64 = load.context v0, v1, v2 +336
    v20: i32 = load.global v9, v1, v2
    v21: i32 = load.global v9, v1, v2 +4
    v22: i32 = load.global v9, v1, v2 +8
    v23: i32 = load.global v9, v1, v2 +12
    v24: <i32> = splat v20
    v25: <i32> = splat v21
    v26: <i32> = splat v22
    v27: <i32> = splat v23
    v30: i32 = const 4
    v31: <i32> = splat v30
    v32: i32 = const 8
    v33: <i32> = splat v32
    v34: i32 = const 12
    v35: <i32> = splat v34
    v36: <i1> = ule v31, v4
    v37: <i1> = ule v33, v4
    v38: <i1> = ule v35, v4
    v40: <i32> = select v36, v25, v24
    v41: <i32> = select v37, v26, v40
    v42: <i32> = select v38, v27, v41
    v43: i32 = const 3
    v44: <i32> = splat v43
    v45: <i32> = and v4, v44
    v46: i32 = const 2
    v47: <i32> = splat v46
    v48: <i32> = shl v45, v47
    v49: <i32> = iadd v42, v48
    v50: <i32> = load.global v8, v49, v3 +16
    v51: <i32> = shl v4, v47
    store.global v13, v51, v50, v3
    v52: i32 = const -4
    v53: <i32> = splat v52
    v54: <i32> = and v4, v53
    v55: <i32> = or v54, v47
    v56: <i32> = shuffle v50, v55
    store.global v13, v51, v56, v3 +64
    v57: <i32> = xor v4, v44
    v58: <i32> = shuffle v50, v57
    store.global v13, v51, v58, v3 +128
    return 0
}

;! run
;! buffer0: i32 5 96 187 278 369 460 551 642 33 124 215 306 397 488 579 670 61 152 243 334 425 516 607 698 89 180 271 362 453 544 635 26
;! buffer1: i32 8 12 72 76 0 4 64 68 24 28 104 108 48 52 120 124
;! buffer2: i32 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
;! buffer4: i32 -1 -2 -3 -4 -5 -6 -7 -8 -9 -10 -11 -12 -13 -14 -15 -16 -17 -18 -19 -20 -21 -22 -23 -24 -25 -26 -27 -28 -29 -30 -31 -32
;! buffer4 = i32 14 197 374 557 -5 -6 1110 1293 -9 -10 -11 -12 806 989 -15 -16 128 311 488 671 -21 -22 -23 -24 -25 -26 552 735 -29 -30 1284 67
;! buffer5 = i32 187 278 243 334 5 96 61 152 551 642 271 362 397 488 635 26
shader "pairs" mask lanes=16 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 2
    v6: <i32> = splat v5
    v7: <i32> = shl v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i32> = load.global v9, v7, v3
    v15: <i32> = load.global v10, v7, v3
    v16: i32 = const 0
    v17: <i32> = splat v16
    v18: <i1> = ine v15, v17
    v19: <i32> = load.global v8, v14, v18 pairs
    store.global v13, v7, v19, v3
    v20: <i32> = iadd v19, v19
    v21: <i32> = iadd v20, v4
    store.global v12, v14, v21, v18 pairs
    return 0
}

;! run
;! buffer0: i32 5 96 187 278 369 460 551 642 33 124 215 306 397 488 579 670 61 152 243 334 425 516 607 698 89 180 271 362 453 544 635 26
;! buffer1: i32 8 12 72 76 -5 -6 -7 -8 24 28 104 108 48 52 120 124
;! buffer2: i32 1 0 0 1 0 0 0 0 0 1 1 0 1 1 0 1
;! buffer4: i32 -1 -2 -3 -4 -5 -6 -7 -8 -9 -10 -11 -12 -13 -14 -15 -16 -17 -18 -19 -20 -21 -22 -23 -24 -25 -26 -27 -28 -29 -30 -31 -32
;! buffer4 = i32 -1 -2 374 -4 -5 -6 -7 1293 -9 -10 -11 -12 806 989 -15 -16 -17 -18 -19 671 -21 -22 -23 -24 -25 -26 552 -28 -29 -30 -31 67
;! buffer5 = i32 187 0 0 334 0 0 0 0 0 642 271 0 397 488 0 26
shader "pairs" mask lanes=16 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 2
    v6: <i32> = splat v5
    v7: <i32> = shl v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i32> = load.global v9, v7, v3
    v15: <i32> = load.global v10, v7, v3
    v16: i32 = const 0
    v17: <i32> = splat v16
    v18: <i1> = ine v15, v17
    v19: <i32> = load.global v8, v14, v18 pairs
    store.global v13, v7, v19, v3
    v20: <i32> = iadd v19, v19
    v21: <i32> = iadd v20, v4
    store.global v12, v14, v21, v18 pairs
    return 0
}

;! run
;! buffer0: i32 5 96 187 278 369 460 551 642 33 124 215 306 397 488 579 670 61 152 243 334 425 516 607 698 89 180 271 362 453 544 635 26
;! buffer1: i32 8 12 72 76 0 4 64 68 -9 -10 -11 -12 -13 -14 -15 -16
;! buffer2: i32 0 0 1 1 1 0 1 0 0 0 0 0 0 0 0 0
;! buffer4: i32 -1 -2 -3 -4 -5 -6 -7 -8 -9 -10 -11 -12 -13 -14 -15 -16 -17 -18 -19 -20 -21 -22 -23 -24 -25 -26 -27 -28 -29 -30 -31 -32
;! buffer4 = i32 14 -2 -3 -4 -5 -6 -7 -8 -9 -10 -11 -12 -13 -14 -15 -16 128 -18 488 671 -21 -22 -23 -24 -25 -26 -27 -28 -29 -30 -31 -32
;! buffer5 = i32 0 0 243 334 5 0 61 0 0 0 0 0 0 0 0 0
shader "pairs" mask lanes=16 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 2
    v6: <i32> = splat v5
    v7: <i32> = shl v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i32> = load.global v9, v7, v3
    v15: <i32> = load.global v10, v7, v3
    v16: i32 = const 0
    v17: <i32> = splat v16
    v18: <i1> = ine v15, v17
    v19: <i32> = load.global v8, v14, v18 pairs
    store.global v13, v7, v19, v3
    v20: <i32> = iadd v19, v19
    v21: <i32> = iadd v20, v4
    store.global v12, v14, v21, v18 pairs
    return 0
}
