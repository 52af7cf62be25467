; What lanes see of each other.

; Lane numbers; whole masks to bits and back; bits past the subgroup are cut off.
;! run
;! active: 0x35
;! subgroup: 9
;! buffer0 = i64 0x35 0xca 0x35
;! buffer1 = i32 0 1 2 3 4 5 6 7
;! buffer2 = i32 1 0 1 9
shader "masks and bits" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i64 = arg 1
    v2: i32 = const 0
    v3: i1 = const 1
    v4: <i1> = splat v3
    v5: i64 = load.context v0, v2, v3 +296
    v6: i64 = load.context v0, v2, v3 +304
    v7: i64 = load.context v0, v2, v3 +312
    v8: i64 = load.context v1, v2, v3 +16
    v9: <i1> = mask_from_bits v8
    v10: i64 = ballot v9
    store.global v5, v2, v10, v3
    v11: <i1> = not v9
    v12: i64 = ballot v11
    store.global v5, v2, v12, v3 +8
    v13: i64 = const 0xffffffffffffff35
    v14: <i1> = mask_from_bits v13
    v15: i64 = ballot v14
    store.global v5, v2, v15, v3 +16
    v16: <i32> = lane_id
    v17: i32 = const 2
    v18: <i32> = splat v17
    v19: <i32> = shl v16, v18
    store.global v6, v19, v16, v4
    v20: i1 = any v9
    v21: <i1> = andnot v9, v9
    v22: i1 = any v21
    v23: <i32> = splat v2
    v24: <i1> = ieq v16, v23
    v25: <i1> = and v24, v9
    v26: i1 = any v25
    v27: i32 = zext v20
    v28: i32 = zext v22
    v29: i32 = zext v26
    store.global v7, v2, v27, v3
    store.global v7, v2, v28, v3 +4
    store.global v7, v2, v29, v3 +8
    v30: i32 = load.context v1, v2, v3 +12
    store.global v7, v2, v30, v3 +12
    return 0
}

; Lane numbers count modulo the subgroup size.
;! run
;! buffer0: i32 3 6 -1 4
;! buffer1: i64 10 20 30 40
;! buffer2: i8 11 12 13 14
;! buffer3: f32 1 2 3 4
;! buffer4 = i64 40 30 40 10
;! buffer5 = i8 14 13 14 11
;! buffer6 = f32 4 3 4 1
;! buffer7 = i64 40 30 40 | i8 14 1 0
shader "shuffle" mask lanes=4 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: i64 = load.context v0, v1, v2 +296
    v5: i64 = load.context v0, v1, v2 +304
    v6: i64 = load.context v0, v1, v2 +312
    v7: i64 = load.context v0, v1, v2 +320
    v8: <i32> = lane_id
    v9: i32 = const 2
    v10: <i32> = splat v9
    v11: <i32> = shl v8, v10
    v12: i32 = const 3
    v13: <i32> = splat v12
    v14: <i32> = shl v8, v13
    v15: <i32> = load.global v4, v11, v3
    v16: <i64> = load.global v5, v14, v3
    v17: <i8> = load.global v6, v8, v3
    v18: <f32> = load.global v7, v11, v3
    v19: <i64> = shuffle v16, v15
    v20: <i8> = shuffle v17, v15
    v21: <f32> = shuffle v18, v15
    v22: i64 = load.context v0, v1, v2 +328
    v23: i64 = load.context v0, v1, v2 +336
    v24: i64 = load.context v0, v1, v2 +344
    v25: i64 = load.context v0, v1, v2 +352
    store.global v22, v14, v19, v3
    store.global v23, v8, v20, v3
    store.global v24, v11, v21, v3
    v26: i64 = lane_read v16, v12
    v27: i32 = const 6
    v28: i64 = lane_read v16, v27
    v29: i32 = const -1
    v30: i64 = lane_read v16, v29
    v31: i8 = lane_read v17, v12
    store.global v25, v1, v26, v2
    store.global v25, v1, v28, v2 +8
    store.global v25, v1, v30, v2 +16
    store.global v25, v1, v31, v2 +24
    ; Masks too: lanes 1 and 3 are set.
    v32: <i32> = splat v1
    v33: i32 = const 1
    v34: <i32> = splat v33
    v35: <i32> = and v8, v34
    v36: <i1> = ine v35, v32
    v37: i1 = lane_read v36, v12
    v38: <i1> = shuffle v36, v15
    v39: i1 = lane_read v38, v33
    v40: i8 = zext v37
    v41: i8 = zext v39
    store.global v25, v1, v40, v2 +25
    store.global v25, v1, v41, v2 +26
    return 0
}

; One scalar of every type to all lanes.
;! run
;! buffer0: i8 -1 | i8 0 | i16 300 | i32 70000 | i64 5000000000 | f64 0.5
;! buffer1 = i8 -1 -1 -1 -1 | i16 300 300 300 300 | i32 70000 70000 70000 70000
;! buffer2 = i64 5000000000 5000000000 5000000000 5000000000 | f64 0.5 0.5 0.5 0.5
shader "splat" mask lanes=4 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: i64 = load.context v0, v1, v2 +296
    v5: i64 = load.context v0, v1, v2 +304
    v6: i64 = load.context v0, v1, v2 +312
    v7: i8 = load.global v4, v1, v2
    v8: i16 = load.global v4, v1, v2 +2
    v9: i32 = load.global v4, v1, v2 +4
    v10: i64 = load.global v4, v1, v2 +8
    v11: f64 = load.global v4, v1, v2 +16
    v12: <i8> = splat v7
    v13: <i16> = splat v8
    v14: <i32> = splat v9
    v15: <i64> = splat v10
    v16: <f64> = splat v11
    v17: <i32> = lane_id
    v18: <i32> = iadd v17, v17
    v19: <i32> = iadd v18, v18
    v20: <i32> = iadd v19, v19
    store.global v5, v17, v12, v3
    store.global v5, v18, v13, v3 +4
    store.global v5, v19, v14, v3 +12
    store.global v6, v20, v15, v3
    store.global v6, v20, v16, v3 +32
    return 0
}
