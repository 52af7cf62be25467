; Truth values: as masks when varying. Every combination of two lies in some lane.
;! run
;! buffer0: i8 0 0 1 1 0 1 0 1
;! buffer1: i8 0 1 0 1 1 1 0 0
;! buffer3 = i8 0 0 0 1 0 1 0 0
;! buffer4 = i8 0
shader "and i1" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 1
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i8> = load.global v5, v8, v3
    v10: i8 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +304
    v12: <i8> = load.global v11, v8, v3
    v13: i8 = load.global v11, v1, v2
    v14: i64 = load.context v0, v1, v2 +320
    v15: i8 = const 0
    v16: <i8> = splat v15
    v17: <i1> = ine v9, v16
    v18: <i1> = ine v12, v16
    v19: <i1> = and v17, v18
    v20: <i8> = zext v19
    store.global v14, v8, v20, v3
    v21: i64 = load.context v0, v1, v2 +328
    v22: i8 = const 0
    v23: i1 = ine v10, v22
    v24: i1 = ine v13, v22
    v25: i1 = and v23, v24
    v26: i8 = zext v25
    store.global v21, v1, v26, v2
    return 0
}

;! run
;! buffer0: i8 0 0 1 1 0 1 0 1
;! buffer1: i8 0 1 0 1 1 1 0 0
;! buffer3 = i8 0 1 1 1 1 1 0 1
;! buffer4 = i8 0
shader "or i1" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 1
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i8> = load.global v5, v8, v3
    v10: i8 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +304
    v12: <i8> = load.global v11, v8, v3
    v13: i8 = load.global v11, v1, v2
    v14: i64 = load.context v0, v1, v2 +320
    v15: i8 = const 0
    v16: <i8> = splat v15
    v17: <i1> = ine v9, v16
    v18: <i1> = ine v12, v16
    v19: <i1> = or v17, v18
    v20: <i8> = zext v19
    store.global v14, v8, v20, v3
    v21: i64 = load.context v0, v1, v2 +328
    v22: i8 = const 0
    v23: i1 = ine v10, v22
    v24: i1 = ine v13, v22
    v25: i1 = or v23, v24
    v26: i8 = zext v25
    store.global v21, v1, v26, v2
    return 0
}

;! run
;! buffer0: i8 0 0 1 1 0 1 0 1
;! buffer1: i8 0 1 0 1 1 1 0 0
;! buffer3 = i8 0 1 1 0 1 0 0 1
;! buffer4 = i8 0
shader "xor i1" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 1
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i8> = load.global v5, v8, v3
    v10: i8 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +304
    v12: <i8> = load.global v11, v8, v3
    v13: i8 = load.global v11, v1, v2
    v14: i64 = load.context v0, v1, v2 +320
    v15: i8 = const 0
    v16: <i8> = splat v15
    v17: <i1> = ine v9, v16
    v18: <i1> = ine v12, v16
    v19: <i1> = xor v17, v18
    v20: <i8> = zext v19
    store.global v14, v8, v20, v3
    v21: i64 = load.context v0, v1, v2 +328
    v22: i8 = const 0
    v23: i1 = ine v10, v22
    v24: i1 = ine v13, v22
    v25: i1 = xor v23, v24
    v26: i8 = zext v25
    store.global v21, v1, v26, v2
    return 0
}

;! run
;! buffer0: i8 0 0 1 1 0 1 0 1
;! buffer1: i8 0 1 0 1 1 1 0 0
;! buffer3 = i8 0 0 1 0 0 0 0 1
;! buffer4 = i8 0
shader "andnot i1" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 1
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i8> = load.global v5, v8, v3
    v10: i8 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +304
    v12: <i8> = load.global v11, v8, v3
    v13: i8 = load.global v11, v1, v2
    v14: i64 = load.context v0, v1, v2 +320
    v15: i8 = const 0
    v16: <i8> = splat v15
    v17: <i1> = ine v9, v16
    v18: <i1> = ine v12, v16
    v19: <i1> = andnot v17, v18
    v20: <i8> = zext v19
    store.global v14, v8, v20, v3
    v21: i64 = load.context v0, v1, v2 +328
    v22: i8 = const 0
    v23: i1 = ine v10, v22
    v24: i1 = ine v13, v22
    v25: i1 = andnot v23, v24
    v26: i8 = zext v25
    store.global v21, v1, v26, v2
    return 0
}

;! run
;! buffer0: i8 0 0 1 1 0 1 0 1
;! buffer1: i8 0 1 0 1 1 1 0 0
;! buffer3 = i8 1 0 0 1 0 1 1 0
;! buffer4 = i8 1
shader "ieq i1" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 1
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i8> = load.global v5, v8, v3
    v10: i8 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +304
    v12: <i8> = load.global v11, v8, v3
    v13: i8 = load.global v11, v1, v2
    v14: i64 = load.context v0, v1, v2 +320
    v15: i8 = const 0
    v16: <i8> = splat v15
    v17: <i1> = ine v9, v16
    v18: <i1> = ine v12, v16
    v19: <i1> = ieq v17, v18
    v20: <i8> = zext v19
    store.global v14, v8, v20, v3
    v21: i64 = load.context v0, v1, v2 +328
    v22: i8 = const 0
    v23: i1 = ine v10, v22
    v24: i1 = ine v13, v22
    v25: i1 = ieq v23, v24
    v26: i8 = zext v25
    store.global v21, v1, v26, v2
    return 0
}

;! run
;! buffer0: i8 0 0 1 1 0 1 0 1
;! buffer1: i8 0 1 0 1 1 1 0 0
;! buffer3 = i8 0 1 1 0 1 0 0 1
;! buffer4 = i8 0
shader "ine i1" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 1
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i8> = load.global v5, v8, v3
    v10: i8 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +304
    v12: <i8> = load.global v11, v8, v3
    v13: i8 = load.global v11, v1, v2
    v14: i64 = load.context v0, v1, v2 +320
    v15: i8 = const 0
    v16: <i8> = splat v15
    v17: <i1> = ine v9, v16
    v18: <i1> = ine v12, v16
    v19: <i1> = ine v17, v18
    v20: <i8> = zext v19
    store.global v14, v8, v20, v3
    v21: i64 = load.context v0, v1, v2 +328
    v22: i8 = const 0
    v23: i1 = ine v10, v22
    v24: i1 = ine v13, v22
    v25: i1 = ine v23, v24
    v26: i8 = zext v25
    store.global v21, v1, v26, v2
    return 0
}

;! run
;! buffer0: i8 0 0 1 1 0 1 0 1
;! buffer1: i8 0 1 0 1 1 1 0 0
;! buffer3 = i8 0 1 0 0 1 0 0 0
;! buffer4 = i8 0
shader "ult i1" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 1
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i8> = load.global v5, v8, v3
    v10: i8 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +304
    v12: <i8> = load.global v11, v8, v3
    v13: i8 = load.global v11, v1, v2
    v14: i64 = load.context v0, v1, v2 +320
    v15: i8 = const 0
    v16: <i8> = splat v15
    v17: <i1> = ine v9, v16
    v18: <i1> = ine v12, v16
    v19: <i1> = ult v17, v18
    v20: <i8> = zext v19
    store.global v14, v8, v20, v3
    v21: i64 = load.context v0, v1, v2 +328
    v22: i8 = const 0
    v23: i1 = ine v10, v22
    v24: i1 = ine v13, v22
    v25: i1 = ult v23, v24
    v26: i8 = zext v25
    store.global v21, v1, v26, v2
    return 0
}

;! run
;! buffer0: i8 0 0 1 1 0 1 0 1
;! buffer1: i8 0 1 0 1 1 1 0 0
;! buffer3 = i8 1 1 0 1 1 1 1 0
;! buffer4 = i8 1
shader "ule i1" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 1
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i8> = load.global v5, v8, v3
    v10: i8 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +304
    v12: <i8> = load.global v11, v8, v3
    v13: i8 = load.global v11, v1, v2
    v14: i64 = load.context v0, v1, v2 +320
    v15: i8 = const 0
    v16: <i8> = splat v15
    v17: <i1> = ine v9, v16
    v18: <i1> = ine v12, v16
    v19: <i1> = ule v17, v18
    v20: <i8> = zext v19
    store.global v14, v8, v20, v3
    v21: i64 = load.context v0, v1, v2 +328
    v22: i8 = const 0
    v23: i1 = ine v10, v22
    v24: i1 = ine v13, v22
    v25: i1 = ule v23, v24
    v26: i8 = zext v25
    store.global v21, v1, v26, v2
    return 0
}

;! run
;! buffer0: i8 0 0 1 1 0 1 0 1
;! buffer1: i8 0 1 0 1 1 1 0 0
;! buffer3 = i8 0 0 1 0 0 0 0 1
;! buffer4 = i8 0
shader "slt i1" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 1
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i8> = load.global v5, v8, v3
    v10: i8 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +304
    v12: <i8> = load.global v11, v8, v3
    v13: i8 = load.global v11, v1, v2
    v14: i64 = load.context v0, v1, v2 +320
    v15: i8 = const 0
    v16: <i8> = splat v15
    v17: <i1> = ine v9, v16
    v18: <i1> = ine v12, v16
    v19: <i1> = slt v17, v18
    v20: <i8> = zext v19
    store.global v14, v8, v20, v3
    v21: i64 = load.context v0, v1, v2 +328
    v22: i8 = const 0
    v23: i1 = ine v10, v22
    v24: i1 = ine v13, v22
    v25: i1 = slt v23, v24
    v26: i8 = zext v25
    store.global v21, v1, v26, v2
    return 0
}

;! run
;! buffer0: i8 0 0 1 1 0 1 0 1
;! buffer1: i8 0 1 0 1 1 1 0 0
;! buffer3 = i8 1 0 1 1 0 1 1 1
;! buffer4 = i8 1
shader "sle i1" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 1
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i8> = load.global v5, v8, v3
    v10: i8 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +304
    v12: <i8> = load.global v11, v8, v3
    v13: i8 = load.global v11, v1, v2
    v14: i64 = load.context v0, v1, v2 +320
    v15: i8 = const 0
    v16: <i8> = splat v15
    v17: <i1> = ine v9, v16
    v18: <i1> = ine v12, v16
    v19: <i1> = sle v17, v18
    v20: <i8> = zext v19
    store.global v14, v8, v20, v3
    v21: i64 = load.context v0, v1, v2 +328
    v22: i8 = const 0
    v23: i1 = ine v10, v22
    v24: i1 = ine v13, v22
    v25: i1 = sle v23, v24
    v26: i8 = zext v25
    store.global v21, v1, v26, v2
    return 0
}

;! run
;! buffer0: i8 0 0 1 1 0 1 0 1
;! buffer3 = i8 1 1 0 0 1 0 1 0
;! buffer4 = i8 1
shader "not i1" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 1
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i8> = load.global v5, v8, v3
    v10: i8 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +320
    v12: i8 = const 0
    v13: <i8> = splat v12
    v14: <i1> = ine v9, v13
    v15: <i1> = not v14
    v16: <i8> = zext v15
    store.global v11, v8, v16, v3
    v17: i64 = load.context v0, v1, v2 +328
    v18: i8 = const 0
    v19: i1 = ine v10, v18
    v20: i1 = not v19
    v21: i8 = zext v20
    store.global v17, v1, v21, v2
    return 0
}

;! run
;! buffer0: i8 0 0 1 1 0 1 0 1
;! buffer3 = i8 0 0 1 1 0 1 0 1
;! buffer4 = i8 0
shader "zext i1 to i8" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 1
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i8> = load.global v5, v8, v3
    v10: i8 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +320
    v12: i8 = const 0
    v13: <i8> = splat v12
    v14: <i1> = ine v9, v13
    v15: <i8> = zext v14
    store.global v11, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = const 0
    v18: i1 = ine v10, v17
    v19: i8 = zext v18
    store.global v16, v1, v19, v2
    return 0
}

;! run
;! buffer0: i8 0 0 1 1 0 1 0 1
;! buffer3 = i8 0 0 -1 -1 0 -1 0 -1
;! buffer4 = i8 0
shader "sext i1 to i8" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 1
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i8> = load.global v5, v8, v3
    v10: i8 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +320
    v12: i8 = const 0
    v13: <i8> = splat v12
    v14: <i1> = ine v9, v13
    v15: <i8> = sext v14
    store.global v11, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = const 0
    v18: i1 = ine v10, v17
    v19: i8 = sext v18
    store.global v16, v1, v19, v2
    return 0
}

;! run
;! buffer0: i8 0 0 1 1 0 1 0 1
;! buffer3 = i16 0 0 1 1 0 1 0 1
;! buffer4 = i16 0
shader "zext i1 to i16" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 1
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i8> = load.global v5, v8, v3
    v10: i8 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +320
    v12: i32 = const 2
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: i8 = const 0
    v16: <i8> = splat v15
    v17: <i1> = ine v9, v16
    v18: <i16> = zext v17
    store.global v11, v14, v18, v3
    v19: i64 = load.context v0, v1, v2 +328
    v20: i8 = const 0
    v21: i1 = ine v10, v20
    v22: i16 = zext v21
    store.global v19, v1, v22, v2
    return 0
}

;! run
;! buffer0: i8 0 0 1 1 0 1 0 1
;! buffer3 = i16 0 0 -1 -1 0 -1 0 -1
;! buffer4 = i16 0
shader "sext i1 to i16" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 1
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i8> = load.global v5, v8, v3
    v10: i8 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +320
    v12: i32 = const 2
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: i8 = const 0
    v16: <i8> = splat v15
    v17: <i1> = ine v9, v16
    v18: <i16> = sext v17
    store.global v11, v14, v18, v3
    v19: i64 = load.context v0, v1, v2 +328
    v20: i8 = const 0
    v21: i1 = ine v10, v20
    v22: i16 = sext v21
    store.global v19, v1, v22, v2
    return 0
}

;! run
;! buffer0: i8 0 0 1 1 0 1 0 1
;! buffer3 = i32 0 0 1 1 0 1 0 1
;! buffer4 = i32 0
shader "zext i1 to i32" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 1
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i8> = load.global v5, v8, v3
    v10: i8 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +320
    v12: i32 = const 4
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: i8 = const 0
    v16: <i8> = splat v15
    v17: <i1> = ine v9, v16
    v18: <i32> = zext v17
    store.global v11, v14, v18, v3
    v19: i64 = load.context v0, v1, v2 +328
    v20: i8 = const 0
    v21: i1 = ine v10, v20
    v22: i32 = zext v21
    store.global v19, v1, v22, v2
    return 0
}

;! run
;! buffer0: i8 0 0 1 1 0 1 0 1
;! buffer3 = i32 0 0 -1 -1 0 -1 0 -1
;! buffer4 = i32 0
shader "sext i1 to i32" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 1
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i8> = load.global v5, v8, v3
    v10: i8 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +320
    v12: i32 = const 4
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: i8 = const 0
    v16: <i8> = splat v15
    v17: <i1> = ine v9, v16
    v18: <i32> = sext v17
    store.global v11, v14, v18, v3
    v19: i64 = load.context v0, v1, v2 +328
    v20: i8 = const 0
    v21: i1 = ine v10, v20
    v22: i32 = sext v21
    store.global v19, v1, v22, v2
    return 0
}

;! run
;! buffer0: i8 0 0 1 1 0 1 0 1
;! buffer3 = i64 0 0 1 1 0 1 0 1
;! buffer4 = i64 0
shader "zext i1 to i64" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 1
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i8> = load.global v5, v8, v3
    v10: i8 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +320
    v12: i32 = const 8
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: i8 = const 0
    v16: <i8> = splat v15
    v17: <i1> = ine v9, v16
    v18: <i64> = zext v17
    store.global v11, v14, v18, v3
    v19: i64 = load.context v0, v1, v2 +328
    v20: i8 = const 0
    v21: i1 = ine v10, v20
    v22: i64 = zext v21
    store.global v19, v1, v22, v2
    return 0
}

;! run
;! buffer0: i8 0 0 1 1 0 1 0 1
;! buffer3 = i64 0 0 -1 -1 0 -1 0 -1
;! buffer4 = i64 0
shader "sext i1 to i64" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 1
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i8> = load.global v5, v8, v3
    v10: i8 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +320
    v12: i32 = const 8
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: i8 = const 0
    v16: <i8> = splat v15
    v17: <i1> = ine v9, v16
    v18: <i64> = sext v17
    store.global v11, v14, v18, v3
    v19: i64 = load.context v0, v1, v2 +328
    v20: i8 = const 0
    v21: i1 = ine v10, v20
    v22: i64 = sext v21
    store.global v19, v1, v22, v2
    return 0
}

;! run
;! buffer0: i8 5 42 79 116 -103 -66 -29 8
;! buffer1: i8 -86 -85 -84 -83 -82 -81 -80 -79
;! buffer2: i8 0 0 1 1 0 1 0 1
;! buffer3 = i8 -86 -85 79 116 -82 -66 -80 8
;! buffer4 = i8 -86
shader "select i8" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 1
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i8> = load.global v5, v8, v3
    v10: i8 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +304
    v12: <i8> = load.global v11, v8, v3
    v13: i8 = load.global v11, v1, v2
    v14: i64 = load.context v0, v1, v2 +312
    v15: <i8> = load.global v14, v8, v3
    v16: i8 = load.global v14, v1, v2
    v17: i64 = load.context v0, v1, v2 +320
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v15, v19
    v21: <i8> = select v20, v9, v12
    store.global v17, v8, v21, v3
    v22: i64 = load.context v0, v1, v2 +328
    v23: i8 = const 0
    v24: i1 = ine v16, v23
    v25: i8 = select v24, v10, v13
    store.global v22, v1, v25, v2
    return 0
}

;! run
;! buffer0: i16 5 42 79 116 153 190 227 264
;! buffer1: i16 21930 21931 21932 21933 21934 21935 21936 21937
;! buffer2: i8 0 0 1 1 0 1 0 1
;! buffer3 = i16 21930 21931 79 116 21934 190 21936 264
;! buffer4 = i16 21930
shader "select i16" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 2
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i16> = load.global v5, v8, v3
    v10: i16 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +304
    v12: <i16> = load.global v11, v8, v3
    v13: i16 = load.global v11, v1, v2
    v14: i64 = load.context v0, v1, v2 +312
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i8> = load.global v14, v17, v3
    v19: i8 = load.global v14, v1, v2
    v20: i64 = load.context v0, v1, v2 +320
    v21: i8 = const 0
    v22: <i8> = splat v21
    v23: <i1> = ine v18, v22
    v24: <i16> = select v23, v9, v12
    store.global v20, v8, v24, v3
    v25: i64 = load.context v0, v1, v2 +328
    v26: i8 = const 0
    v27: i1 = ine v19, v26
    v28: i16 = select v27, v10, v13
    store.global v25, v1, v28, v2
    return 0
}

;! run
;! buffer0: i32 5 42 79 116 153 190 227 264
;! buffer1: i32 1437226410 1437226411 1437226412 1437226413 1437226414 1437226415 1437226416 1437226417
;! buffer2: i8 0 0 1 1 0 1 0 1
;! buffer3 = i32 1437226410 1437226411 79 116 1437226414 190 1437226416 264
;! buffer4 = i32 1437226410
shader "select i32" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 4
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i32> = load.global v5, v8, v3
    v10: i32 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +304
    v12: <i32> = load.global v11, v8, v3
    v13: i32 = load.global v11, v1, v2
    v14: i64 = load.context v0, v1, v2 +312
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i8> = load.global v14, v17, v3
    v19: i8 = load.global v14, v1, v2
    v20: i64 = load.context v0, v1, v2 +320
    v21: i8 = const 0
    v22: <i8> = splat v21
    v23: <i1> = ine v18, v22
    v24: <i32> = select v23, v9, v12
    store.global v20, v8, v24, v3
    v25: i64 = load.context v0, v1, v2 +328
    v26: i8 = const 0
    v27: i1 = ine v19, v26
    v28: i32 = select v27, v10, v13
    store.global v25, v1, v28, v2
    return 0
}

;! run
;! buffer0: i64 5 42 79 116 153 190 227 264
;! buffer1: i64 6172840429334713770 6172840429334713771 6172840429334713772 6172840429334713773 6172840429334713774 6172840429334713775 6172840429334713776 6172840429334713777
;! buffer2: i8 0 0 1 1 0 1 0 1
;! buffer3 = i64 6172840429334713770 6172840429334713771 79 116 6172840429334713774 190 6172840429334713776 264
;! buffer4 = i64 6172840429334713770
shader "select i64" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 8
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i64> = load.global v5, v8, v3
    v10: i64 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +304
    v12: <i64> = load.global v11, v8, v3
    v13: i64 = load.global v11, v1, v2
    v14: i64 = load.context v0, v1, v2 +312
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i8> = load.global v14, v17, v3
    v19: i8 = load.global v14, v1, v2
    v20: i64 = load.context v0, v1, v2 +320
    v21: i8 = const 0
    v22: <i8> = splat v21
    v23: <i1> = ine v18, v22
    v24: <i64> = select v23, v9, v12
    store.global v20, v8, v24, v3
    v25: i64 = load.context v0, v1, v2 +328
    v26: i8 = const 0
    v27: i1 = ine v19, v26
    v28: i64 = select v27, v10, v13
    store.global v25, v1, v28, v2
    return 0
}

;! run
;! buffer0: f16 0x0005 0x002a 0x004f 0x0074 0x0099 0x00be 0x00e3 0x0108
;! buffer1: f16 0x55aa 0x55ab 0x55ac 0x55ad 0x55ae 0x55af 0x55b0 0x55b1
;! buffer2: i8 0 0 1 1 0 1 0 1
;! buffer3 = f16 0x55aa 0x55ab 0x004f 0x0074 0x55ae 0x00be 0x55b0 0x0108
;! buffer4 = f16 0x55aa
shader "select f16" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 2
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <f16> = load.global v5, v8, v3
    v10: f16 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +304
    v12: <f16> = load.global v11, v8, v3
    v13: f16 = load.global v11, v1, v2
    v14: i64 = load.context v0, v1, v2 +312
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i8> = load.global v14, v17, v3
    v19: i8 = load.global v14, v1, v2
    v20: i64 = load.context v0, v1, v2 +320
    v21: i8 = const 0
    v22: <i8> = splat v21
    v23: <i1> = ine v18, v22
    v24: <f16> = select v23, v9, v12
    store.global v20, v8, v24, v3
    v25: i64 = load.context v0, v1, v2 +328
    v26: i8 = const 0
    v27: i1 = ine v19, v26
    v28: f16 = select v27, v10, v13
    store.global v25, v1, v28, v2
    return 0
}

;! run
;! buffer0: f32 0x00000005 0x0000002a 0x0000004f 0x00000074 0x00000099 0x000000be 0x000000e3 0x00000108
;! buffer1: f32 0x55aa55aa 0x55aa55ab 0x55aa55ac 0x55aa55ad 0x55aa55ae 0x55aa55af 0x55aa55b0 0x55aa55b1
;! buffer2: i8 0 0 1 1 0 1 0 1
;! buffer3 = f32 0x55aa55aa 0x55aa55ab 0x0000004f 0x00000074 0x55aa55ae 0x000000be 0x55aa55b0 0x00000108
;! buffer4 = f32 0x55aa55aa
shader "select f32" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 4
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <f32> = load.global v5, v8, v3
    v10: f32 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +304
    v12: <f32> = load.global v11, v8, v3
    v13: f32 = load.global v11, v1, v2
    v14: i64 = load.context v0, v1, v2 +312
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i8> = load.global v14, v17, v3
    v19: i8 = load.global v14, v1, v2
    v20: i64 = load.context v0, v1, v2 +320
    v21: i8 = const 0
    v22: <i8> = splat v21
    v23: <i1> = ine v18, v22
    v24: <f32> = select v23, v9, v12
    store.global v20, v8, v24, v3
    v25: i64 = load.context v0, v1, v2 +328
    v26: i8 = const 0
    v27: i1 = ine v19, v26
    v28: f32 = select v27, v10, v13
    store.global v25, v1, v28, v2
    return 0
}

;! run
;! buffer0: f64 0x0000000000000005 0x000000000000002a 0x000000000000004f 0x0000000000000074 0x0000000000000099 0x00000000000000be 0x00000000000000e3 0x0000000000000108
;! buffer1: f64 0x55aa55aa55aa55aa 0x55aa55aa55aa55ab 0x55aa55aa55aa55ac 0x55aa55aa55aa55ad 0x55aa55aa55aa55ae 0x55aa55aa55aa55af 0x55aa55aa55aa55b0 0x55aa55aa55aa55b1
;! buffer2: i8 0 0 1 1 0 1 0 1
;! buffer3 = f64 0x55aa55aa55aa55aa 0x55aa55aa55aa55ab 0x000000000000004f 0x0000000000000074 0x55aa55aa55aa55ae 0x00000000000000be 0x55aa55aa55aa55b0 0x0000000000000108
;! buffer4 = f64 0x55aa55aa55aa55aa
shader "select f64" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 8
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <f64> = load.global v5, v8, v3
    v10: f64 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +304
    v12: <f64> = load.global v11, v8, v3
    v13: f64 = load.global v11, v1, v2
    v14: i64 = load.context v0, v1, v2 +312
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i8> = load.global v14, v17, v3
    v19: i8 = load.global v14, v1, v2
    v20: i64 = load.context v0, v1, v2 +320
    v21: i8 = const 0
    v22: <i8> = splat v21
    v23: <i1> = ine v18, v22
    v24: <f64> = select v23, v9, v12
    store.global v20, v8, v24, v3
    v25: i64 = load.context v0, v1, v2 +328
    v26: i8 = const 0
    v27: i1 = ine v19, v26
    v28: f64 = select v27, v10, v13
    store.global v25, v1, v28, v2
    return 0
}

;! run
;! buffer0: i8 0 0 1 1 0 1 0 1
;! buffer1: i8 0 1 0 1 1 1 0 0
;! buffer2: i8 1 1 1 1 0 0 0 0
;! buffer3 = i8 1 1 0 1 0 1 0 0
;! buffer4 = i8 1
shader "select i1" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 1
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i8> = load.global v5, v8, v3
    v10: i8 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +304
    v12: <i8> = load.global v11, v8, v3
    v13: i8 = load.global v11, v1, v2
    v14: i64 = load.context v0, v1, v2 +312
    v15: <i8> = load.global v14, v8, v3
    v16: i8 = load.global v14, v1, v2
    v17: i64 = load.context v0, v1, v2 +320
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v9, v19
    v21: <i1> = ine v12, v19
    v22: <i1> = ine v15, v19
    v23: <i1> = select v20, v21, v22
    v24: <i8> = zext v23
    store.global v17, v8, v24, v3
    v25: i64 = load.context v0, v1, v2 +328
    v26: i8 = const 0
    v27: i1 = ine v10, v26
    v28: i1 = ine v13, v26
    v29: i1 = ine v16, v26
    v30: i1 = select v27, v28, v29
    v31: i8 = zext v30
    store.global v25, v1, v31, v2
    return 0
}
