; Float arithmetic, correctly rounded: signed zeros, infinities, NaN, subnormal numbers, overflow.
;! run
;! buffer0: f16 0x3e00 0x8000 0x7c00 0x7e00 0x0001 0x7bff 0xc180 0x2e66
;! buffer1: f16 0xc100 0x0000 0xfc00 0x3c00 0x4200 0x7bff 0x0000 0x4200
;! buffer3 = f16 0xbc00 0x0000 0x7e00 0x7e00 0x4200 0x7c00 0xc180 0x4233
;! buffer4 = f16 0xbc00
shader "fadd f16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f16> = fadd v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f16 = fadd v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f32 0x3fc00000 0x80000000 0x7f800000 0x7fc00000 0x00000001 0x7f7fffff 0xc0300000 0x3dcccccd
;! buffer1: f32 0xc0200000 0x00000000 0xff800000 0x3f800000 0x40400000 0x7f7fffff 0x00000000 0x40400000
;! buffer3 = f32 0xbf800000 0x00000000 0x7fc00000 0x7fc00000 0x40400000 0x7f800000 0xc0300000 0x40466666
;! buffer4 = f32 0xbf800000
shader "fadd f32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f32> = fadd v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f32 = fadd v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f64 0x3ff8000000000000 0x8000000000000000 0x7ff0000000000000 0x7ff8000000000000 0x0000000000000001 0x7fefffffffffffff 0xc006000000000000 0x3fb999999999999a
;! buffer1: f64 0xc004000000000000 0x0000000000000000 0xfff0000000000000 0x3ff0000000000000 0x4008000000000000 0x7fefffffffffffff 0x0000000000000000 0x4008000000000000
;! buffer3 = f64 0xbff0000000000000 0x0000000000000000 0x7ff8000000000000 0x7ff8000000000000 0x4008000000000000 0x7ff0000000000000 0xc006000000000000 0x4008cccccccccccd
;! buffer4 = f64 0xbff0000000000000
shader "fadd f64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f64> = fadd v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f64 = fadd v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f16 0x3e00 0x8000 0x7c00 0x7e00 0x0001 0x7bff 0xc180 0x2e66
;! buffer1: f16 0xc100 0x0000 0xfc00 0x3c00 0x4200 0x7bff 0x0000 0x4200
;! buffer3 = f16 0x4400 0x8000 0x7c00 0x7e00 0xc200 0x0000 0xc180 0xc1cd
;! buffer4 = f16 0x4400
shader "fsub f16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f16> = fsub v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f16 = fsub v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f32 0x3fc00000 0x80000000 0x7f800000 0x7fc00000 0x00000001 0x7f7fffff 0xc0300000 0x3dcccccd
;! buffer1: f32 0xc0200000 0x00000000 0xff800000 0x3f800000 0x40400000 0x7f7fffff 0x00000000 0x40400000
;! buffer3 = f32 0x40800000 0x80000000 0x7f800000 0x7fc00000 0xc0400000 0x00000000 0xc0300000 0xc039999a
;! buffer4 = f32 0x40800000
shader "fsub f32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f32> = fsub v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f32 = fsub v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f64 0x3ff8000000000000 0x8000000000000000 0x7ff0000000000000 0x7ff8000000000000 0x0000000000000001 0x7fefffffffffffff 0xc006000000000000 0x3fb999999999999a
;! buffer1: f64 0xc004000000000000 0x0000000000000000 0xfff0000000000000 0x3ff0000000000000 0x4008000000000000 0x7fefffffffffffff 0x0000000000000000 0x4008000000000000
;! buffer3 = f64 0x4010000000000000 0x8000000000000000 0x7ff0000000000000 0x7ff8000000000000 0xc008000000000000 0x0000000000000000 0xc006000000000000 0xc007333333333333
;! buffer4 = f64 0x4010000000000000
shader "fsub f64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f64> = fsub v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f64 = fsub v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f16 0x3e00 0x8000 0x7c00 0x7e00 0x0001 0x7bff 0xc180 0x2e66
;! buffer1: f16 0xc100 0x0000 0xfc00 0x3c00 0x4200 0x7bff 0x0000 0x4200
;! buffer3 = f16 0xc380 0x8000 0xfc00 0x7e00 0x0003 0x7c00 0x8000 0x34cc
;! buffer4 = f16 0xc380
shader "fmul f16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f16> = fmul v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f16 = fmul v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f32 0x3fc00000 0x80000000 0x7f800000 0x7fc00000 0x00000001 0x7f7fffff 0xc0300000 0x3dcccccd
;! buffer1: f32 0xc0200000 0x00000000 0xff800000 0x3f800000 0x40400000 0x7f7fffff 0x00000000 0x40400000
;! buffer3 = f32 0xc0700000 0x80000000 0xff800000 0x7fc00000 0x00000003 0x7f800000 0x80000000 0x3e99999a
;! buffer4 = f32 0xc0700000
shader "fmul f32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f32> = fmul v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f32 = fmul v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f64 0x3ff8000000000000 0x8000000000000000 0x7ff0000000000000 0x7ff8000000000000 0x0000000000000001 0x7fefffffffffffff 0xc006000000000000 0x3fb999999999999a
;! buffer1: f64 0xc004000000000000 0x0000000000000000 0xfff0000000000000 0x3ff0000000000000 0x4008000000000000 0x7fefffffffffffff 0x0000000000000000 0x4008000000000000
;! buffer3 = f64 0xc00e000000000000 0x8000000000000000 0xfff0000000000000 0x7ff8000000000000 0x0000000000000003 0x7ff0000000000000 0x8000000000000000 0x3fd3333333333334
;! buffer4 = f64 0xc00e000000000000
shader "fmul f64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f64> = fmul v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f64 = fmul v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f16 0x3e00 0x8000 0x7c00 0x7e00 0x0001 0x7bff 0xc180 0x2e66
;! buffer1: f16 0xc100 0x0000 0xfc00 0x3c00 0x4200 0x7bff 0x0000 0x4200
;! buffer3 = f16 0xb8cd 0x7e00 0x7e00 0x7e00 0x0000 0x3c00 0xfc00 0x2844
;! buffer4 = f16 0xb8cd
shader "fdiv f16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f16> = fdiv v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f16 = fdiv v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f32 0x3fc00000 0x80000000 0x7f800000 0x7fc00000 0x00000001 0x7f7fffff 0xc0300000 0x3dcccccd
;! buffer1: f32 0xc0200000 0x00000000 0xff800000 0x3f800000 0x40400000 0x7f7fffff 0x00000000 0x40400000
;! buffer3 = f32 0xbf19999a 0x7fc00000 0x7fc00000 0x7fc00000 0x00000000 0x3f800000 0xff800000 0x3d088889
;! buffer4 = f32 0xbf19999a
shader "fdiv f32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f32> = fdiv v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f32 = fdiv v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f64 0x3ff8000000000000 0x8000000000000000 0x7ff0000000000000 0x7ff8000000000000 0x0000000000000001 0x7fefffffffffffff 0xc006000000000000 0x3fb999999999999a
;! buffer1: f64 0xc004000000000000 0x0000000000000000 0xfff0000000000000 0x3ff0000000000000 0x4008000000000000 0x7fefffffffffffff 0x0000000000000000 0x4008000000000000
;! buffer3 = f64 0xbfe3333333333333 0x7ff8000000000000 0x7ff8000000000000 0x7ff8000000000000 0x0000000000000000 0x3ff0000000000000 0xfff0000000000000 0x3fa1111111111111
;! buffer4 = f64 0xbfe3333333333333
shader "fdiv f64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f64> = fdiv v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f64 = fdiv v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f16 0x3e00 0x8000 0x7c00 0x7e00 0x0001 0x7bff 0xc180 0x2e66
;! buffer1: f16 0xc100 0x0000 0xfc00 0x3c00 0x4200 0x7bff 0x0000 0x4200
;! buffer3 = f16 0xc100 0x0000 0xfc00 0x3c00 0x0001 0x7bff 0xc180 0x2e66
;! buffer4 = f16 0xc100
shader "fmin f16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f16> = fmin v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f16 = fmin v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f32 0x3fc00000 0x80000000 0x7f800000 0x7fc00000 0x00000001 0x7f7fffff 0xc0300000 0x3dcccccd
;! buffer1: f32 0xc0200000 0x00000000 0xff800000 0x3f800000 0x40400000 0x7f7fffff 0x00000000 0x40400000
;! buffer3 = f32 0xc0200000 0x00000000 0xff800000 0x3f800000 0x00000001 0x7f7fffff 0xc0300000 0x3dcccccd
;! buffer4 = f32 0xc0200000
shader "fmin f32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f32> = fmin v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f32 = fmin v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f64 0x3ff8000000000000 0x8000000000000000 0x7ff0000000000000 0x7ff8000000000000 0x0000000000000001 0x7fefffffffffffff 0xc006000000000000 0x3fb999999999999a
;! buffer1: f64 0xc004000000000000 0x0000000000000000 0xfff0000000000000 0x3ff0000000000000 0x4008000000000000 0x7fefffffffffffff 0x0000000000000000 0x4008000000000000
;! buffer3 = f64 0xc004000000000000 0x0000000000000000 0xfff0000000000000 0x3ff0000000000000 0x0000000000000001 0x7fefffffffffffff 0xc006000000000000 0x3fb999999999999a
;! buffer4 = f64 0xc004000000000000
shader "fmin f64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f64> = fmin v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f64 = fmin v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f16 0x3e00 0x8000 0x7c00 0x7e00 0x0001 0x7bff 0xc180 0x2e66
;! buffer1: f16 0xc100 0x0000 0xfc00 0x3c00 0x4200 0x7bff 0x0000 0x4200
;! buffer3 = f16 0x3e00 0x0000 0x7c00 0x3c00 0x4200 0x7bff 0x0000 0x4200
;! buffer4 = f16 0x3e00
shader "fmax f16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f16> = fmax v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f16 = fmax v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f32 0x3fc00000 0x80000000 0x7f800000 0x7fc00000 0x00000001 0x7f7fffff 0xc0300000 0x3dcccccd
;! buffer1: f32 0xc0200000 0x00000000 0xff800000 0x3f800000 0x40400000 0x7f7fffff 0x00000000 0x40400000
;! buffer3 = f32 0x3fc00000 0x00000000 0x7f800000 0x3f800000 0x40400000 0x7f7fffff 0x00000000 0x40400000
;! buffer4 = f32 0x3fc00000
shader "fmax f32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f32> = fmax v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f32 = fmax v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f64 0x3ff8000000000000 0x8000000000000000 0x7ff0000000000000 0x7ff8000000000000 0x0000000000000001 0x7fefffffffffffff 0xc006000000000000 0x3fb999999999999a
;! buffer1: f64 0xc004000000000000 0x0000000000000000 0xfff0000000000000 0x3ff0000000000000 0x4008000000000000 0x7fefffffffffffff 0x0000000000000000 0x4008000000000000
;! buffer3 = f64 0x3ff8000000000000 0x0000000000000000 0x7ff0000000000000 0x3ff0000000000000 0x4008000000000000 0x7fefffffffffffff 0x0000000000000000 0x4008000000000000
;! buffer4 = f64 0x3ff8000000000000
shader "fmax f64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f64> = fmax v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f64 = fmax v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f16 0x3e00 0x8000 0x7c00 0x7e00 0x0001 0x7bff 0xc180 0x2e66
;! buffer1: f16 0xc100 0x0000 0xfc00 0x3c00 0x4200 0x7bff 0x0000 0x4200
;! buffer2: f16 0x4380 0x8000 0x3c00 0x4000 0x8001 0xbc00 0x7c00 0xb4cd
;! buffer3 = f16 0x0000 0x8000 0xfc00 0x7e00 0x0002 0x7c00 0x7c00 0x8800
;! buffer4 = f16 0x0000
shader "fma f16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f16> = load.global v14, v8, v3
    v16: f16 = load.global v14, v1, v2
    v17: i64 = load.context v0, v1, v2 +320
    v18: <f16> = fma v9, v12, v15
    store.global v17, v8, v18, v3
    v19: i64 = load.context v0, v1, v2 +328
    v20: f16 = fma v10, v13, v16
    store.global v19, v1, v20, v2
    return 0
}

;! run
;! buffer0: f32 0x3fc00000 0x80000000 0x7f800000 0x7fc00000 0x00000001 0x7f7fffff 0xc0300000 0x3dcccccd
;! buffer1: f32 0xc0200000 0x00000000 0xff800000 0x3f800000 0x40400000 0x7f7fffff 0x00000000 0x40400000
;! buffer2: f32 0x40700000 0x80000000 0x3f800000 0x40000000 0x80000001 0xbf800000 0x7f800000 0xbe99999a
;! buffer3 = f32 0x00000000 0x80000000 0xff800000 0x7fc00000 0x00000002 0x7f800000 0x7f800000 0xb2000000
;! buffer4 = f32 0x00000000
shader "fma f32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f32> = load.global v14, v8, v3
    v16: f32 = load.global v14, v1, v2
    v17: i64 = load.context v0, v1, v2 +320
    v18: <f32> = fma v9, v12, v15
    store.global v17, v8, v18, v3
    v19: i64 = load.context v0, v1, v2 +328
    v20: f32 = fma v10, v13, v16
    store.global v19, v1, v20, v2
    return 0
}

;! run
;! buffer0: f64 0x3ff8000000000000 0x8000000000000000 0x7ff0000000000000 0x7ff8000000000000 0x0000000000000001 0x7fefffffffffffff 0xc006000000000000 0x3fb999999999999a
;! buffer1: f64 0xc004000000000000 0x0000000000000000 0xfff0000000000000 0x3ff0000000000000 0x4008000000000000 0x7fefffffffffffff 0x0000000000000000 0x4008000000000000
;! buffer2: f64 0x400e000000000000 0x8000000000000000 0x3ff0000000000000 0x4000000000000000 0x8000000000000001 0xbff0000000000000 0x7ff0000000000000 0xbfd3333333333333
;! buffer3 = f64 0x0000000000000000 0x8000000000000000 0xfff0000000000000 0x7ff8000000000000 0x0000000000000002 0x7ff0000000000000 0x7ff0000000000000 0x3c80000000000000
;! buffer4 = f64 0x0000000000000000
shader "fma f64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f64> = load.global v14, v8, v3
    v16: f64 = load.global v14, v1, v2
    v17: i64 = load.context v0, v1, v2 +320
    v18: <f64> = fma v9, v12, v15
    store.global v17, v8, v18, v3
    v19: i64 = load.context v0, v1, v2 +328
    v20: f64 = fma v10, v13, v16
    store.global v19, v1, v20, v2
    return 0
}

;! run
;! buffer0: f16 0x3e00 0x8000 0x7c00 0x7e00 0x0001 0x7bff 0xc180 0x2e66
;! buffer3 = f16 0xbe00 0x0000 0xfc00 0xfe00 0x8001 0xfbff 0x4180 0xae66
;! buffer4 = f16 0xbe00
shader "fneg f16" mask lanes=8 scratch=0 frame=0 {
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
    v12: <f16> = fneg v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: f16 = fneg v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: f32 0x3fc00000 0x80000000 0x7f800000 0x7fc00000 0x00000001 0x7f7fffff 0xc0300000 0x3dcccccd
;! buffer3 = f32 0xbfc00000 0x00000000 0xff800000 0xffc00000 0x80000001 0xff7fffff 0x40300000 0xbdcccccd
;! buffer4 = f32 0xbfc00000
shader "fneg f32" mask lanes=8 scratch=0 frame=0 {
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
    v12: <f32> = fneg v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: f32 = fneg v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: f64 0x3ff8000000000000 0x8000000000000000 0x7ff0000000000000 0x7ff8000000000000 0x0000000000000001 0x7fefffffffffffff 0xc006000000000000 0x3fb999999999999a
;! buffer3 = f64 0xbff8000000000000 0x0000000000000000 0xfff0000000000000 0xfff8000000000000 0x8000000000000001 0xffefffffffffffff 0x4006000000000000 0xbfb999999999999a
;! buffer4 = f64 0xbff8000000000000
shader "fneg f64" mask lanes=8 scratch=0 frame=0 {
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
    v12: <f64> = fneg v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: f64 = fneg v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: f16 0x3e00 0x8000 0x7c00 0x7e00 0x0001 0x7bff 0xc180 0x2e66
;! buffer3 = f16 0x3e00 0x0000 0x7c00 0x7e00 0x0001 0x7bff 0x4180 0x2e66
;! buffer4 = f16 0x3e00
shader "fabs f16" mask lanes=8 scratch=0 frame=0 {
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
    v12: <f16> = fabs v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: f16 = fabs v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: f32 0x3fc00000 0x80000000 0x7f800000 0x7fc00000 0x00000001 0x7f7fffff 0xc0300000 0x3dcccccd
;! buffer3 = f32 0x3fc00000 0x00000000 0x7f800000 0x7fc00000 0x00000001 0x7f7fffff 0x40300000 0x3dcccccd
;! buffer4 = f32 0x3fc00000
shader "fabs f32" mask lanes=8 scratch=0 frame=0 {
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
    v12: <f32> = fabs v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: f32 = fabs v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: f64 0x3ff8000000000000 0x8000000000000000 0x7ff0000000000000 0x7ff8000000000000 0x0000000000000001 0x7fefffffffffffff 0xc006000000000000 0x3fb999999999999a
;! buffer3 = f64 0x3ff8000000000000 0x0000000000000000 0x7ff0000000000000 0x7ff8000000000000 0x0000000000000001 0x7fefffffffffffff 0x4006000000000000 0x3fb999999999999a
;! buffer4 = f64 0x3ff8000000000000
shader "fabs f64" mask lanes=8 scratch=0 frame=0 {
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
    v12: <f64> = fabs v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: f64 = fabs v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: f16 0x3e00 0x8000 0x7c00 0x7e00 0x0001 0x7bff 0xc180 0x2e66
;! buffer3 = f16 0x3ce6 0x8000 0x7c00 0x7e00 0x0c00 0x5bff 0x7e00 0x350f
;! buffer4 = f16 0x3ce6
shader "fsqrt f16" mask lanes=8 scratch=0 frame=0 {
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
    v12: <f16> = fsqrt v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: f16 = fsqrt v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: f32 0x3fc00000 0x80000000 0x7f800000 0x7fc00000 0x00000001 0x7f7fffff 0xc0300000 0x3dcccccd
;! buffer3 = f32 0x3f9cc471 0x80000000 0x7f800000 0x7fc00000 0x1a3504f3 0x5f7fffff 0x7fc00000 0x3ea1e89b
;! buffer4 = f32 0x3f9cc471
shader "fsqrt f32" mask lanes=8 scratch=0 frame=0 {
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
    v12: <f32> = fsqrt v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: f32 = fsqrt v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: f64 0x3ff8000000000000 0x8000000000000000 0x7ff0000000000000 0x7ff8000000000000 0x0000000000000001 0x7fefffffffffffff 0xc006000000000000 0x3fb999999999999a
;! buffer3 = f64 0x3ff3988e1409212e 0x8000000000000000 0x7ff0000000000000 0x7ff8000000000000 0x1e60000000000000 0x5fefffffffffffff 0x7ff8000000000000 0x3fd43d136248490f
;! buffer4 = f64 0x3ff3988e1409212e
shader "fsqrt f64" mask lanes=8 scratch=0 frame=0 {
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
    v12: <f64> = fsqrt v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: f64 = fsqrt v10
    store.global v13, v1, v14, v2
    return 0
}
