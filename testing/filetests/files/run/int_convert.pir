; Integer conversions and bit casts.
;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer3 = i16 7 255 128 0 249 240 100 128
;! buffer4 = i16 7
shader "zext i8 to i16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i16> = zext v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i16 = zext v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer3 = i16 7 -1 -128 0 -7 -16 100 -128
;! buffer4 = i16 7
shader "sext i8 to i16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i16> = sext v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i16 = sext v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer3 = i32 7 255 128 0 249 240 100 128
;! buffer4 = i32 7
shader "zext i8 to i32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i32> = zext v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i32 = zext v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer3 = i32 7 -1 -128 0 -7 -16 100 -128
;! buffer4 = i32 7
shader "sext i8 to i32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i32> = sext v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i32 = sext v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer3 = i64 7 255 128 0 249 240 100 128
;! buffer4 = i64 7
shader "zext i8 to i64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i64> = zext v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i64 = zext v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer3 = i64 7 -1 -128 0 -7 -16 100 -128
;! buffer4 = i64 7
shader "sext i8 to i64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i64> = sext v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i64 = sext v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer3 = i8 7 -1 0 0 -7 -16 100 0
;! buffer4 = i8 7
shader "trunc i16 to i8" mask lanes=8 scratch=0 frame=0 {
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
    v11: i64 = load.context v0, v1, v2 +320
    v12: i32 = const 1
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <i8> = trunc v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = trunc v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer3 = i32 7 65535 32768 0 65529 57072 100 32768
;! buffer4 = i32 7
shader "zext i16 to i32" mask lanes=8 scratch=0 frame=0 {
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
    v11: i64 = load.context v0, v1, v2 +320
    v12: i32 = const 4
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <i32> = zext v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i32 = zext v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer3 = i32 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer4 = i32 7
shader "sext i16 to i32" mask lanes=8 scratch=0 frame=0 {
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
    v11: i64 = load.context v0, v1, v2 +320
    v12: i32 = const 4
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <i32> = sext v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i32 = sext v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer3 = i64 7 65535 32768 0 65529 57072 100 32768
;! buffer4 = i64 7
shader "zext i16 to i64" mask lanes=8 scratch=0 frame=0 {
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
    v11: i64 = load.context v0, v1, v2 +320
    v12: i32 = const 8
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <i64> = zext v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i64 = zext v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer3 = i64 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer4 = i64 7
shader "sext i16 to i64" mask lanes=8 scratch=0 frame=0 {
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
    v11: i64 = load.context v0, v1, v2 +320
    v12: i32 = const 8
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <i64> = sext v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i64 = sext v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer3 = i8 7 -1 0 0 -7 -16 100 0
;! buffer4 = i8 7
shader "trunc i32 to i8" mask lanes=8 scratch=0 frame=0 {
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
    v11: i64 = load.context v0, v1, v2 +320
    v12: i32 = const 1
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <i8> = trunc v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = trunc v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer3 = i16 7 -1 0 0 -7 -8464 100 0
;! buffer4 = i16 7
shader "trunc i32 to i16" mask lanes=8 scratch=0 frame=0 {
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
    v11: i64 = load.context v0, v1, v2 +320
    v12: i32 = const 2
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <i16> = trunc v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i16 = trunc v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer3 = i64 7 4294967295 2147483648 0 4294967289 2596069104 100 2147483648
;! buffer4 = i64 7
shader "zext i32 to i64" mask lanes=8 scratch=0 frame=0 {
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
    v11: i64 = load.context v0, v1, v2 +320
    v12: i32 = const 8
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <i64> = zext v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i64 = zext v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer3 = i64 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer4 = i64 7
shader "sext i32 to i64" mask lanes=8 scratch=0 frame=0 {
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
    v11: i64 = load.context v0, v1, v2 +320
    v12: i32 = const 8
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <i64> = sext v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i64 = sext v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer3 = i8 7 -1 0 0 -7 -16 100 0
;! buffer4 = i8 7
shader "trunc i64 to i8" mask lanes=8 scratch=0 frame=0 {
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
    v11: i64 = load.context v0, v1, v2 +320
    v12: i32 = const 1
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <i8> = trunc v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = trunc v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer3 = i16 7 -1 0 0 -7 -8464 100 0
;! buffer4 = i16 7
shader "trunc i64 to i16" mask lanes=8 scratch=0 frame=0 {
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
    v11: i64 = load.context v0, v1, v2 +320
    v12: i32 = const 2
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <i16> = trunc v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i16 = trunc v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer3 = i32 7 -1 0 0 -7 -1698898192 100 0
;! buffer4 = i32 7
shader "trunc i64 to i32" mask lanes=8 scratch=0 frame=0 {
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
    v11: i64 = load.context v0, v1, v2 +320
    v12: i32 = const 4
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <i32> = trunc v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i32 = trunc v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer3 = f16 0x0007 0xffff 0x8000 0x0000 0xfff9 0xdef0 0x0064 0x8000
;! buffer4 = f16 0x0007
shader "bitcast i16 to f16" mask lanes=8 scratch=0 frame=0 {
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
    v11: i64 = load.context v0, v1, v2 +320
    v12: <f16> = bitcast v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: f16 = bitcast v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: f16 0x0007 0xffff 0x8000 0x0000 0xfff9 0xdef0 0x0064 0x8000
;! buffer3 = i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer4 = i16 7
shader "bitcast f16 to i16" mask lanes=8 scratch=0 frame=0 {
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
    v11: i64 = load.context v0, v1, v2 +320
    v12: <i16> = bitcast v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: i16 = bitcast v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer3 = f32 0x00000007 0xffffffff 0x80000000 0x00000000 0xfffffff9 0x9abcdef0 0x00000064 0x80000000
;! buffer4 = f32 0x00000007
shader "bitcast i32 to f32" mask lanes=8 scratch=0 frame=0 {
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
    v11: i64 = load.context v0, v1, v2 +320
    v12: <f32> = bitcast v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: f32 = bitcast v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: f32 0x00000007 0xffffffff 0x80000000 0x00000000 0xfffffff9 0x9abcdef0 0x00000064 0x80000000
;! buffer3 = i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer4 = i32 7
shader "bitcast f32 to i32" mask lanes=8 scratch=0 frame=0 {
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
    v11: i64 = load.context v0, v1, v2 +320
    v12: <i32> = bitcast v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: i32 = bitcast v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer3 = f64 0x0000000000000007 0xffffffffffffffff 0x8000000000000000 0x0000000000000000 0xfffffffffffffff9 0x123456789abcdef0 0x0000000000000064 0x8000000000000000
;! buffer4 = f64 0x0000000000000007
shader "bitcast i64 to f64" mask lanes=8 scratch=0 frame=0 {
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
    v11: i64 = load.context v0, v1, v2 +320
    v12: <f64> = bitcast v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: f64 = bitcast v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: f64 0x0000000000000007 0xffffffffffffffff 0x8000000000000000 0x0000000000000000 0xfffffffffffffff9 0x123456789abcdef0 0x0000000000000064 0x8000000000000000
;! buffer3 = i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer4 = i64 7
shader "bitcast f64 to i64" mask lanes=8 scratch=0 frame=0 {
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
    v11: i64 = load.context v0, v1, v2 +320
    v12: <i64> = bitcast v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: i64 = bitcast v10
    store.global v13, v1, v14, v2
    return 0
}
