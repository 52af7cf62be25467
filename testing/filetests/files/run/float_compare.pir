; Float comparisons.
;! run
;! buffer0: f16 0x3e00 0x8000 0x7c00 0x7e00 0x0001 0x7bff 0xc180 0x2e66
;! buffer1: f16 0xc100 0x0000 0xfc00 0x3c00 0x4200 0x7bff 0x0000 0x2e66
;! buffer3 = i8 0 1 0 0 0 1 0 1
;! buffer4 = i8 0
shader "feq f16" mask lanes=8 scratch=0 frame=0 {
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
    v14: i64 = load.context v0, v1, v2 +320
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i1> = feq v9, v12
    v19: <i8> = zext v18
    store.global v14, v17, v19, v3
    v20: i64 = load.context v0, v1, v2 +328
    v21: i1 = feq v10, v13
    v22: i8 = zext v21
    store.global v20, v1, v22, v2
    return 0
}

;! run
;! buffer0: f32 0x3fc00000 0x80000000 0x7f800000 0x7fc00000 0x00000001 0x7f7fffff 0xc0300000 0x3dcccccd
;! buffer1: f32 0xc0200000 0x00000000 0xff800000 0x3f800000 0x40400000 0x7f7fffff 0x00000000 0x3dcccccd
;! buffer3 = i8 0 1 0 0 0 1 0 1
;! buffer4 = i8 0
shader "feq f32" mask lanes=8 scratch=0 frame=0 {
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
    v14: i64 = load.context v0, v1, v2 +320
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i1> = feq v9, v12
    v19: <i8> = zext v18
    store.global v14, v17, v19, v3
    v20: i64 = load.context v0, v1, v2 +328
    v21: i1 = feq v10, v13
    v22: i8 = zext v21
    store.global v20, v1, v22, v2
    return 0
}

;! run
;! buffer0: f64 0x3ff8000000000000 0x8000000000000000 0x7ff0000000000000 0x7ff8000000000000 0x0000000000000001 0x7fefffffffffffff 0xc006000000000000 0x3fb999999999999a
;! buffer1: f64 0xc004000000000000 0x0000000000000000 0xfff0000000000000 0x3ff0000000000000 0x4008000000000000 0x7fefffffffffffff 0x0000000000000000 0x3fb999999999999a
;! buffer3 = i8 0 1 0 0 0 1 0 1
;! buffer4 = i8 0
shader "feq f64" mask lanes=8 scratch=0 frame=0 {
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
    v14: i64 = load.context v0, v1, v2 +320
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i1> = feq v9, v12
    v19: <i8> = zext v18
    store.global v14, v17, v19, v3
    v20: i64 = load.context v0, v1, v2 +328
    v21: i1 = feq v10, v13
    v22: i8 = zext v21
    store.global v20, v1, v22, v2
    return 0
}

;! run
;! buffer0: f16 0x3e00 0x8000 0x7c00 0x7e00 0x0001 0x7bff 0xc180 0x2e66
;! buffer1: f16 0xc100 0x0000 0xfc00 0x3c00 0x4200 0x7bff 0x0000 0x2e66
;! buffer3 = i8 1 0 1 1 1 0 1 0
;! buffer4 = i8 1
shader "fne f16" mask lanes=8 scratch=0 frame=0 {
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
    v14: i64 = load.context v0, v1, v2 +320
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i1> = fne v9, v12
    v19: <i8> = zext v18
    store.global v14, v17, v19, v3
    v20: i64 = load.context v0, v1, v2 +328
    v21: i1 = fne v10, v13
    v22: i8 = zext v21
    store.global v20, v1, v22, v2
    return 0
}

;! run
;! buffer0: f32 0x3fc00000 0x80000000 0x7f800000 0x7fc00000 0x00000001 0x7f7fffff 0xc0300000 0x3dcccccd
;! buffer1: f32 0xc0200000 0x00000000 0xff800000 0x3f800000 0x40400000 0x7f7fffff 0x00000000 0x3dcccccd
;! buffer3 = i8 1 0 1 1 1 0 1 0
;! buffer4 = i8 1
shader "fne f32" mask lanes=8 scratch=0 frame=0 {
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
    v14: i64 = load.context v0, v1, v2 +320
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i1> = fne v9, v12
    v19: <i8> = zext v18
    store.global v14, v17, v19, v3
    v20: i64 = load.context v0, v1, v2 +328
    v21: i1 = fne v10, v13
    v22: i8 = zext v21
    store.global v20, v1, v22, v2
    return 0
}

;! run
;! buffer0: f64 0x3ff8000000000000 0x8000000000000000 0x7ff0000000000000 0x7ff8000000000000 0x0000000000000001 0x7fefffffffffffff 0xc006000000000000 0x3fb999999999999a
;! buffer1: f64 0xc004000000000000 0x0000000000000000 0xfff0000000000000 0x3ff0000000000000 0x4008000000000000 0x7fefffffffffffff 0x0000000000000000 0x3fb999999999999a
;! buffer3 = i8 1 0 1 1 1 0 1 0
;! buffer4 = i8 1
shader "fne f64" mask lanes=8 scratch=0 frame=0 {
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
    v14: i64 = load.context v0, v1, v2 +320
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i1> = fne v9, v12
    v19: <i8> = zext v18
    store.global v14, v17, v19, v3
    v20: i64 = load.context v0, v1, v2 +328
    v21: i1 = fne v10, v13
    v22: i8 = zext v21
    store.global v20, v1, v22, v2
    return 0
}

;! run
;! buffer0: f16 0x3e00 0x8000 0x7c00 0x7e00 0x0001 0x7bff 0xc180 0x2e66
;! buffer1: f16 0xc100 0x0000 0xfc00 0x3c00 0x4200 0x7bff 0x0000 0x2e66
;! buffer3 = i8 0 0 0 0 1 0 1 0
;! buffer4 = i8 0
shader "flt f16" mask lanes=8 scratch=0 frame=0 {
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
    v14: i64 = load.context v0, v1, v2 +320
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i1> = flt v9, v12
    v19: <i8> = zext v18
    store.global v14, v17, v19, v3
    v20: i64 = load.context v0, v1, v2 +328
    v21: i1 = flt v10, v13
    v22: i8 = zext v21
    store.global v20, v1, v22, v2
    return 0
}

;! run
;! buffer0: f32 0x3fc00000 0x80000000 0x7f800000 0x7fc00000 0x00000001 0x7f7fffff 0xc0300000 0x3dcccccd
;! buffer1: f32 0xc0200000 0x00000000 0xff800000 0x3f800000 0x40400000 0x7f7fffff 0x00000000 0x3dcccccd
;! buffer3 = i8 0 0 0 0 1 0 1 0
;! buffer4 = i8 0
shader "flt f32" mask lanes=8 scratch=0 frame=0 {
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
    v14: i64 = load.context v0, v1, v2 +320
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i1> = flt v9, v12
    v19: <i8> = zext v18
    store.global v14, v17, v19, v3
    v20: i64 = load.context v0, v1, v2 +328
    v21: i1 = flt v10, v13
    v22: i8 = zext v21
    store.global v20, v1, v22, v2
    return 0
}

;! run
;! buffer0: f64 0x3ff8000000000000 0x8000000000000000 0x7ff0000000000000 0x7ff8000000000000 0x0000000000000001 0x7fefffffffffffff 0xc006000000000000 0x3fb999999999999a
;! buffer1: f64 0xc004000000000000 0x0000000000000000 0xfff0000000000000 0x3ff0000000000000 0x4008000000000000 0x7fefffffffffffff 0x0000000000000000 0x3fb999999999999a
;! buffer3 = i8 0 0 0 0 1 0 1 0
;! buffer4 = i8 0
shader "flt f64" mask lanes=8 scratch=0 frame=0 {
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
    v14: i64 = load.context v0, v1, v2 +320
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i1> = flt v9, v12
    v19: <i8> = zext v18
    store.global v14, v17, v19, v3
    v20: i64 = load.context v0, v1, v2 +328
    v21: i1 = flt v10, v13
    v22: i8 = zext v21
    store.global v20, v1, v22, v2
    return 0
}

;! run
;! buffer0: f16 0x3e00 0x8000 0x7c00 0x7e00 0x0001 0x7bff 0xc180 0x2e66
;! buffer1: f16 0xc100 0x0000 0xfc00 0x3c00 0x4200 0x7bff 0x0000 0x2e66
;! buffer3 = i8 0 1 0 0 1 1 1 1
;! buffer4 = i8 0
shader "fle f16" mask lanes=8 scratch=0 frame=0 {
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
    v14: i64 = load.context v0, v1, v2 +320
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i1> = fle v9, v12
    v19: <i8> = zext v18
    store.global v14, v17, v19, v3
    v20: i64 = load.context v0, v1, v2 +328
    v21: i1 = fle v10, v13
    v22: i8 = zext v21
    store.global v20, v1, v22, v2
    return 0
}

;! run
;! buffer0: f32 0x3fc00000 0x80000000 0x7f800000 0x7fc00000 0x00000001 0x7f7fffff 0xc0300000 0x3dcccccd
;! buffer1: f32 0xc0200000 0x00000000 0xff800000 0x3f800000 0x40400000 0x7f7fffff 0x00000000 0x3dcccccd
;! buffer3 = i8 0 1 0 0 1 1 1 1
;! buffer4 = i8 0
shader "fle f32" mask lanes=8 scratch=0 frame=0 {
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
    v14: i64 = load.context v0, v1, v2 +320
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i1> = fle v9, v12
    v19: <i8> = zext v18
    store.global v14, v17, v19, v3
    v20: i64 = load.context v0, v1, v2 +328
    v21: i1 = fle v10, v13
    v22: i8 = zext v21
    store.global v20, v1, v22, v2
    return 0
}

;! run
;! buffer0: f64 0x3ff8000000000000 0x8000000000000000 0x7ff0000000000000 0x7ff8000000000000 0x0000000000000001 0x7fefffffffffffff 0xc006000000000000 0x3fb999999999999a
;! buffer1: f64 0xc004000000000000 0x0000000000000000 0xfff0000000000000 0x3ff0000000000000 0x4008000000000000 0x7fefffffffffffff 0x0000000000000000 0x3fb999999999999a
;! buffer3 = i8 0 1 0 0 1 1 1 1
;! buffer4 = i8 0
shader "fle f64" mask lanes=8 scratch=0 frame=0 {
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
    v14: i64 = load.context v0, v1, v2 +320
    v15: i32 = const 1
    v16: <i32> = splat v15
    v17: <i32> = imul v4, v16
    v18: <i1> = fle v9, v12
    v19: <i8> = zext v18
    store.global v14, v17, v19, v3
    v20: i64 = load.context v0, v1, v2 +328
    v21: i1 = fle v10, v13
    v22: i8 = zext v21
    store.global v20, v1, v22, v2
    return 0
}
