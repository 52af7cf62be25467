; Integer operations of one operand.
;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer3 = i8 -8 0 127 -1 6 15 -101 127
;! buffer4 = i8 -8
shader "not i8" mask lanes=8 scratch=0 frame=0 {
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
    v12: <i8> = not v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: i8 = not v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer3 = i16 -8 0 32767 -1 6 8463 -101 32767
;! buffer4 = i16 -8
shader "not i16" mask lanes=8 scratch=0 frame=0 {
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
    v12: <i16> = not v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: i16 = not v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer3 = i32 -8 0 2147483647 -1 6 1698898191 -101 2147483647
;! buffer4 = i32 -8
shader "not i32" mask lanes=8 scratch=0 frame=0 {
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
    v12: <i32> = not v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: i32 = not v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer3 = i64 -8 0 9223372036854775807 -1 6 -1311768467463790321 -101 9223372036854775807
;! buffer4 = i64 -8
shader "not i64" mask lanes=8 scratch=0 frame=0 {
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
    v12: <i64> = not v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: i64 = not v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer3 = i8 3 8 1 0 6 4 3 1
;! buffer4 = i8 3
shader "popcnt i8" mask lanes=8 scratch=0 frame=0 {
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
    v12: <i8> = popcnt v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: i8 = popcnt v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer3 = i16 3 16 1 0 14 10 3 1
;! buffer4 = i16 3
shader "popcnt i16" mask lanes=8 scratch=0 frame=0 {
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
    v12: <i16> = popcnt v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: i16 = popcnt v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer3 = i32 3 32 1 0 30 19 3 1
;! buffer4 = i32 3
shader "popcnt i32" mask lanes=8 scratch=0 frame=0 {
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
    v12: <i32> = popcnt v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: i32 = popcnt v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer3 = i64 3 64 1 0 62 32 3 1
;! buffer4 = i64 3
shader "popcnt i64" mask lanes=8 scratch=0 frame=0 {
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
    v12: <i64> = popcnt v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: i64 = popcnt v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer3 = i8 5 0 0 8 0 0 1 0
;! buffer4 = i8 5
shader "clz i8" mask lanes=8 scratch=0 frame=0 {
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
    v12: <i8> = clz v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: i8 = clz v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer3 = i16 13 0 0 16 0 0 9 0
;! buffer4 = i16 13
shader "clz i16" mask lanes=8 scratch=0 frame=0 {
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
    v12: <i16> = clz v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: i16 = clz v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer3 = i32 29 0 0 32 0 0 25 0
;! buffer4 = i32 29
shader "clz i32" mask lanes=8 scratch=0 frame=0 {
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
    v12: <i32> = clz v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: i32 = clz v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer3 = i64 61 0 0 64 0 3 57 0
;! buffer4 = i64 61
shader "clz i64" mask lanes=8 scratch=0 frame=0 {
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
    v12: <i64> = clz v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: i64 = clz v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer3 = i8 0 0 7 8 0 4 2 7
;! buffer4 = i8 0
shader "ctz i8" mask lanes=8 scratch=0 frame=0 {
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
    v12: <i8> = ctz v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: i8 = ctz v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer3 = i16 0 0 15 16 0 4 2 15
;! buffer4 = i16 0
shader "ctz i16" mask lanes=8 scratch=0 frame=0 {
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
    v12: <i16> = ctz v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: i16 = ctz v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer3 = i32 0 0 31 32 0 4 2 31
;! buffer4 = i32 0
shader "ctz i32" mask lanes=8 scratch=0 frame=0 {
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
    v12: <i32> = ctz v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: i32 = ctz v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer3 = i64 0 0 63 64 0 4 2 63
;! buffer4 = i64 0
shader "ctz i64" mask lanes=8 scratch=0 frame=0 {
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
    v12: <i64> = ctz v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: i64 = ctz v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer3 = i8 -32 -1 1 0 -97 15 38 1
;! buffer4 = i8 -32
shader "bitrev i8" mask lanes=8 scratch=0 frame=0 {
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
    v12: <i8> = bitrev v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: i8 = bitrev v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer3 = i16 -8192 -1 1 0 -24577 3963 9728 1
;! buffer4 = i16 -8192
shader "bitrev i16" mask lanes=8 scratch=0 frame=0 {
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
    v12: <i16> = bitrev v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: i16 = bitrev v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer3 = i32 -536870912 -1 1 0 -1610612737 259734873 637534208 1
;! buffer4 = i32 -536870912
shader "bitrev i32" mask lanes=8 scratch=0 frame=0 {
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
    v12: <i32> = bitrev v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: i32 = bitrev v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer3 = i64 -2305843009213693952 -1 1 0 -6917529027641081857 1115552785675988040 2738188573441261568 1
;! buffer4 = i64 -2305843009213693952
shader "bitrev i64" mask lanes=8 scratch=0 frame=0 {
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
    v12: <i64> = bitrev v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: i64 = bitrev v10
    store.global v13, v1, v14, v2
    return 0
}
