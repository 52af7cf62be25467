; Atomic operations: lanes take effect in ascending order, lanes whose predicate is false give zero.
;! run
;! buffer0: i8 10 -5 0 90
;! buffer1: i8 3 -1 9 102 5 -128 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! buffer0 = i8 25 -6 -123 -64
;! buffer5 = i8 10 -5 0 90 0 5 13 0
shader "atomic_add i8" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 1
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i8> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: <i8> = atomic_add.global v8, v21, v14, v20
    store.global v13, v7, v22, v3
    return 0
}

;! run
;! shared: i16 10 -5 0 90
;! buffer1: i16 3 -1 9 102 5 -32768 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! shared = i16 25 -6 -32763 192
;! buffer5 = i16 10 -5 0 90 0 5 13 0
shader "atomic_add i16" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 2
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i16> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: i64 = arg 1
    v23: i64 = load.context v22, v1, v2 +32
    v24: <i16> = atomic_add.shared v23, v21, v14, v20
    store.global v13, v7, v24, v3
    return 0
}

;! run
;! buffer0: i32 10 -5 0 90
;! buffer1: i32 3 -1 9 102 5 -2147483648 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! buffer0 = i32 25 -6 -2147483643 192
;! buffer5 = i32 10 -5 0 90 0 5 13 0
shader "atomic_add i32" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 4
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i32> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: <i32> = atomic_add.global v8, v21, v14, v20
    store.global v13, v7, v22, v3
    return 0
}

;! run
;! shared: i64 10 -5 0 90
;! buffer1: i64 3 -1 9 102 5 -9223372036854775808 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! shared = i64 25 -6 -9223372036854775803 192
;! buffer5 = i64 10 -5 0 90 0 5 13 0
shader "atomic_add i64" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 8
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i64> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: i64 = arg 1
    v23: i64 = load.context v22, v1, v2 +32
    v24: <i64> = atomic_add.shared v23, v21, v14, v20
    store.global v13, v7, v24, v3
    return 0
}

;! run
;! buffer0: i8 10 -5 0 90
;! buffer1: i8 3 -1 9 102 5 -128 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! buffer0 = i8 0 -5 0 66
;! buffer5 = i8 10 -5 0 90 0 0 2 0
shader "atomic_and i8" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 1
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i8> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: <i8> = atomic_and.global v8, v21, v14, v20
    store.global v13, v7, v22, v3
    return 0
}

;! run
;! shared: i16 10 -5 0 90
;! buffer1: i16 3 -1 9 102 5 -32768 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! shared = i16 0 -5 0 66
;! buffer5 = i16 10 -5 0 90 0 0 2 0
shader "atomic_and i16" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 2
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i16> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: i64 = arg 1
    v23: i64 = load.context v22, v1, v2 +32
    v24: <i16> = atomic_and.shared v23, v21, v14, v20
    store.global v13, v7, v24, v3
    return 0
}

;! run
;! buffer0: i32 10 -5 0 90
;! buffer1: i32 3 -1 9 102 5 -2147483648 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! buffer0 = i32 0 -5 0 66
;! buffer5 = i32 10 -5 0 90 0 0 2 0
shader "atomic_and i32" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 4
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i32> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: <i32> = atomic_and.global v8, v21, v14, v20
    store.global v13, v7, v22, v3
    return 0
}

;! run
;! shared: i64 10 -5 0 90
;! buffer1: i64 3 -1 9 102 5 -9223372036854775808 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! shared = i64 0 -5 0 66
;! buffer5 = i64 10 -5 0 90 0 0 2 0
shader "atomic_and i64" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 8
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i64> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: i64 = arg 1
    v23: i64 = load.context v22, v1, v2 +32
    v24: <i64> = atomic_and.shared v23, v21, v14, v20
    store.global v13, v7, v24, v3
    return 0
}

;! run
;! buffer0: i8 10 -5 0 90
;! buffer1: i8 3 -1 9 102 5 -128 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! buffer0 = i8 15 -1 -123 126
;! buffer5 = i8 10 -5 0 90 0 5 11 0
shader "atomic_or i8" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 1
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i8> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: <i8> = atomic_or.global v8, v21, v14, v20
    store.global v13, v7, v22, v3
    return 0
}

;! run
;! shared: i16 10 -5 0 90
;! buffer1: i16 3 -1 9 102 5 -32768 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! shared = i16 15 -1 -32763 126
;! buffer5 = i16 10 -5 0 90 0 5 11 0
shader "atomic_or i16" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 2
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i16> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: i64 = arg 1
    v23: i64 = load.context v22, v1, v2 +32
    v24: <i16> = atomic_or.shared v23, v21, v14, v20
    store.global v13, v7, v24, v3
    return 0
}

;! run
;! buffer0: i32 10 -5 0 90
;! buffer1: i32 3 -1 9 102 5 -2147483648 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! buffer0 = i32 15 -1 -2147483643 126
;! buffer5 = i32 10 -5 0 90 0 5 11 0
shader "atomic_or i32" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 4
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i32> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: <i32> = atomic_or.global v8, v21, v14, v20
    store.global v13, v7, v22, v3
    return 0
}

;! run
;! shared: i64 10 -5 0 90
;! buffer1: i64 3 -1 9 102 5 -9223372036854775808 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! shared = i64 15 -1 -9223372036854775803 126
;! buffer5 = i64 10 -5 0 90 0 5 11 0
shader "atomic_or i64" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 8
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i64> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: i64 = arg 1
    v23: i64 = load.context v22, v1, v2 +32
    v24: <i64> = atomic_or.shared v23, v21, v14, v20
    store.global v13, v7, v24, v3
    return 0
}

;! run
;! buffer0: i8 10 -5 0 90
;! buffer1: i8 3 -1 9 102 5 -128 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! buffer0 = i8 5 4 -123 60
;! buffer5 = i8 10 -5 0 90 0 5 9 0
shader "atomic_xor i8" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 1
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i8> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: <i8> = atomic_xor.global v8, v21, v14, v20
    store.global v13, v7, v22, v3
    return 0
}

;! run
;! shared: i16 10 -5 0 90
;! buffer1: i16 3 -1 9 102 5 -32768 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! shared = i16 5 4 -32763 60
;! buffer5 = i16 10 -5 0 90 0 5 9 0
shader "atomic_xor i16" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 2
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i16> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: i64 = arg 1
    v23: i64 = load.context v22, v1, v2 +32
    v24: <i16> = atomic_xor.shared v23, v21, v14, v20
    store.global v13, v7, v24, v3
    return 0
}

;! run
;! buffer0: i32 10 -5 0 90
;! buffer1: i32 3 -1 9 102 5 -2147483648 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! buffer0 = i32 5 4 -2147483643 60
;! buffer5 = i32 10 -5 0 90 0 5 9 0
shader "atomic_xor i32" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 4
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i32> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: <i32> = atomic_xor.global v8, v21, v14, v20
    store.global v13, v7, v22, v3
    return 0
}

;! run
;! shared: i64 10 -5 0 90
;! buffer1: i64 3 -1 9 102 5 -9223372036854775808 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! shared = i64 5 4 -9223372036854775803 60
;! buffer5 = i64 10 -5 0 90 0 5 9 0
shader "atomic_xor i64" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 8
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i64> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: i64 = arg 1
    v23: i64 = load.context v22, v1, v2 +32
    v24: <i64> = atomic_xor.shared v23, v21, v14, v20
    store.global v13, v7, v24, v3
    return 0
}

;! run
;! buffer0: i8 10 -5 0 90
;! buffer1: i8 3 -1 9 102 5 -128 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! buffer0 = i8 3 -5 0 90
;! buffer5 = i8 10 -5 0 90 0 0 3 0
shader "atomic_umin i8" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 1
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i8> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: <i8> = atomic_umin.global v8, v21, v14, v20
    store.global v13, v7, v22, v3
    return 0
}

;! run
;! shared: i16 10 -5 0 90
;! buffer1: i16 3 -1 9 102 5 -32768 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! shared = i16 3 -5 0 90
;! buffer5 = i16 10 -5 0 90 0 0 3 0
shader "atomic_umin i16" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 2
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i16> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: i64 = arg 1
    v23: i64 = load.context v22, v1, v2 +32
    v24: <i16> = atomic_umin.shared v23, v21, v14, v20
    store.global v13, v7, v24, v3
    return 0
}

;! run
;! buffer0: i32 10 -5 0 90
;! buffer1: i32 3 -1 9 102 5 -2147483648 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! buffer0 = i32 3 -5 0 90
;! buffer5 = i32 10 -5 0 90 0 0 3 0
shader "atomic_umin i32" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 4
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i32> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: <i32> = atomic_umin.global v8, v21, v14, v20
    store.global v13, v7, v22, v3
    return 0
}

;! run
;! shared: i64 10 -5 0 90
;! buffer1: i64 3 -1 9 102 5 -9223372036854775808 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! shared = i64 3 -5 0 90
;! buffer5 = i64 10 -5 0 90 0 0 3 0
shader "atomic_umin i64" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 8
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i64> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: i64 = arg 1
    v23: i64 = load.context v22, v1, v2 +32
    v24: <i64> = atomic_umin.shared v23, v21, v14, v20
    store.global v13, v7, v24, v3
    return 0
}

;! run
;! buffer0: i8 10 -5 0 90
;! buffer1: i8 3 -1 9 102 5 -128 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! buffer0 = i8 12 -1 -128 102
;! buffer5 = i8 10 -5 0 90 0 5 10 0
shader "atomic_umax i8" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 1
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i8> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: <i8> = atomic_umax.global v8, v21, v14, v20
    store.global v13, v7, v22, v3
    return 0
}

;! run
;! shared: i16 10 -5 0 90
;! buffer1: i16 3 -1 9 102 5 -32768 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! shared = i16 12 -1 -32768 102
;! buffer5 = i16 10 -5 0 90 0 5 10 0
shader "atomic_umax i16" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 2
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i16> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: i64 = arg 1
    v23: i64 = load.context v22, v1, v2 +32
    v24: <i16> = atomic_umax.shared v23, v21, v14, v20
    store.global v13, v7, v24, v3
    return 0
}

;! run
;! buffer0: i32 10 -5 0 90
;! buffer1: i32 3 -1 9 102 5 -2147483648 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! buffer0 = i32 12 -1 -2147483648 102
;! buffer5 = i32 10 -5 0 90 0 5 10 0
shader "atomic_umax i32" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 4
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i32> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: <i32> = atomic_umax.global v8, v21, v14, v20
    store.global v13, v7, v22, v3
    return 0
}

;! run
;! shared: i64 10 -5 0 90
;! buffer1: i64 3 -1 9 102 5 -9223372036854775808 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! shared = i64 12 -1 -9223372036854775808 102
;! buffer5 = i64 10 -5 0 90 0 5 10 0
shader "atomic_umax i64" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 8
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i64> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: i64 = arg 1
    v23: i64 = load.context v22, v1, v2 +32
    v24: <i64> = atomic_umax.shared v23, v21, v14, v20
    store.global v13, v7, v24, v3
    return 0
}

;! run
;! buffer0: i8 10 -5 0 90
;! buffer1: i8 3 -1 9 102 5 -128 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! buffer0 = i8 3 -5 -128 90
;! buffer5 = i8 10 -5 0 90 0 0 3 0
shader "atomic_smin i8" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 1
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i8> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: <i8> = atomic_smin.global v8, v21, v14, v20
    store.global v13, v7, v22, v3
    return 0
}

;! run
;! shared: i16 10 -5 0 90
;! buffer1: i16 3 -1 9 102 5 -32768 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! shared = i16 3 -5 -32768 90
;! buffer5 = i16 10 -5 0 90 0 0 3 0
shader "atomic_smin i16" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 2
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i16> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: i64 = arg 1
    v23: i64 = load.context v22, v1, v2 +32
    v24: <i16> = atomic_smin.shared v23, v21, v14, v20
    store.global v13, v7, v24, v3
    return 0
}

;! run
;! buffer0: i32 10 -5 0 90
;! buffer1: i32 3 -1 9 102 5 -2147483648 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! buffer0 = i32 3 -5 -2147483648 90
;! buffer5 = i32 10 -5 0 90 0 0 3 0
shader "atomic_smin i32" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 4
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i32> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: <i32> = atomic_smin.global v8, v21, v14, v20
    store.global v13, v7, v22, v3
    return 0
}

;! run
;! shared: i64 10 -5 0 90
;! buffer1: i64 3 -1 9 102 5 -9223372036854775808 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! shared = i64 3 -5 -9223372036854775808 90
;! buffer5 = i64 10 -5 0 90 0 0 3 0
shader "atomic_smin i64" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 8
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i64> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: i64 = arg 1
    v23: i64 = load.context v22, v1, v2 +32
    v24: <i64> = atomic_smin.shared v23, v21, v14, v20
    store.global v13, v7, v24, v3
    return 0
}

;! run
;! buffer0: i8 10 -5 0 90
;! buffer1: i8 3 -1 9 102 5 -128 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! buffer0 = i8 12 -1 5 102
;! buffer5 = i8 10 -5 0 90 0 5 10 0
shader "atomic_smax i8" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 1
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i8> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: <i8> = atomic_smax.global v8, v21, v14, v20
    store.global v13, v7, v22, v3
    return 0
}

;! run
;! shared: i16 10 -5 0 90
;! buffer1: i16 3 -1 9 102 5 -32768 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! shared = i16 12 -1 5 102
;! buffer5 = i16 10 -5 0 90 0 5 10 0
shader "atomic_smax i16" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 2
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i16> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: i64 = arg 1
    v23: i64 = load.context v22, v1, v2 +32
    v24: <i16> = atomic_smax.shared v23, v21, v14, v20
    store.global v13, v7, v24, v3
    return 0
}

;! run
;! buffer0: i32 10 -5 0 90
;! buffer1: i32 3 -1 9 102 5 -2147483648 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! buffer0 = i32 12 -1 5 102
;! buffer5 = i32 10 -5 0 90 0 5 10 0
shader "atomic_smax i32" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 4
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i32> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: <i32> = atomic_smax.global v8, v21, v14, v20
    store.global v13, v7, v22, v3
    return 0
}

;! run
;! shared: i64 10 -5 0 90
;! buffer1: i64 3 -1 9 102 5 -9223372036854775808 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! shared = i64 12 -1 5 102
;! buffer5 = i64 10 -5 0 90 0 5 10 0
shader "atomic_smax i64" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 8
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i64> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: i64 = arg 1
    v23: i64 = load.context v22, v1, v2 +32
    v24: <i64> = atomic_smax.shared v23, v21, v14, v20
    store.global v13, v7, v24, v3
    return 0
}

;! run
;! buffer0: i8 10 -5 0 90
;! buffer1: i8 3 -1 9 102 5 -128 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! buffer0 = i8 12 -1 -128 102
;! buffer5 = i8 10 -5 0 90 0 5 3 0
shader "atomic_xchg i8" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 1
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i8> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: <i8> = atomic_xchg.global v8, v21, v14, v20
    store.global v13, v7, v22, v3
    return 0
}

;! run
;! shared: i16 10 -5 0 90
;! buffer1: i16 3 -1 9 102 5 -32768 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! shared = i16 12 -1 -32768 102
;! buffer5 = i16 10 -5 0 90 0 5 3 0
shader "atomic_xchg i16" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 2
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i16> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: i64 = arg 1
    v23: i64 = load.context v22, v1, v2 +32
    v24: <i16> = atomic_xchg.shared v23, v21, v14, v20
    store.global v13, v7, v24, v3
    return 0
}

;! run
;! buffer0: i32 10 -5 0 90
;! buffer1: i32 3 -1 9 102 5 -2147483648 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! buffer0 = i32 12 -1 -2147483648 102
;! buffer5 = i32 10 -5 0 90 0 5 3 0
shader "atomic_xchg i32" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 4
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i32> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: <i32> = atomic_xchg.global v8, v21, v14, v20
    store.global v13, v7, v22, v3
    return 0
}

;! run
;! shared: i64 10 -5 0 90
;! buffer1: i64 3 -1 9 102 5 -9223372036854775808 12 4
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! shared = i64 12 -1 -9223372036854775808 102
;! buffer5 = i64 10 -5 0 90 0 5 3 0
shader "atomic_xchg i64" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 8
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i64> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: i64 = arg 1
    v23: i64 = load.context v22, v1, v2 +32
    v24: <i64> = atomic_xchg.shared v23, v21, v14, v20
    store.global v13, v7, v24, v3
    return 0
}

;! run
;! buffer0: i8 10 -5 0 90
;! buffer1: i8 3 -1 9 102 5 -128 12 4
;! buffer2: i8 10 7 10 90 0 1 3 0
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! buffer0 = i8 12 -5 5 102
;! buffer5 = i8 10 -5 0 90 0 5 3 0
shader "atomic_cmpxchg i8" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 1
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i8> = load.global v9, v7, v3
    v15: <i8> = load.global v10, v7, v3
    v16: <i8> = load.global v11, v4, v3
    v17: <i32> = zext v16
    v18: <i8> = load.global v12, v4, v3
    v19: i8 = const 0
    v20: <i8> = splat v19
    v21: <i1> = ine v18, v20
    v22: <i32> = imul v17, v6
    v23: <i8> = atomic_cmpxchg.global v8, v22, v15, v14, v21
    store.global v13, v7, v23, v3
    return 0
}

;! run
;! shared: i16 10 -5 0 90
;! buffer1: i16 3 -1 9 102 5 -32768 12 4
;! buffer2: i16 10 7 10 90 0 1 3 0
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! shared = i16 12 -5 5 102
;! buffer5 = i16 10 -5 0 90 0 5 3 0
shader "atomic_cmpxchg i16" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 2
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i16> = load.global v9, v7, v3
    v15: <i16> = load.global v10, v7, v3
    v16: <i8> = load.global v11, v4, v3
    v17: <i32> = zext v16
    v18: <i8> = load.global v12, v4, v3
    v19: i8 = const 0
    v20: <i8> = splat v19
    v21: <i1> = ine v18, v20
    v22: <i32> = imul v17, v6
    v23: i64 = arg 1
    v24: i64 = load.context v23, v1, v2 +32
    v25: <i16> = atomic_cmpxchg.shared v24, v22, v15, v14, v21
    store.global v13, v7, v25, v3
    return 0
}

;! run
;! buffer0: i32 10 -5 0 90
;! buffer1: i32 3 -1 9 102 5 -2147483648 12 4
;! buffer2: i32 10 7 10 90 0 1 3 0
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! buffer0 = i32 12 -5 5 102
;! buffer5 = i32 10 -5 0 90 0 5 3 0
shader "atomic_cmpxchg i32" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 4
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i32> = load.global v9, v7, v3
    v15: <i32> = load.global v10, v7, v3
    v16: <i8> = load.global v11, v4, v3
    v17: <i32> = zext v16
    v18: <i8> = load.global v12, v4, v3
    v19: i8 = const 0
    v20: <i8> = splat v19
    v21: <i1> = ine v18, v20
    v22: <i32> = imul v17, v6
    v23: <i32> = atomic_cmpxchg.global v8, v22, v15, v14, v21
    store.global v13, v7, v23, v3
    return 0
}

;! run
;! shared: i64 10 -5 0 90
;! buffer1: i64 3 -1 9 102 5 -9223372036854775808 12 4
;! buffer2: i64 10 7 10 90 0 1 3 0
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! shared = i64 12 -5 5 102
;! buffer5 = i64 10 -5 0 90 0 5 3 0
shader "atomic_cmpxchg i64" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 8
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <i64> = load.global v9, v7, v3
    v15: <i64> = load.global v10, v7, v3
    v16: <i8> = load.global v11, v4, v3
    v17: <i32> = zext v16
    v18: <i8> = load.global v12, v4, v3
    v19: i8 = const 0
    v20: <i8> = splat v19
    v21: <i1> = ine v18, v20
    v22: <i32> = imul v17, v6
    v23: i64 = arg 1
    v24: i64 = load.context v23, v1, v2 +32
    v25: <i64> = atomic_cmpxchg.shared v24, v22, v15, v14, v21
    store.global v13, v7, v25, v3
    return 0
}

;! run
;! buffer0: f16 0x4000 0x7e00 0x3800 0x4700
;! buffer1: f16 0x3e00 0xc000 0x4880 0x3000 0x3400 0xb800 0x4200 0x3c00
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! buffer0 = f16 0x4680 0x7e00 0x3400 0x4720
;! buffer5 = f16 0x4000 0x7e00 0x0000 0x4700 0x3800 0x3a00 0x4300 0x0000
shader "atomic_fadd f16" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 2
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <f16> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: <f16> = atomic_fadd.global v8, v21, v14, v20
    store.global v13, v7, v22, v3
    return 0
}

;! run
;! shared: f32 0x40000000 0x7fc00000 0x3f000000 0x40e00000
;! buffer1: f32 0x3fc00000 0xc0000000 0x41100000 0x3e000000 0x3e800000 0xbf000000 0x40400000 0x3f800000
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! shared = f32 0x40d00000 0x7fc00000 0x3e800000 0x40e40000
;! buffer5 = f32 0x40000000 0x7fc00000 0x00000000 0x40e00000 0x3f000000 0x3f400000 0x40600000 0x00000000
shader "atomic_fadd f32" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 4
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <f32> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: i64 = arg 1
    v23: i64 = load.context v22, v1, v2 +32
    v24: <f32> = atomic_fadd.shared v23, v21, v14, v20
    store.global v13, v7, v24, v3
    return 0
}

;! run
;! buffer0: f64 0x4000000000000000 0x7ff8000000000000 0x3fe0000000000000 0x401c000000000000
;! buffer1: f64 0x3ff8000000000000 0xc000000000000000 0x4022000000000000 0x3fc0000000000000 0x3fd0000000000000 0xbfe0000000000000 0x4008000000000000 0x3ff0000000000000
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! buffer0 = f64 0x401a000000000000 0x7ff8000000000000 0x3fd0000000000000 0x401c800000000000
;! buffer5 = f64 0x4000000000000000 0x7ff8000000000000 0x0000000000000000 0x401c000000000000 0x3fe0000000000000 0x3fe8000000000000 0x400c000000000000 0x0000000000000000
shader "atomic_fadd f64" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 8
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <f64> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: <f64> = atomic_fadd.global v8, v21, v14, v20
    store.global v13, v7, v22, v3
    return 0
}

;! run
;! shared: f16 0x4000 0x7e00 0x3800 0x4700
;! buffer1: f16 0x3e00 0xc000 0x4880 0x7e00 0x3400 0xb800 0x4200 0x3c00
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! shared = f16 0x3e00 0xc000 0xb800 0x4700
;! buffer5 = f16 0x4000 0x7e00 0x0000 0x4700 0x3800 0x3400 0x3e00 0x0000
shader "atomic_fmin f16" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 2
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <f16> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: i64 = arg 1
    v23: i64 = load.context v22, v1, v2 +32
    v24: <f16> = atomic_fmin.shared v23, v21, v14, v20
    store.global v13, v7, v24, v3
    return 0
}

;! run
;! buffer0: f32 0x40000000 0x7fc00000 0x3f000000 0x40e00000
;! buffer1: f32 0x3fc00000 0xc0000000 0x41100000 0x7fc00000 0x3e800000 0xbf000000 0x40400000 0x3f800000
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! buffer0 = f32 0x3fc00000 0xc0000000 0xbf000000 0x40e00000
;! buffer5 = f32 0x40000000 0x7fc00000 0x00000000 0x40e00000 0x3f000000 0x3e800000 0x3fc00000 0x00000000
shader "atomic_fmin f32" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 4
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <f32> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: <f32> = atomic_fmin.global v8, v21, v14, v20
    store.global v13, v7, v22, v3
    return 0
}

;! run
;! shared: f64 0x4000000000000000 0x7ff8000000000000 0x3fe0000000000000 0x401c000000000000
;! buffer1: f64 0x3ff8000000000000 0xc000000000000000 0x4022000000000000 0x7ff8000000000000 0x3fd0000000000000 0xbfe0000000000000 0x4008000000000000 0x3ff0000000000000
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! shared = f64 0x3ff8000000000000 0xc000000000000000 0xbfe0000000000000 0x401c000000000000
;! buffer5 = f64 0x4000000000000000 0x7ff8000000000000 0x0000000000000000 0x401c000000000000 0x3fe0000000000000 0x3fd0000000000000 0x3ff8000000000000 0x0000000000000000
shader "atomic_fmin f64" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 8
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <f64> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: i64 = arg 1
    v23: i64 = load.context v22, v1, v2 +32
    v24: <f64> = atomic_fmin.shared v23, v21, v14, v20
    store.global v13, v7, v24, v3
    return 0
}

;! run
;! buffer0: f16 0x4000 0x7e00 0x3800 0x4700
;! buffer1: f16 0x3e00 0xc000 0x4880 0x7e00 0x3400 0xb800 0x4200 0x3c00
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! buffer0 = f16 0x4200 0xc000 0x3800 0x4700
;! buffer5 = f16 0x4000 0x7e00 0x0000 0x4700 0x3800 0x3800 0x4000 0x0000
shader "atomic_fmax f16" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 2
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <f16> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: <f16> = atomic_fmax.global v8, v21, v14, v20
    store.global v13, v7, v22, v3
    return 0
}

;! run
;! shared: f32 0x40000000 0x7fc00000 0x3f000000 0x40e00000
;! buffer1: f32 0x3fc00000 0xc0000000 0x41100000 0x7fc00000 0x3e800000 0xbf000000 0x40400000 0x3f800000
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! shared = f32 0x40400000 0xc0000000 0x3f000000 0x40e00000
;! buffer5 = f32 0x40000000 0x7fc00000 0x00000000 0x40e00000 0x3f000000 0x3f000000 0x40000000 0x00000000
shader "atomic_fmax f32" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 4
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <f32> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: i64 = arg 1
    v23: i64 = load.context v22, v1, v2 +32
    v24: <f32> = atomic_fmax.shared v23, v21, v14, v20
    store.global v13, v7, v24, v3
    return 0
}

;! run
;! buffer0: f64 0x4000000000000000 0x7ff8000000000000 0x3fe0000000000000 0x401c000000000000
;! buffer1: f64 0x3ff8000000000000 0xc000000000000000 0x4022000000000000 0x7ff8000000000000 0x3fd0000000000000 0xbfe0000000000000 0x4008000000000000 0x3ff0000000000000
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! buffer0 = f64 0x4008000000000000 0xc000000000000000 0x3fe0000000000000 0x401c000000000000
;! buffer5 = f64 0x4000000000000000 0x7ff8000000000000 0x0000000000000000 0x401c000000000000 0x3fe0000000000000 0x3fe0000000000000 0x4000000000000000 0x0000000000000000
shader "atomic_fmax f64" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 8
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <f64> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: <f64> = atomic_fmax.global v8, v21, v14, v20
    store.global v13, v7, v22, v3
    return 0
}

;! run
;! shared: f16 0x4000 0x7e00 0x3800 0x4700
;! buffer1: f16 0x3e00 0xc000 0x4880 0x7e00 0x3400 0xb800 0x4200 0x3c00
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! shared = f16 0x4200 0xc000 0xb800 0x7e00
;! buffer5 = f16 0x4000 0x7e00 0x0000 0x4700 0x3800 0x3400 0x3e00 0x0000
shader "atomic_xchg f16" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 2
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <f16> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: i64 = arg 1
    v23: i64 = load.context v22, v1, v2 +32
    v24: <f16> = atomic_xchg.shared v23, v21, v14, v20
    store.global v13, v7, v24, v3
    return 0
}

;! run
;! buffer0: f32 0x40000000 0x7fc00000 0x3f000000 0x40e00000
;! buffer1: f32 0x3fc00000 0xc0000000 0x41100000 0x7fc00000 0x3e800000 0xbf000000 0x40400000 0x3f800000
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! buffer0 = f32 0x40400000 0xc0000000 0xbf000000 0x7fc00000
;! buffer5 = f32 0x40000000 0x7fc00000 0x00000000 0x40e00000 0x3f000000 0x3e800000 0x3fc00000 0x00000000
shader "atomic_xchg f32" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 4
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <f32> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: <f32> = atomic_xchg.global v8, v21, v14, v20
    store.global v13, v7, v22, v3
    return 0
}

;! run
;! shared: f64 0x4000000000000000 0x7ff8000000000000 0x3fe0000000000000 0x401c000000000000
;! buffer1: f64 0x3ff8000000000000 0xc000000000000000 0x4022000000000000 0x7ff8000000000000 0x3fd0000000000000 0xbfe0000000000000 0x4008000000000000 0x3ff0000000000000
;! buffer3: i8 0 1 0 3 2 2 0 1
;! buffer4: i8 1 1 0 1 1 1 1 0
;! shared = f64 0x4008000000000000 0xc000000000000000 0xbfe0000000000000 0x7ff8000000000000
;! buffer5 = f64 0x4000000000000000 0x7ff8000000000000 0x0000000000000000 0x401c000000000000 0x3fe0000000000000 0x3fd0000000000000 0x3ff8000000000000 0x0000000000000000
shader "atomic_xchg f64" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 8
    v6: <i32> = splat v5
    v7: <i32> = imul v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v9: i64 = load.context v0, v1, v2 +304
    v10: i64 = load.context v0, v1, v2 +312
    v11: i64 = load.context v0, v1, v2 +320
    v12: i64 = load.context v0, v1, v2 +328
    v13: i64 = load.context v0, v1, v2 +336
    v14: <f64> = load.global v9, v7, v3
    v15: <i8> = load.global v11, v4, v3
    v16: <i32> = zext v15
    v17: <i8> = load.global v12, v4, v3
    v18: i8 = const 0
    v19: <i8> = splat v18
    v20: <i1> = ine v17, v19
    v21: <i32> = imul v16, v6
    v22: i64 = arg 1
    v23: i64 = load.context v22, v1, v2 +32
    v24: <f64> = atomic_xchg.shared v23, v21, v14, v20
    store.global v13, v7, v24, v3
    return 0
}

; Sums of a constant at one place, whose results nobody uses.
;! run
;! buffer0: i64 10 20 30 40
;! buffer1: i8 1 1 0 1 1 1 1 0
;! buffer0 = i64 16 2 30 50
;! buffer2: i32 10 20
;! buffer2 = i32 -8 26
shader "sums of constants" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i64 = load.context v0, v1, v2 +304
    v7: i64 = load.context v0, v1, v2 +312
    v8: <i8> = load.global v6, v4, v3
    v9: i8 = const 0
    v10: <i8> = splat v9
    v11: <i1> = ine v8, v10
    v12: i64 = const 1
    v13: <i64> = splat v12
    v14: i64 = const -3
    v15: <i64> = splat v14
    v16: i64 = const 10
    v17: <i64> = splat v16
    v18: i32 = const -3
    v19: <i32> = splat v18
    v20: i32 = const 1
    v21: <i32> = splat v20
    v22: <i32> = splat v1
    v23: <i1> = ieq v4, v22
    v24: <i1> = ult v4, v22
    v25: <i64> = atomic_add.global v5, v22, v13, v11
    v26: <i64> = atomic_add.global v5, v22, v15, v11 +8
    v27: <i64> = atomic_add.global v5, v22, v17, v24 +16
    v28: <i64> = atomic_add.global v5, v22, v17, v23 +24
    v29: <i32> = atomic_add.global v7, v22, v19, v11
    v30: <i32> = atomic_add.global v7, v22, v21, v11 +4
    return 0
}
