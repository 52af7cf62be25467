; Integer comparisons.
;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer1: i8 3 -1 -1 0 2 33 0 1
;! buffer3 = i8 0 1 0 1 0 0 0 0
;! buffer4 = i8 0
shader "ieq i8" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i1> = ieq v9, v12
    v16: <i8> = zext v15
    store.global v14, v8, v16, v3
    v17: i64 = load.context v0, v1, v2 +328
    v18: i1 = ieq v10, v13
    v19: i8 = zext v18
    store.global v17, v1, v19, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer1: i16 3 -1 -1 0 2 17185 0 1
;! buffer3 = i8 0 1 0 1 0 0 0 0
;! buffer4 = i8 0
shader "ieq i16" mask lanes=8 scratch=0 frame=0 {
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
    v14: i64 = load.context v0, v1, v2 +320
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i1> = ieq v9, v12
    v19: <i8> = zext v18
    store.global v14, v17, v19, v3
    v20: i64 = load.context v0, v1, v2 +328
    v21: i1 = ieq v10, v13
    v22: i8 = zext v21
    store.global v20, v1, v22, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer1: i32 3 -1 -1 0 2 -2023406815 0 1
;! buffer3 = i8 0 1 0 1 0 0 0 0
;! buffer4 = i8 0
shader "ieq i32" mask lanes=8 scratch=0 frame=0 {
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
    v14: i64 = load.context v0, v1, v2 +320
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i1> = ieq v9, v12
    v19: <i8> = zext v18
    store.global v14, v17, v19, v3
    v20: i64 = load.context v0, v1, v2 +328
    v21: i1 = ieq v10, v13
    v22: i8 = zext v21
    store.global v20, v1, v22, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer1: i64 3 -1 -1 0 2 1147797409030816545 0 1
;! buffer3 = i8 0 1 0 1 0 0 0 0
;! buffer4 = i8 0
shader "ieq i64" mask lanes=8 scratch=0 frame=0 {
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
    v14: i64 = load.context v0, v1, v2 +320
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i1> = ieq v9, v12
    v19: <i8> = zext v18
    store.global v14, v17, v19, v3
    v20: i64 = load.context v0, v1, v2 +328
    v21: i1 = ieq v10, v13
    v22: i8 = zext v21
    store.global v20, v1, v22, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer1: i8 3 -1 -1 0 2 33 0 1
;! buffer3 = i8 1 0 1 0 1 1 1 1
;! buffer4 = i8 1
shader "ine i8" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i1> = ine v9, v12
    v16: <i8> = zext v15
    store.global v14, v8, v16, v3
    v17: i64 = load.context v0, v1, v2 +328
    v18: i1 = ine v10, v13
    v19: i8 = zext v18
    store.global v17, v1, v19, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer1: i16 3 -1 -1 0 2 17185 0 1
;! buffer3 = i8 1 0 1 0 1 1 1 1
;! buffer4 = i8 1
shader "ine i16" mask lanes=8 scratch=0 frame=0 {
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
    v14: i64 = load.context v0, v1, v2 +320
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i1> = ine v9, v12
    v19: <i8> = zext v18
    store.global v14, v17, v19, v3
    v20: i64 = load.context v0, v1, v2 +328
    v21: i1 = ine v10, v13
    v22: i8 = zext v21
    store.global v20, v1, v22, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer1: i32 3 -1 -1 0 2 -2023406815 0 1
;! buffer3 = i8 1 0 1 0 1 1 1 1
;! buffer4 = i8 1
shader "ine i32" mask lanes=8 scratch=0 frame=0 {
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
    v14: i64 = load.context v0, v1, v2 +320
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i1> = ine v9, v12
    v19: <i8> = zext v18
    store.global v14, v17, v19, v3
    v20: i64 = load.context v0, v1, v2 +328
    v21: i1 = ine v10, v13
    v22: i8 = zext v21
    store.global v20, v1, v22, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer1: i64 3 -1 -1 0 2 1147797409030816545 0 1
;! buffer3 = i8 1 0 1 0 1 1 1 1
;! buffer4 = i8 1
shader "ine i64" mask lanes=8 scratch=0 frame=0 {
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
    v14: i64 = load.context v0, v1, v2 +320
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i1> = ine v9, v12
    v19: <i8> = zext v18
    store.global v14, v17, v19, v3
    v20: i64 = load.context v0, v1, v2 +328
    v21: i1 = ine v10, v13
    v22: i8 = zext v21
    store.global v20, v1, v22, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer1: i8 3 -1 -1 0 2 33 0 1
;! buffer3 = i8 0 0 1 0 0 0 0 0
;! buffer4 = i8 0
shader "ult i8" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i1> = ult v9, v12
    v16: <i8> = zext v15
    store.global v14, v8, v16, v3
    v17: i64 = load.context v0, v1, v2 +328
    v18: i1 = ult v10, v13
    v19: i8 = zext v18
    store.global v17, v1, v19, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer1: i16 3 -1 -1 0 2 17185 0 1
;! buffer3 = i8 0 0 1 0 0 0 0 0
;! buffer4 = i8 0
shader "ult i16" mask lanes=8 scratch=0 frame=0 {
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
    v14: i64 = load.context v0, v1, v2 +320
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i1> = ult v9, v12
    v19: <i8> = zext v18
    store.global v14, v17, v19, v3
    v20: i64 = load.context v0, v1, v2 +328
    v21: i1 = ult v10, v13
    v22: i8 = zext v21
    store.global v20, v1, v22, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer1: i32 3 -1 -1 0 2 -2023406815 0 1
;! buffer3 = i8 0 0 1 0 0 0 0 0
;! buffer4 = i8 0
shader "ult i32" mask lanes=8 scratch=0 frame=0 {
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
    v14: i64 = load.context v0, v1, v2 +320
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i1> = ult v9, v12
    v19: <i8> = zext v18
    store.global v14, v17, v19, v3
    v20: i64 = load.context v0, v1, v2 +328
    v21: i1 = ult v10, v13
    v22: i8 = zext v21
    store.global v20, v1, v22, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer1: i64 3 -1 -1 0 2 1147797409030816545 0 1
;! buffer3 = i8 0 0 1 0 0 0 0 0
;! buffer4 = i8 0
shader "ult i64" mask lanes=8 scratch=0 frame=0 {
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
    v14: i64 = load.context v0, v1, v2 +320
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i1> = ult v9, v12
    v19: <i8> = zext v18
    store.global v14, v17, v19, v3
    v20: i64 = load.context v0, v1, v2 +328
    v21: i1 = ult v10, v13
    v22: i8 = zext v21
    store.global v20, v1, v22, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer1: i8 3 -1 -1 0 2 33 0 1
;! buffer3 = i8 0 1 1 1 0 0 0 0
;! buffer4 = i8 0
shader "ule i8" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i1> = ule v9, v12
    v16: <i8> = zext v15
    store.global v14, v8, v16, v3
    v17: i64 = load.context v0, v1, v2 +328
    v18: i1 = ule v10, v13
    v19: i8 = zext v18
    store.global v17, v1, v19, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer1: i16 3 -1 -1 0 2 17185 0 1
;! buffer3 = i8 0 1 1 1 0 0 0 0
;! buffer4 = i8 0
shader "ule i16" mask lanes=8 scratch=0 frame=0 {
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
    v14: i64 = load.context v0, v1, v2 +320
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i1> = ule v9, v12
    v19: <i8> = zext v18
    store.global v14, v17, v19, v3
    v20: i64 = load.context v0, v1, v2 +328
    v21: i1 = ule v10, v13
    v22: i8 = zext v21
    store.global v20, v1, v22, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer1: i32 3 -1 -1 0 2 -2023406815 0 1
;! buffer3 = i8 0 1 1 1 0 0 0 0
;! buffer4 = i8 0
shader "ule i32" mask lanes=8 scratch=0 frame=0 {
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
    v14: i64 = load.context v0, v1, v2 +320
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i1> = ule v9, v12
    v19: <i8> = zext v18
    store.global v14, v17, v19, v3
    v20: i64 = load.context v0, v1, v2 +328
    v21: i1 = ule v10, v13
    v22: i8 = zext v21
    store.global v20, v1, v22, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer1: i64 3 -1 -1 0 2 1147797409030816545 0 1
;! buffer3 = i8 0 1 1 1 0 0 0 0
;! buffer4 = i8 0
shader "ule i64" mask lanes=8 scratch=0 frame=0 {
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
    v14: i64 = load.context v0, v1, v2 +320
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i1> = ule v9, v12
    v19: <i8> = zext v18
    store.global v14, v17, v19, v3
    v20: i64 = load.context v0, v1, v2 +328
    v21: i1 = ule v10, v13
    v22: i8 = zext v21
    store.global v20, v1, v22, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer1: i8 3 -1 -1 0 2 33 0 1
;! buffer3 = i8 0 0 1 0 1 1 0 1
;! buffer4 = i8 0
shader "slt i8" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i1> = slt v9, v12
    v16: <i8> = zext v15
    store.global v14, v8, v16, v3
    v17: i64 = load.context v0, v1, v2 +328
    v18: i1 = slt v10, v13
    v19: i8 = zext v18
    store.global v17, v1, v19, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer1: i16 3 -1 -1 0 2 17185 0 1
;! buffer3 = i8 0 0 1 0 1 1 0 1
;! buffer4 = i8 0
shader "slt i16" mask lanes=8 scratch=0 frame=0 {
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
    v14: i64 = load.context v0, v1, v2 +320
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i1> = slt v9, v12
    v19: <i8> = zext v18
    store.global v14, v17, v19, v3
    v20: i64 = load.context v0, v1, v2 +328
    v21: i1 = slt v10, v13
    v22: i8 = zext v21
    store.global v20, v1, v22, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer1: i32 3 -1 -1 0 2 -2023406815 0 1
;! buffer3 = i8 0 0 1 0 1 0 0 1
;! buffer4 = i8 0
shader "slt i32" mask lanes=8 scratch=0 frame=0 {
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
    v14: i64 = load.context v0, v1, v2 +320
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i1> = slt v9, v12
    v19: <i8> = zext v18
    store.global v14, v17, v19, v3
    v20: i64 = load.context v0, v1, v2 +328
    v21: i1 = slt v10, v13
    v22: i8 = zext v21
    store.global v20, v1, v22, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer1: i64 3 -1 -1 0 2 1147797409030816545 0 1
;! buffer3 = i8 0 0 1 0 1 0 0 1
;! buffer4 = i8 0
shader "slt i64" mask lanes=8 scratch=0 frame=0 {
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
    v14: i64 = load.context v0, v1, v2 +320
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i1> = slt v9, v12
    v19: <i8> = zext v18
    store.global v14, v17, v19, v3
    v20: i64 = load.context v0, v1, v2 +328
    v21: i1 = slt v10, v13
    v22: i8 = zext v21
    store.global v20, v1, v22, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer1: i8 3 -1 -1 0 2 33 0 1
;! buffer3 = i8 0 1 1 1 1 1 0 1
;! buffer4 = i8 0
shader "sle i8" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i1> = sle v9, v12
    v16: <i8> = zext v15
    store.global v14, v8, v16, v3
    v17: i64 = load.context v0, v1, v2 +328
    v18: i1 = sle v10, v13
    v19: i8 = zext v18
    store.global v17, v1, v19, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer1: i16 3 -1 -1 0 2 17185 0 1
;! buffer3 = i8 0 1 1 1 1 1 0 1
;! buffer4 = i8 0
shader "sle i16" mask lanes=8 scratch=0 frame=0 {
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
    v14: i64 = load.context v0, v1, v2 +320
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i1> = sle v9, v12
    v19: <i8> = zext v18
    store.global v14, v17, v19, v3
    v20: i64 = load.context v0, v1, v2 +328
    v21: i1 = sle v10, v13
    v22: i8 = zext v21
    store.global v20, v1, v22, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer1: i32 3 -1 -1 0 2 -2023406815 0 1
;! buffer3 = i8 0 1 1 1 1 0 0 1
;! buffer4 = i8 0
shader "sle i32" mask lanes=8 scratch=0 frame=0 {
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
    v14: i64 = load.context v0, v1, v2 +320
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i1> = sle v9, v12
    v19: <i8> = zext v18
    store.global v14, v17, v19, v3
    v20: i64 = load.context v0, v1, v2 +328
    v21: i1 = sle v10, v13
    v22: i8 = zext v21
    store.global v20, v1, v22, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer1: i64 3 -1 -1 0 2 1147797409030816545 0 1
;! buffer3 = i8 0 1 1 1 1 0 0 1
;! buffer4 = i8 0
shader "sle i64" mask lanes=8 scratch=0 frame=0 {
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
    v14: i64 = load.context v0, v1, v2 +320
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i1> = sle v9, v12
    v19: <i8> = zext v18
    store.global v14, v17, v19, v3
    v20: i64 = load.context v0, v1, v2 +328
    v21: i1 = sle v10, v13
    v22: i8 = zext v21
    store.global v20, v1, v22, v2
    return 0
}
