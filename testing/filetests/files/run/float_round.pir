; Rounding to integral values.
;! run
;! buffer0: f16 0x4100 0xc100 0x4300 0xb400 0x3a00 0x63d1 0xfc00 0x8000
;! buffer3 = f16 0x4000 0xc200 0x4200 0xbc00 0x0000 0x63d0 0xfc00 0x8000
;! buffer4 = f16 0x4000
shader "ffloor f16" mask lanes=8 scratch=0 frame=0 {
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
    v12: <f16> = ffloor v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: f16 = ffloor v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: f32 0x40200000 0xc0200000 0x40600000 0xbe800000 0x3f400000 0x447a2000 0xff800000 0x80000000
;! buffer3 = f32 0x40000000 0xc0400000 0x40400000 0xbf800000 0x00000000 0x447a0000 0xff800000 0x80000000
;! buffer4 = f32 0x40000000
shader "ffloor f32" mask lanes=8 scratch=0 frame=0 {
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
    v12: <f32> = ffloor v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: f32 = ffloor v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: f64 0x4004000000000000 0xc004000000000000 0x400c000000000000 0xbfd0000000000000 0x3fe8000000000000 0x408f440000000000 0xfff0000000000000 0x8000000000000000
;! buffer3 = f64 0x4000000000000000 0xc008000000000000 0x4008000000000000 0xbff0000000000000 0x0000000000000000 0x408f400000000000 0xfff0000000000000 0x8000000000000000
;! buffer4 = f64 0x4000000000000000
shader "ffloor f64" mask lanes=8 scratch=0 frame=0 {
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
    v12: <f64> = ffloor v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: f64 = ffloor v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: f16 0x4100 0xc100 0x4300 0xb400 0x3a00 0x63d1 0xfc00 0x8000
;! buffer3 = f16 0x4200 0xc000 0x4400 0x8000 0x3c00 0x63d2 0xfc00 0x8000
;! buffer4 = f16 0x4200
shader "fceil f16" mask lanes=8 scratch=0 frame=0 {
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
    v12: <f16> = fceil v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: f16 = fceil v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: f32 0x40200000 0xc0200000 0x40600000 0xbe800000 0x3f400000 0x447a2000 0xff800000 0x80000000
;! buffer3 = f32 0x40400000 0xc0000000 0x40800000 0x80000000 0x3f800000 0x447a4000 0xff800000 0x80000000
;! buffer4 = f32 0x40400000
shader "fceil f32" mask lanes=8 scratch=0 frame=0 {
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
    v12: <f32> = fceil v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: f32 = fceil v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: f64 0x4004000000000000 0xc004000000000000 0x400c000000000000 0xbfd0000000000000 0x3fe8000000000000 0x408f440000000000 0xfff0000000000000 0x8000000000000000
;! buffer3 = f64 0x4008000000000000 0xc000000000000000 0x4010000000000000 0x8000000000000000 0x3ff0000000000000 0x408f480000000000 0xfff0000000000000 0x8000000000000000
;! buffer4 = f64 0x4008000000000000
shader "fceil f64" mask lanes=8 scratch=0 frame=0 {
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
    v12: <f64> = fceil v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: f64 = fceil v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: f16 0x4100 0xc100 0x4300 0xb400 0x3a00 0x63d1 0xfc00 0x8000
;! buffer3 = f16 0x4000 0xc000 0x4200 0x8000 0x0000 0x63d0 0xfc00 0x8000
;! buffer4 = f16 0x4000
shader "ftrunc f16" mask lanes=8 scratch=0 frame=0 {
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
    v12: <f16> = ftrunc v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: f16 = ftrunc v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: f32 0x40200000 0xc0200000 0x40600000 0xbe800000 0x3f400000 0x447a2000 0xff800000 0x80000000
;! buffer3 = f32 0x40000000 0xc0000000 0x40400000 0x80000000 0x00000000 0x447a0000 0xff800000 0x80000000
;! buffer4 = f32 0x40000000
shader "ftrunc f32" mask lanes=8 scratch=0 frame=0 {
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
    v12: <f32> = ftrunc v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: f32 = ftrunc v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: f64 0x4004000000000000 0xc004000000000000 0x400c000000000000 0xbfd0000000000000 0x3fe8000000000000 0x408f440000000000 0xfff0000000000000 0x8000000000000000
;! buffer3 = f64 0x4000000000000000 0xc000000000000000 0x4008000000000000 0x8000000000000000 0x0000000000000000 0x408f400000000000 0xfff0000000000000 0x8000000000000000
;! buffer4 = f64 0x4000000000000000
shader "ftrunc f64" mask lanes=8 scratch=0 frame=0 {
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
    v12: <f64> = ftrunc v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: f64 = ftrunc v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: f16 0x4100 0xc100 0x4300 0xb400 0x3a00 0x63d1 0xfc00 0x8000
;! buffer3 = f16 0x4000 0xc000 0x4400 0x8000 0x3c00 0x63d0 0xfc00 0x8000
;! buffer4 = f16 0x4000
shader "fround f16" mask lanes=8 scratch=0 frame=0 {
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
    v12: <f16> = fround v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: f16 = fround v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: f32 0x40200000 0xc0200000 0x40600000 0xbe800000 0x3f400000 0x447a2000 0xff800000 0x80000000
;! buffer3 = f32 0x40000000 0xc0000000 0x40800000 0x80000000 0x3f800000 0x447a0000 0xff800000 0x80000000
;! buffer4 = f32 0x40000000
shader "fround f32" mask lanes=8 scratch=0 frame=0 {
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
    v12: <f32> = fround v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: f32 = fround v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: f64 0x4004000000000000 0xc004000000000000 0x400c000000000000 0xbfd0000000000000 0x3fe8000000000000 0x408f440000000000 0xfff0000000000000 0x8000000000000000
;! buffer3 = f64 0x4000000000000000 0xc000000000000000 0x4010000000000000 0x8000000000000000 0x3ff0000000000000 0x408f400000000000 0xfff0000000000000 0x8000000000000000
;! buffer4 = f64 0x4000000000000000
shader "fround f64" mask lanes=8 scratch=0 frame=0 {
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
    v12: <f64> = fround v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: f64 = fround v10
    store.global v13, v1, v14, v2
    return 0
}
