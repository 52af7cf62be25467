; Integer operations of two operands, varying and uniform.
;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer1: i8 3 -1 -1 0 2 33 0 1
;! buffer3 = i8 10 -2 127 0 -5 17 100 -127
;! buffer4 = i8 10
shader "iadd i8" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i8> = iadd v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = iadd v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer1: i16 3 -1 -1 0 2 17185 0 1
;! buffer3 = i16 10 -2 32767 0 -5 8721 100 -32767
;! buffer4 = i16 10
shader "iadd i16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i16> = iadd v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i16 = iadd v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer1: i32 3 -1 -1 0 2 -2023406815 0 1
;! buffer3 = i32 10 -2 2147483647 0 -5 572662289 100 -2147483647
;! buffer4 = i32 10
shader "iadd i32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i32> = iadd v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i32 = iadd v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer1: i64 3 -1 -1 0 2 1147797409030816545 0 1
;! buffer3 = i64 10 -2 9223372036854775807 0 -5 2459565876494606865 100 -9223372036854775807
;! buffer4 = i64 10
shader "iadd i64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i64> = iadd v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i64 = iadd v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer1: i8 3 -1 -1 0 2 33 0 1
;! buffer3 = i8 4 0 -127 0 -9 -49 100 127
;! buffer4 = i8 4
shader "isub i8" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i8> = isub v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = isub v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer1: i16 3 -1 -1 0 2 17185 0 1
;! buffer3 = i16 4 0 -32767 0 -9 -25649 100 32767
;! buffer4 = i16 4
shader "isub i16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i16> = isub v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i16 = isub v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer1: i32 3 -1 -1 0 2 -2023406815 0 1
;! buffer3 = i32 4 0 -2147483647 0 -9 324508623 100 2147483647
;! buffer4 = i32 4
shader "isub i32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i32> = isub v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i32 = isub v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer1: i64 3 -1 -1 0 2 1147797409030816545 0 1
;! buffer3 = i64 4 0 -9223372036854775807 0 -9 163971058432973775 100 9223372036854775807
;! buffer4 = i64 4
shader "isub i64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i64> = isub v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i64 = isub v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer1: i8 3 -1 -1 0 2 33 0 1
;! buffer3 = i8 21 1 -128 0 -14 -16 0 -128
;! buffer4 = i8 21
shader "imul i8" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i8> = imul v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = imul v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer1: i16 3 -1 -1 0 2 17185 0 1
;! buffer3 = i16 21 1 -32768 0 -14 -29456 0 -32768
;! buffer4 = i16 21
shader "imul i16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i16> = imul v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i16 = imul v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer1: i32 3 -1 -1 0 2 -2023406815 0 1
;! buffer3 = i32 21 1 -2147483648 0 -14 -446591760 0 -2147483648
;! buffer4 = i32 21
shader "imul i32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i32> = imul v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i32 = imul v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer1: i64 3 -1 -1 0 2 1147797409030816545 0 1
;! buffer3 = i64 21 1 -9223372036854775808 0 -14 2465395958572223728 0 -9223372036854775808
;! buffer4 = i64 21
shader "imul i64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i64> = imul v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i64 = imul v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer1: i8 3 -1 -1 0 2 33 0 1
;! buffer3 = i8 0 -2 127 0 1 30 0 0
;! buffer4 = i8 0
shader "umulh i8" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i8> = umulh v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = umulh v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer1: i16 3 -1 -1 0 2 17185 0 1
;! buffer3 = i16 0 -2 32767 0 1 14965 0 0
;! buffer4 = i16 0
shader "umulh i16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i16> = umulh v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i16 = umulh v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer1: i32 3 -1 -1 0 2 -2023406815 0 1
;! buffer3 = i32 0 -2 2147483647 0 1 1373032103 0 0
;! buffer4 = i32 0
shader "umulh i32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i32> = umulh v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i32 = umulh v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer1: i64 3 -1 -1 0 2 1147797409030816545 0 1
;! buffer3 = i64 0 -2 9223372036854775807 0 1 81621149086635842 0 0
;! buffer4 = i64 0
shader "umulh i64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i64> = umulh v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i64 = umulh v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer1: i8 3 -1 -1 0 2 33 0 1
;! buffer3 = i8 0 0 0 0 -1 -3 0 -1
;! buffer4 = i8 0
shader "smulh i8" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i8> = smulh v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = smulh v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer1: i16 3 -1 -1 0 2 17185 0 1
;! buffer3 = i16 0 0 0 0 -1 -2220 0 -1
;! buffer4 = i16 0
shader "smulh i16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i16> = smulh v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i16 = smulh v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer1: i32 3 -1 -1 0 2 -2023406815 0 1
;! buffer3 = i32 0 0 0 0 -1 800369814 0 -1
;! buffer4 = i32 0
shader "smulh i32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i32> = smulh v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i32 = smulh v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer1: i64 3 -1 -1 0 2 1147797409030816545 0 1
;! buffer3 = i64 0 0 0 0 -1 81621149086635842 0 -1
;! buffer4 = i64 0
shader "smulh i64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i64> = smulh v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i64 = smulh v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer1: i8 3 -1 -1 0 2 33 0 1
;! buffer3 = i8 2 1 0 -1 124 7 -1 -128
;! buffer4 = i8 2
shader "udiv i8" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i8> = udiv v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = udiv v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer1: i16 3 -1 -1 0 2 17185 0 1
;! buffer3 = i16 2 1 0 -1 32764 3 -1 -32768
;! buffer4 = i16 2
shader "udiv i16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i16> = udiv v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i16 = udiv v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer1: i32 3 -1 -1 0 2 -2023406815 0 1
;! buffer3 = i32 2 1 0 -1 2147483644 1 -1 -2147483648
;! buffer4 = i32 2
shader "udiv i32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i32> = udiv v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i32 = udiv v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer1: i64 3 -1 -1 0 2 1147797409030816545 0 1
;! buffer3 = i64 2 1 0 -1 9223372036854775804 1 -1 -9223372036854775808
;! buffer4 = i64 2
shader "udiv i64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i64> = udiv v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i64 = udiv v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer1: i8 3 -1 -1 0 2 33 0 1
;! buffer3 = i8 2 1 -128 -1 -3 0 -1 -128
;! buffer4 = i8 2
shader "sdiv i8" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i8> = sdiv v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = sdiv v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer1: i16 3 -1 -1 0 2 17185 0 1
;! buffer3 = i16 2 1 -32768 -1 -3 0 -1 -32768
;! buffer4 = i16 2
shader "sdiv i16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i16> = sdiv v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i16 = sdiv v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer1: i32 3 -1 -1 0 2 -2023406815 0 1
;! buffer3 = i32 2 1 -2147483648 -1 -3 0 -1 -2147483648
;! buffer4 = i32 2
shader "sdiv i32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i32> = sdiv v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i32 = sdiv v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer1: i64 3 -1 -1 0 2 1147797409030816545 0 1
;! buffer3 = i64 2 1 -9223372036854775808 -1 -3 1 -1 -9223372036854775808
;! buffer4 = i64 2
shader "sdiv i64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i64> = sdiv v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i64 = sdiv v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer1: i8 3 -1 -1 0 2 33 0 1
;! buffer3 = i8 1 0 -128 0 1 9 100 0
;! buffer4 = i8 1
shader "urem i8" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i8> = urem v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = urem v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer1: i16 3 -1 -1 0 2 17185 0 1
;! buffer3 = i16 1 0 -32768 0 1 5517 100 0
;! buffer4 = i16 1
shader "urem i16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i16> = urem v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i16 = urem v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer1: i32 3 -1 -1 0 2 -2023406815 0 1
;! buffer3 = i32 1 0 -2147483648 0 1 324508623 100 0
;! buffer4 = i32 1
shader "urem i32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i32> = urem v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i32 = urem v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer1: i64 3 -1 -1 0 2 1147797409030816545 0 1
;! buffer3 = i64 1 0 -9223372036854775808 0 1 163971058432973775 100 0
;! buffer4 = i64 1
shader "urem i64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i64> = urem v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i64 = urem v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer1: i8 3 -1 -1 0 2 33 0 1
;! buffer3 = i8 1 0 0 0 -1 -16 100 0
;! buffer4 = i8 1
shader "srem i8" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i8> = srem v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = srem v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer1: i16 3 -1 -1 0 2 17185 0 1
;! buffer3 = i16 1 0 0 0 -1 -8464 100 0
;! buffer4 = i16 1
shader "srem i16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i16> = srem v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i16 = srem v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer1: i32 3 -1 -1 0 2 -2023406815 0 1
;! buffer3 = i32 1 0 0 0 -1 -1698898192 100 0
;! buffer4 = i32 1
shader "srem i32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i32> = srem v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i32 = srem v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer1: i64 3 -1 -1 0 2 1147797409030816545 0 1
;! buffer3 = i64 1 0 0 0 -1 163971058432973775 100 0
;! buffer4 = i64 1
shader "srem i64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i64> = srem v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i64 = srem v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer1: i8 3 -1 -1 0 2 33 0 1
;! buffer3 = i8 3 -1 -128 0 2 33 0 1
;! buffer4 = i8 3
shader "umin i8" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i8> = umin v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = umin v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer1: i16 3 -1 -1 0 2 17185 0 1
;! buffer3 = i16 3 -1 -32768 0 2 17185 0 1
;! buffer4 = i16 3
shader "umin i16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i16> = umin v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i16 = umin v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer1: i32 3 -1 -1 0 2 -2023406815 0 1
;! buffer3 = i32 3 -1 -2147483648 0 2 -2023406815 0 1
;! buffer4 = i32 3
shader "umin i32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i32> = umin v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i32 = umin v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer1: i64 3 -1 -1 0 2 1147797409030816545 0 1
;! buffer3 = i64 3 -1 -9223372036854775808 0 2 1147797409030816545 0 1
;! buffer4 = i64 3
shader "umin i64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i64> = umin v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i64 = umin v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer1: i8 3 -1 -1 0 2 33 0 1
;! buffer3 = i8 7 -1 -1 0 -7 -16 100 -128
;! buffer4 = i8 7
shader "umax i8" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i8> = umax v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = umax v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer1: i16 3 -1 -1 0 2 17185 0 1
;! buffer3 = i16 7 -1 -1 0 -7 -8464 100 -32768
;! buffer4 = i16 7
shader "umax i16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i16> = umax v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i16 = umax v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer1: i32 3 -1 -1 0 2 -2023406815 0 1
;! buffer3 = i32 7 -1 -1 0 -7 -1698898192 100 -2147483648
;! buffer4 = i32 7
shader "umax i32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i32> = umax v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i32 = umax v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer1: i64 3 -1 -1 0 2 1147797409030816545 0 1
;! buffer3 = i64 7 -1 -1 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer4 = i64 7
shader "umax i64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i64> = umax v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i64 = umax v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer1: i8 3 -1 -1 0 2 33 0 1
;! buffer3 = i8 3 -1 -128 0 -7 -16 0 -128
;! buffer4 = i8 3
shader "smin i8" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i8> = smin v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = smin v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer1: i16 3 -1 -1 0 2 17185 0 1
;! buffer3 = i16 3 -1 -32768 0 -7 -8464 0 -32768
;! buffer4 = i16 3
shader "smin i16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i16> = smin v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i16 = smin v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer1: i32 3 -1 -1 0 2 -2023406815 0 1
;! buffer3 = i32 3 -1 -2147483648 0 -7 -2023406815 0 -2147483648
;! buffer4 = i32 3
shader "smin i32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i32> = smin v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i32 = smin v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer1: i64 3 -1 -1 0 2 1147797409030816545 0 1
;! buffer3 = i64 3 -1 -9223372036854775808 0 -7 1147797409030816545 0 -9223372036854775808
;! buffer4 = i64 3
shader "smin i64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i64> = smin v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i64 = smin v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer1: i8 3 -1 -1 0 2 33 0 1
;! buffer3 = i8 7 -1 -1 0 2 33 100 1
;! buffer4 = i8 7
shader "smax i8" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i8> = smax v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = smax v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer1: i16 3 -1 -1 0 2 17185 0 1
;! buffer3 = i16 7 -1 -1 0 2 17185 100 1
;! buffer4 = i16 7
shader "smax i16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i16> = smax v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i16 = smax v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer1: i32 3 -1 -1 0 2 -2023406815 0 1
;! buffer3 = i32 7 -1 -1 0 2 -1698898192 100 1
;! buffer4 = i32 7
shader "smax i32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i32> = smax v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i32 = smax v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer1: i64 3 -1 -1 0 2 1147797409030816545 0 1
;! buffer3 = i64 7 -1 -1 0 2 1311768467463790320 100 1
;! buffer4 = i64 7
shader "smax i64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i64> = smax v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i64 = smax v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer1: i8 3 -1 -1 0 2 33 0 1
;! buffer3 = i8 56 -128 0 0 -28 -32 100 0
;! buffer4 = i8 56
shader "shl i8" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i8> = shl v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = shl v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer1: i16 3 -1 -1 0 2 17185 0 1
;! buffer3 = i16 56 -32768 0 0 -28 -16928 100 0
;! buffer4 = i16 56
shader "shl i16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i16> = shl v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i16 = shl v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer1: i32 3 -1 -1 0 2 -2023406815 0 1
;! buffer3 = i32 56 -2147483648 0 0 -28 897170912 100 0
;! buffer4 = i32 56
shader "shl i32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i32> = shl v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i32 = shl v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer1: i64 3 -1 -1 0 2 1147797409030816545 0 1
;! buffer3 = i64 56 -9223372036854775808 0 0 -28 3853319725962493952 100 0
;! buffer4 = i64 56
shader "shl i64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i64> = shl v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i64 = shl v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer1: i8 3 -1 -1 0 2 33 0 1
;! buffer3 = i8 0 1 1 0 62 120 100 64
;! buffer4 = i8 0
shader "lshr i8" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i8> = lshr v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = lshr v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer1: i16 3 -1 -1 0 2 17185 0 1
;! buffer3 = i16 0 1 1 0 16382 28536 100 16384
;! buffer4 = i16 0
shader "lshr i16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i16> = lshr v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i16 = lshr v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer1: i32 3 -1 -1 0 2 -2023406815 0 1
;! buffer3 = i32 0 1 1 0 1073741822 1298034552 100 1073741824
;! buffer4 = i32 0
shader "lshr i32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i32> = lshr v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i32 = lshr v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer1: i64 3 -1 -1 0 2 1147797409030816545 0 1
;! buffer3 = i64 0 1 1 0 4611686018427387902 152709948 100 4611686018427387904
;! buffer4 = i64 0
shader "lshr i64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i64> = lshr v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i64 = lshr v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer1: i8 3 -1 -1 0 2 33 0 1
;! buffer3 = i8 0 -1 -1 0 -2 -8 100 -64
;! buffer4 = i8 0
shader "ashr i8" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i8> = ashr v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = ashr v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer1: i16 3 -1 -1 0 2 17185 0 1
;! buffer3 = i16 0 -1 -1 0 -2 -4232 100 -16384
;! buffer4 = i16 0
shader "ashr i16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i16> = ashr v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i16 = ashr v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer1: i32 3 -1 -1 0 2 -2023406815 0 1
;! buffer3 = i32 0 -1 -1 0 -2 -849449096 100 -1073741824
;! buffer4 = i32 0
shader "ashr i32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i32> = ashr v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i32 = ashr v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer1: i64 3 -1 -1 0 2 1147797409030816545 0 1
;! buffer3 = i64 0 -1 -1 0 -2 152709948 100 -4611686018427387904
;! buffer4 = i64 0
shader "ashr i64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i64> = ashr v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i64 = ashr v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer1: i8 3 -1 -1 0 2 33 0 1
;! buffer3 = i8 3 -1 -128 0 0 32 0 0
;! buffer4 = i8 3
shader "and i8" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i8> = and v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = and v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer1: i16 3 -1 -1 0 2 17185 0 1
;! buffer3 = i16 3 -1 -32768 0 0 16928 0 0
;! buffer4 = i16 3
shader "and i16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i16> = and v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i16 = and v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer1: i32 3 -1 -1 0 2 -2023406815 0 1
;! buffer3 = i32 3 -1 -2147483648 0 0 -2111552992 0 0
;! buffer4 = i32 3
shader "and i32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i32> = and v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i32 = and v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer1: i64 3 -1 -1 0 2 1147797409030816545 0 1
;! buffer3 = i64 3 -1 -9223372036854775808 0 0 154321028986978848 0 0
;! buffer4 = i64 3
shader "and i64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i64> = and v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i64 = and v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer1: i8 3 -1 -1 0 2 33 0 1
;! buffer3 = i8 7 -1 -1 0 -5 -15 100 -127
;! buffer4 = i8 7
shader "or i8" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i8> = or v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = or v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer1: i16 3 -1 -1 0 2 17185 0 1
;! buffer3 = i16 7 -1 -1 0 -5 -8207 100 -32767
;! buffer4 = i16 7
shader "or i16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i16> = or v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i16 = or v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer1: i32 3 -1 -1 0 2 -2023406815 0 1
;! buffer3 = i32 7 -1 -1 0 -5 -1610752015 100 -2147483647
;! buffer4 = i32 7
shader "or i32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i32> = or v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i32 = or v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer1: i64 3 -1 -1 0 2 1147797409030816545 0 1
;! buffer3 = i64 7 -1 -1 0 -5 2305244847507628017 100 -9223372036854775807
;! buffer4 = i64 7
shader "or i64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i64> = or v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i64 = or v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer1: i8 3 -1 -1 0 2 33 0 1
;! buffer3 = i8 4 0 127 0 -5 -47 100 -127
;! buffer4 = i8 4
shader "xor i8" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i8> = xor v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = xor v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer1: i16 3 -1 -1 0 2 17185 0 1
;! buffer3 = i16 4 0 32767 0 -5 -25135 100 -32767
;! buffer4 = i16 4
shader "xor i16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i16> = xor v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i16 = xor v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer1: i32 3 -1 -1 0 2 -2023406815 0 1
;! buffer3 = i32 4 0 2147483647 0 -5 500800977 100 -2147483647
;! buffer4 = i32 4
shader "xor i32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i32> = xor v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i32 = xor v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer1: i64 3 -1 -1 0 2 1147797409030816545 0 1
;! buffer3 = i64 4 0 9223372036854775807 0 -5 2150923818520649169 100 -9223372036854775807
;! buffer4 = i64 4
shader "xor i64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i64> = xor v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i64 = xor v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 100 -128
;! buffer1: i8 3 -1 -1 0 2 33 0 1
;! buffer3 = i8 4 0 0 0 -7 -48 100 -128
;! buffer4 = i8 4
shader "andnot i8" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i8> = andnot v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = andnot v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 100 -32768
;! buffer1: i16 3 -1 -1 0 2 17185 0 1
;! buffer3 = i16 4 0 0 0 -7 -25392 100 -32768
;! buffer4 = i16 4
shader "andnot i16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i16> = andnot v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i16 = andnot v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 100 -2147483648
;! buffer1: i32 3 -1 -1 0 2 -2023406815 0 1
;! buffer3 = i32 4 0 0 0 -7 412654800 100 -2147483648
;! buffer4 = i32 4
shader "andnot i32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i32> = andnot v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i32 = andnot v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 100 -9223372036854775808
;! buffer1: i64 3 -1 -1 0 2 1147797409030816545 0 1
;! buffer3 = i64 4 0 0 0 -7 1157447438476811472 100 -9223372036854775808
;! buffer4 = i64 4
shader "andnot i64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <i64> = andnot v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i64 = andnot v10, v13
    store.global v16, v1, v17, v2
    return 0
}
