; Loads and stores.

; Lanes whose predicate is false read zero and write nothing, wherever their address points.
;! run
;! buffer0: i32 10 20 30 40
;! buffer1: i32 -1 -1 -1 -1
;! buffer2: i32 -1 -1 -1 -1
;! buffer1 = i32 0 20 0 40
;! buffer2 = i32 -1 20 -1 40
shader "predicates" mask lanes=4 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: i64 = load.context v0, v1, v2 +296
    v5: i64 = load.context v0, v1, v2 +304
    v6: i64 = load.context v0, v1, v2 +312
    v7: i64 = const 10
    v8: <i1> = mask_from_bits v7
    v9: <i32> = lane_id
    v10: <i32> = iadd v9, v9
    v11: <i32> = iadd v10, v10
    ; Lanes 0 and 2 get a base of zero.
    v12: i64 = const 0
    v13: <i64> = splat v12
    v14: <i64> = splat v4
    v15: <i64> = select v8, v14, v13
    v16: <i32> = load.global v15, v11, v8
    store.global v5, v11, v16, v3
    v17: <i64> = splat v6
    v18: <i64> = select v8, v17, v13
    store.global v18, v11, v16, v8
    ; A uniform access that does not take place.
    v19: i1 = const 0
    v20: i32 = load.global v12, v1, v19
    store.global v12, v1, v20, v19
    return 0
}

; Every lane at one address: the last active lane's store stays.
;! run
;! buffer0 = i32 2
;! buffer1 = i32 2 2 2 2
shader "same address" mask lanes=4 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: i64 = load.context v0, v1, v2 +296
    v5: i64 = load.context v0, v1, v2 +304
    v6: i64 = const 7
    v7: <i1> = mask_from_bits v6
    v8: <i32> = lane_id
    store.global v4, v1, v8, v7
    v9: <i32> = load.global v4, v1, v3 volatile
    v10: <i32> = iadd v8, v8
    v11: <i32> = iadd v10, v10
    store.global v5, v11, v9, v3 volatile
    return 0
}

; Offsets of 32 bits are unsigned, those of 64 bits may step back; so may displacements. Nothing is aligned.
;! run
;! buffer0: i8 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
;! buffer1 = i16 0x0302 0x0504 0x0706 0x0908
;! buffer2 = i64 0x0908070605040302 0x0a09080706050403 0x0b0a090807060504 0x0c0b0a0908070605
;! buffer3 = i8 0 | i32 0x07060504 | i8 0
shader "offsets" mask lanes=4 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: i64 = load.context v0, v1, v2 +296
    v5: i64 = load.context v0, v1, v2 +304
    v6: i64 = load.context v0, v1, v2 +312
    v7: i64 = load.context v0, v1, v2 +320
    v8: i64 = const 1000
    v9: i64 = iadd v4, v8
    v10: <i32> = lane_id
    v11: <i32> = iadd v10, v10
    v12: <i16> = load.global v9, v11, v3 -999
    store.global v5, v11, v12, v3
    v13: <i64> = zext v10
    v14: i64 = const -3
    v15: <i64> = splat v14
    v16: <i64> = iadd v13, v15
    v17: <i64> = load.global v4, v16, v3 +4
    v18: i32 = const 3
    v19: <i32> = splat v18
    v20: <i32> = shl v10, v19
    store.global v6, v20, v17, v3
    ; 2^31 and more as an offset of 32 bits is not negative.
    v21: i64 = const 0x80000000
    v22: i64 = isub v4, v21
    v23: i32 = const 0x80000003
    v24: i32 = load.global v22, v23, v2
    store.global v7, v1, v24, v2 +1
    return 0
}

; The subgroup's own memory, through the addresses in its context; every type.
;! run
;! shared: i8 1 2 3 4 | zero 4 | f64 1.5 -2.5 0.25 8
;! scratch: i16 -1 -2 -3 -4
;! frame: f16 1 2 3 4
;! shared = i8 1 2 3 4 | zero 4 | f64 1.5 -2.5 0.25 8 | f16 1 2 3 4
;! scratch = i16 -1 -2 -3 -4 | i8 1 2 3 4
;! frame = f16 1 2 3 4 | i16 -1 -2 -3 -4 | f64 1.5 -2.5 0.25 8
shader "spaces" mask lanes=4 scratch=12 frame=48 {
block0:
    v0: i64 = arg 1
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: i64 = load.context v0, v1, v2 +32 speculatable
    v5: i64 = load.context v0, v1, v2 +40
    v6: i64 = load.context v0, v1, v2 +48
    v7: <i32> = lane_id
    v8: <i32> = iadd v7, v7
    v9: <i32> = iadd v8, v8
    v10: <i32> = iadd v9, v9
    v11: <i8> = load.shared v4, v7, v3
    v12: <f64> = load.shared v4, v10, v3 +8
    v13: <i16> = load.scratch v5, v8, v3
    v14: <f16> = load.frame v6, v8, v3
    store.shared v4, v8, v14, v3 +40
    store.scratch v5, v7, v11, v3 +8
    store.frame v6, v8, v13, v3 +8
    store.frame v6, v10, v12, v3 +16
    fence 0
    return 0
}

; Time does not go back.
;! run
;! buffer0 = i8 1
shader "clock" mask lanes=4 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = clock
    v5: i64 = clock
    v6: i1 = ule v4, v5
    v7: i8 = zext v6
    store.global v3, v1, v7, v2
    return 0
}

; Lanes lie gigabytes apart and together again, as offsets have 32 bits.
;! run
;! buffer0: i32 -2147483648
;! buffer1 = i32 3
shader "wrapped strides" mask lanes=4 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: i32 = load.global v3, v1, v2
    v6: <i32> = splat v5
    v7: <i32> = lane_id
    v8: i32 = const 2147483648
    v9: <i32> = splat v8
    v10: <i32> = imul v7, v9
    v11: <i32> = iadd v10, v6
    v12: i64 = const 10
    v13: <i1> = mask_from_bits v12
    store.global v4, v11, v7, v13
    return 0
}

; Lanes one before the other.
;! run
;! buffer0: i32 20
;! buffer1: i32 1 2 3 4 5 6
;! buffer1 = i32 1 2 3 2 1 0
;! buffer2 = i32 6 5 4 3
shader "backwards" mask lanes=4 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: i64 = load.context v0, v1, v2 +312
    v6: i32 = load.global v3, v1, v2
    v7: <i32> = splat v6
    v8: <i32> = lane_id
    v9: i32 = const 4
    v10: <i32> = splat v9
    v11: <i32> = imul v8, v10
    v12: <i32> = isub v7, v11
    v13: <i1> = splat v2
    v14: <i32> = load.global v4, v12, v13
    store.global v4, v12, v8, v13
    store.global v5, v11, v14, v13
    return 0
}
