; Conversions between floats, and between floats and integers: rounding, saturation, NaN.
;! run
;! buffer0: f16 0x3c00 0xb555 0x7bff 0x0001 0x7c00 0x80a8 0x4000 0x7e01
;! buffer3 = f32 0x3f800000 0xbeaaa000 0x477fe000 0x33800000 0x7f800000 0xb7280000 0x40000000 0x7fc02000
;! buffer4 = f32 0x3f800000
shader "fconvert f16 to f32" mask lanes=8 scratch=0 frame=0 {
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
    v12: i32 = const 4
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <f32> = fconvert v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f32 = fconvert v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f16 0x3c00 0xb555 0x7bff 0x0001 0x7c00 0x80a8 0x4000 0x7e01
;! buffer3 = f32 0x3f800000 0xbeaaa000 0x477fe000 0x33800000 0x7f800000 0xb7280000 0x40000000 0x7fc02000
;! buffer4 = f32 0x3f800000
shader "fconvert.rtz f16 to f32" mask lanes=8 scratch=0 frame=0 {
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
    v12: i32 = const 4
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <f32> = fconvert.rtz v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f32 = fconvert.rtz v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f16 0x3c00 0xb555 0x7bff 0x0001 0x7c00 0x80a8 0x4000 0x7e01
;! buffer3 = f64 0x3ff0000000000000 0xbfd5540000000000 0x40effc0000000000 0x3e70000000000000 0x7ff0000000000000 0xbee5000000000000 0x4000000000000000 0x7ff8040000000000
;! buffer4 = f64 0x3ff0000000000000
shader "fconvert f16 to f64" mask lanes=8 scratch=0 frame=0 {
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
    v12: i32 = const 8
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <f64> = fconvert v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f64 = fconvert v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f16 0x3c00 0xb555 0x7bff 0x0001 0x7c00 0x80a8 0x4000 0x7e01
;! buffer3 = f64 0x3ff0000000000000 0xbfd5540000000000 0x40effc0000000000 0x3e70000000000000 0x7ff0000000000000 0xbee5000000000000 0x4000000000000000 0x7ff8040000000000
;! buffer4 = f64 0x3ff0000000000000
shader "fconvert.rtz f16 to f64" mask lanes=8 scratch=0 frame=0 {
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
    v12: i32 = const 8
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <f64> = fconvert.rtz v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f64 = fconvert.rtz v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f32 0x3f800000 0xbeaaaaab 0x477ff000 0x3380d959 0x7f800000 0xb727c5ac 0x40001000 0x7fc00001
;! buffer3 = f16 0x3c00 0xb555 0x7c00 0x0001 0x7c00 0x80a8 0x4000 0x7e00
;! buffer4 = f16 0x3c00
shader "fconvert f32 to f16" mask lanes=8 scratch=0 frame=0 {
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
    v12: i32 = const 2
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <f16> = fconvert v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f16 = fconvert v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f32 0x3f800000 0xbeaaaaab 0x477ff000 0x3380d959 0x7f800000 0xb727c5ac 0x40001000 0x7fc00001
;! buffer3 = f16 0x3c00 0xb555 0x7bff 0x0001 0x7c00 0x80a7 0x4000 0x7e00
;! buffer4 = f16 0x3c00
shader "fconvert.rtz f32 to f16" mask lanes=8 scratch=0 frame=0 {
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
    v12: i32 = const 2
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <f16> = fconvert.rtz v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f16 = fconvert.rtz v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f32 0x3f800000 0xbeaaaaab 0x477ff000 0x3380d959 0x7f800000 0xb727c5ac 0x40001000 0x7fc00001
;! buffer3 = f64 0x3ff0000000000000 0xbfd5555560000000 0x40effe0000000000 0x3e701b2b20000000 0x7ff0000000000000 0xbee4f8b580000000 0x4000020000000000 0x7ff8000020000000
;! buffer4 = f64 0x3ff0000000000000
shader "fconvert f32 to f64" mask lanes=8 scratch=0 frame=0 {
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
    v12: i32 = const 8
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <f64> = fconvert v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f64 = fconvert v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f32 0x3f800000 0xbeaaaaab 0x477ff000 0x3380d959 0x7f800000 0xb727c5ac 0x40001000 0x7fc00001
;! buffer3 = f64 0x3ff0000000000000 0xbfd5555560000000 0x40effe0000000000 0x3e701b2b20000000 0x7ff0000000000000 0xbee4f8b580000000 0x4000020000000000 0x7ff8000020000000
;! buffer4 = f64 0x3ff0000000000000
shader "fconvert.rtz f32 to f64" mask lanes=8 scratch=0 frame=0 {
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
    v12: i32 = const 8
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <f64> = fconvert.rtz v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f64 = fconvert.rtz v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f64 0x3ff0000000000000 0xbfd5555555555555 0x40effe0000000000 0x366244ce242c5561 0x7ff0000000000000 0xc7f000000d7eca81 0x4000020000000000 0x7ff8000000000001
;! buffer3 = f16 0x3c00 0xb555 0x7c00 0x0000 0x7c00 0xfc00 0x4000 0x7e00
;! buffer4 = f16 0x3c00
shader "fconvert f64 to f16" mask lanes=8 scratch=0 frame=0 {
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
    v12: i32 = const 2
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <f16> = fconvert v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f16 = fconvert v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f64 0x3ff0000000000000 0xbfd5555555555555 0x40effe0000000000 0x366244ce242c5561 0x7ff0000000000000 0xc7f000000d7eca81 0x4000020000000000 0x7ff8000000000001
;! buffer3 = f16 0x3c00 0xb555 0x7bff 0x0000 0x7c00 0xfbff 0x4000 0x7e00
;! buffer4 = f16 0x3c00
shader "fconvert.rtz f64 to f16" mask lanes=8 scratch=0 frame=0 {
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
    v12: i32 = const 2
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <f16> = fconvert.rtz v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f16 = fconvert.rtz v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f64 0x3ff0000000000000 0xbfd5555555555555 0x40effe0000000000 0x366244ce242c5561 0x7ff0000000000000 0xc7f000000d7eca81 0x4000020000000000 0x7ff8000000000001
;! buffer3 = f32 0x3f800000 0xbeaaaaab 0x477ff000 0x00000000 0x7f800000 0xff800000 0x40001000 0x7fc00000
;! buffer4 = f32 0x3f800000
shader "fconvert f64 to f32" mask lanes=8 scratch=0 frame=0 {
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
    v12: i32 = const 4
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <f32> = fconvert v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f32 = fconvert v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f64 0x3ff0000000000000 0xbfd5555555555555 0x40effe0000000000 0x366244ce242c5561 0x7ff0000000000000 0xc7f000000d7eca81 0x4000020000000000 0x7ff8000000000001
;! buffer3 = f32 0x3f800000 0xbeaaaaaa 0x477ff000 0x00000000 0x7f800000 0xff7fffff 0x40001000 0x7fc00000
;! buffer4 = f32 0x3f800000
shader "fconvert.rtz f64 to f32" mask lanes=8 scratch=0 frame=0 {
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
    v12: i32 = const 4
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <f32> = fconvert.rtz v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f32 = fconvert.rtz v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f16 0x3f9a 0xbf9a 0x7e00 0xfc00 0x7b53 0x7c00 0xda40 0x5bfc
;! buffer3 = i8 1 -1 0 -128 127 127 -128 127
;! buffer4 = i8 1
shader "ftos f16 to i8" mask lanes=8 scratch=0 frame=0 {
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
    v12: i32 = const 1
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <i8> = ftos v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = ftos v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 127 -127
;! buffer3 = f16 0x4700 0xbc00 0xd800 0x0000 0xc700 0xcc00 0x57f0 0xd7f0
;! buffer4 = f16 0x4700
shader "stof i8 to f16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f16> = stof v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f16 = stof v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f16 0x3f9a 0xbf9a 0x7e00 0xfc00 0x7b53 0x7c00 0xda40 0x5bfc
;! buffer3 = i8 1 0 0 0 -1 -1 0 -1
;! buffer4 = i8 1
shader "ftou f16 to i8" mask lanes=8 scratch=0 frame=0 {
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
    v12: i32 = const 1
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <i8> = ftou v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = ftou v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 127 -127
;! buffer3 = f16 0x4700 0x5bf8 0x5800 0x0000 0x5bc8 0x5b80 0x57f0 0x5808
;! buffer4 = f16 0x4700
shader "utof i8 to f16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f16> = utof v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f16 = utof v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f16 0x3f9a 0xbf9a 0x7e00 0xfc00 0x7b53 0x7c00 0xda40 0x5bfc
;! buffer3 = i16 1 -1 0 -32768 32767 32767 -200 255
;! buffer4 = i16 1
shader "ftos f16 to i16" mask lanes=8 scratch=0 frame=0 {
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
    v12: <i16> = ftos v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: i16 = ftos v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 32767 129
;! buffer3 = f16 0x4700 0xbc00 0xf800 0x0000 0xc700 0xf022 0x7800 0x5808
;! buffer4 = f16 0x4700
shader "stof i16 to f16" mask lanes=8 scratch=0 frame=0 {
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
    v12: <f16> = stof v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: f16 = stof v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: f16 0x3f9a 0xbf9a 0x7e00 0xfc00 0x7b53 0x7c00 0xda40 0x5bfc
;! buffer3 = i16 1 0 0 0 -5536 -1 0 255
;! buffer4 = i16 1
shader "ftou f16 to i16" mask lanes=8 scratch=0 frame=0 {
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
    v12: <i16> = ftou v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: i16 = ftou v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 32767 129
;! buffer3 = f16 0x4700 0x7c00 0x7800 0x0000 0x7c00 0x7af8 0x7800 0x5808
;! buffer4 = f16 0x4700
shader "utof i16 to f16" mask lanes=8 scratch=0 frame=0 {
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
    v12: <f16> = utof v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: f16 = utof v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: f16 0x3f9a 0xbf9a 0x7e00 0xfc00 0x7b53 0x7c00 0xda40 0x5bfc
;! buffer3 = i32 1 -1 0 -2147483648 60000 2147483647 -200 255
;! buffer4 = i32 1
shader "ftos f16 to i32" mask lanes=8 scratch=0 frame=0 {
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
    v12: i32 = const 4
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <i32> = ftos v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i32 = ftos v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 2147483647 536871041
;! buffer3 = f16 0x4700 0xbc00 0xfc00 0x0000 0xc700 0xfc00 0x7c00 0x7c00
;! buffer4 = f16 0x4700
shader "stof i32 to f16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f16> = stof v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f16 = stof v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f16 0x3f9a 0xbf9a 0x7e00 0xfc00 0x7b53 0x7c00 0xda40 0x5bfc
;! buffer3 = i32 1 0 0 0 60000 -1 0 255
;! buffer4 = i32 1
shader "ftou f16 to i32" mask lanes=8 scratch=0 frame=0 {
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
    v12: i32 = const 4
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <i32> = ftou v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i32 = ftou v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 2147483647 536871041
;! buffer3 = f16 0x4700 0x7c00 0x7c00 0x0000 0x7c00 0x7c00 0x7c00 0x7c00
;! buffer4 = f16 0x4700
shader "utof i32 to f16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f16> = utof v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f16 = utof v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f16 0x3f9a 0xbf9a 0x7e00 0xfc00 0x7b53 0x7c00 0xda40 0x5bfc
;! buffer3 = i64 1 -1 0 -9223372036854775808 60000 9223372036854775807 -200 255
;! buffer4 = i64 1
shader "ftos f16 to i64" mask lanes=8 scratch=0 frame=0 {
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
    v12: i32 = const 8
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <i64> = ftos v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i64 = ftos v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 9223372036854775807 536871041
;! buffer3 = f16 0x4700 0xbc00 0xfc00 0x0000 0xc700 0x7c00 0x7c00 0x7c00
;! buffer4 = f16 0x4700
shader "stof i64 to f16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f16> = stof v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f16 = stof v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f16 0x3f9a 0xbf9a 0x7e00 0xfc00 0x7b53 0x7c00 0xda40 0x5bfc
;! buffer3 = i64 1 0 0 0 60000 -1 0 255
;! buffer4 = i64 1
shader "ftou f16 to i64" mask lanes=8 scratch=0 frame=0 {
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
    v12: i32 = const 8
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <i64> = ftou v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i64 = ftou v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 9223372036854775807 536871041
;! buffer3 = f16 0x4700 0x7c00 0x7c00 0x0000 0x7c00 0x7c00 0x7c00 0x7c00
;! buffer4 = f16 0x4700
shader "utof i64 to f16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f16> = utof v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f16 = utof v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f32 0x3ff33333 0xbff33333 0x7fc00000 0xff800000 0x4f32d05e 0x69045951 0xc3480000 0x437f8000
;! buffer3 = i8 1 -1 0 -128 127 127 -128 127
;! buffer4 = i8 1
shader "ftos f32 to i8" mask lanes=8 scratch=0 frame=0 {
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
    v12: i32 = const 1
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <i8> = ftos v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = ftos v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 127 -127
;! buffer3 = f32 0x40e00000 0xbf800000 0xc3000000 0x00000000 0xc0e00000 0xc1800000 0x42fe0000 0xc2fe0000
;! buffer4 = f32 0x40e00000
shader "stof i8 to f32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f32> = stof v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f32 = stof v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f32 0x3ff33333 0xbff33333 0x7fc00000 0xff800000 0x4f32d05e 0x69045951 0xc3480000 0x437f8000
;! buffer3 = i8 1 0 0 0 -1 -1 0 -1
;! buffer4 = i8 1
shader "ftou f32 to i8" mask lanes=8 scratch=0 frame=0 {
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
    v12: i32 = const 1
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <i8> = ftou v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = ftou v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 127 -127
;! buffer3 = f32 0x40e00000 0x437f0000 0x43000000 0x00000000 0x43790000 0x43700000 0x42fe0000 0x43010000
;! buffer4 = f32 0x40e00000
shader "utof i8 to f32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f32> = utof v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f32 = utof v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f32 0x3ff33333 0xbff33333 0x7fc00000 0xff800000 0x4f32d05e 0x69045951 0xc3480000 0x437f8000
;! buffer3 = i16 1 -1 0 -32768 32767 32767 -200 255
;! buffer4 = i16 1
shader "ftos f32 to i16" mask lanes=8 scratch=0 frame=0 {
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
    v12: i32 = const 2
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <i16> = ftos v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i16 = ftos v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 32767 129
;! buffer3 = f32 0x40e00000 0xbf800000 0xc7000000 0x00000000 0xc0e00000 0xc6044000 0x46fffe00 0x43010000
;! buffer4 = f32 0x40e00000
shader "stof i16 to f32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f32> = stof v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f32 = stof v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f32 0x3ff33333 0xbff33333 0x7fc00000 0xff800000 0x4f32d05e 0x69045951 0xc3480000 0x437f8000
;! buffer3 = i16 1 0 0 0 -1 -1 0 255
;! buffer4 = i16 1
shader "ftou f32 to i16" mask lanes=8 scratch=0 frame=0 {
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
    v12: i32 = const 2
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <i16> = ftou v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i16 = ftou v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 32767 129
;! buffer3 = f32 0x40e00000 0x477fff00 0x47000000 0x00000000 0x477ff900 0x475ef000 0x46fffe00 0x43010000
;! buffer4 = f32 0x40e00000
shader "utof i16 to f32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f32> = utof v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f32 = utof v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f32 0x3ff33333 0xbff33333 0x7fc00000 0xff800000 0x4f32d05e 0x69045951 0xc3480000 0x437f8000
;! buffer3 = i32 1 -1 0 -2147483648 2147483647 2147483647 -200 255
;! buffer4 = i32 1
shader "ftos f32 to i32" mask lanes=8 scratch=0 frame=0 {
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
    v12: <i32> = ftos v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: i32 = ftos v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 2147483647 536871041
;! buffer3 = f32 0x40e00000 0xbf800000 0xcf000000 0x00000000 0xc0e00000 0xceca8642 0x4f000000 0x4e000002
;! buffer4 = f32 0x40e00000
shader "stof i32 to f32" mask lanes=8 scratch=0 frame=0 {
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
    v12: <f32> = stof v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: f32 = stof v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: f32 0x3ff33333 0xbff33333 0x7fc00000 0xff800000 0x4f32d05e 0x69045951 0xc3480000 0x437f8000
;! buffer3 = i32 1 0 0 0 -1294967296 -1 0 255
;! buffer4 = i32 1
shader "ftou f32 to i32" mask lanes=8 scratch=0 frame=0 {
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
    v12: <i32> = ftou v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: i32 = ftou v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 2147483647 536871041
;! buffer3 = f32 0x40e00000 0x4f800000 0x4f000000 0x00000000 0x4f800000 0x4f1abcdf 0x4f000000 0x4e000002
;! buffer4 = f32 0x40e00000
shader "utof i32 to f32" mask lanes=8 scratch=0 frame=0 {
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
    v12: <f32> = utof v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: f32 = utof v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: f32 0x3ff33333 0xbff33333 0x7fc00000 0xff800000 0x4f32d05e 0x69045951 0xc3480000 0x437f8000
;! buffer3 = i64 1 -1 0 -9223372036854775808 3000000000 9223372036854775807 -200 255
;! buffer4 = i64 1
shader "ftos f32 to i64" mask lanes=8 scratch=0 frame=0 {
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
    v12: i32 = const 8
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <i64> = ftos v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i64 = ftos v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 9223372036854775807 536871041
;! buffer3 = f32 0x40e00000 0xbf800000 0xdf000000 0x00000000 0xc0e00000 0x5d91a2b4 0x5f000000 0x4e000002
;! buffer4 = f32 0x40e00000
shader "stof i64 to f32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f32> = stof v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f32 = stof v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f32 0x3ff33333 0xbff33333 0x7fc00000 0xff800000 0x4f32d05e 0x69045951 0xc3480000 0x437f8000
;! buffer3 = i64 1 0 0 0 3000000000 -1 0 255
;! buffer4 = i64 1
shader "ftou f32 to i64" mask lanes=8 scratch=0 frame=0 {
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
    v12: i32 = const 8
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <i64> = ftou v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i64 = ftou v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 9223372036854775807 536871041
;! buffer3 = f32 0x40e00000 0x5f800000 0x5f000000 0x00000000 0x5f800000 0x5d91a2b4 0x5f000000 0x4e000002
;! buffer4 = f32 0x40e00000
shader "utof i64 to f32" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f32> = utof v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f32 = utof v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f64 0x3ffe666666666666 0xbffe666666666666 0x7ff8000000000000 0xfff0000000000000 0x41e65a0bc0000000 0x45208b2a2c280291 0xc069000000000000 0x406ff00000000000
;! buffer3 = i8 1 -1 0 -128 127 127 -128 127
;! buffer4 = i8 1
shader "ftos f64 to i8" mask lanes=8 scratch=0 frame=0 {
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
    v12: i32 = const 1
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <i8> = ftos v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = ftos v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 127 -127
;! buffer3 = f64 0x401c000000000000 0xbff0000000000000 0xc060000000000000 0x0000000000000000 0xc01c000000000000 0xc030000000000000 0x405fc00000000000 0xc05fc00000000000
;! buffer4 = f64 0x401c000000000000
shader "stof i8 to f64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f64> = stof v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f64 = stof v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f64 0x3ffe666666666666 0xbffe666666666666 0x7ff8000000000000 0xfff0000000000000 0x41e65a0bc0000000 0x45208b2a2c280291 0xc069000000000000 0x406ff00000000000
;! buffer3 = i8 1 0 0 0 -1 -1 0 -1
;! buffer4 = i8 1
shader "ftou f64 to i8" mask lanes=8 scratch=0 frame=0 {
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
    v12: i32 = const 1
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <i8> = ftou v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = ftou v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i8 7 -1 -128 0 -7 -16 127 -127
;! buffer3 = f64 0x401c000000000000 0x406fe00000000000 0x4060000000000000 0x0000000000000000 0x406f200000000000 0x406e000000000000 0x405fc00000000000 0x4060200000000000
;! buffer4 = f64 0x401c000000000000
shader "utof i8 to f64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f64> = utof v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f64 = utof v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f64 0x3ffe666666666666 0xbffe666666666666 0x7ff8000000000000 0xfff0000000000000 0x41e65a0bc0000000 0x45208b2a2c280291 0xc069000000000000 0x406ff00000000000
;! buffer3 = i16 1 -1 0 -32768 32767 32767 -200 255
;! buffer4 = i16 1
shader "ftos f64 to i16" mask lanes=8 scratch=0 frame=0 {
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
    v12: i32 = const 2
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <i16> = ftos v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i16 = ftos v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 32767 129
;! buffer3 = f64 0x401c000000000000 0xbff0000000000000 0xc0e0000000000000 0x0000000000000000 0xc01c000000000000 0xc0c0880000000000 0x40dfffc000000000 0x4060200000000000
;! buffer4 = f64 0x401c000000000000
shader "stof i16 to f64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f64> = stof v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f64 = stof v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f64 0x3ffe666666666666 0xbffe666666666666 0x7ff8000000000000 0xfff0000000000000 0x41e65a0bc0000000 0x45208b2a2c280291 0xc069000000000000 0x406ff00000000000
;! buffer3 = i16 1 0 0 0 -1 -1 0 255
;! buffer4 = i16 1
shader "ftou f64 to i16" mask lanes=8 scratch=0 frame=0 {
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
    v12: i32 = const 2
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <i16> = ftou v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i16 = ftou v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i16 7 -1 -32768 0 -7 -8464 32767 129
;! buffer3 = f64 0x401c000000000000 0x40efffe000000000 0x40e0000000000000 0x0000000000000000 0x40efff2000000000 0x40ebde0000000000 0x40dfffc000000000 0x4060200000000000
;! buffer4 = f64 0x401c000000000000
shader "utof i16 to f64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f64> = utof v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f64 = utof v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f64 0x3ffe666666666666 0xbffe666666666666 0x7ff8000000000000 0xfff0000000000000 0x41e65a0bc0000000 0x45208b2a2c280291 0xc069000000000000 0x406ff00000000000
;! buffer3 = i32 1 -1 0 -2147483648 2147483647 2147483647 -200 255
;! buffer4 = i32 1
shader "ftos f64 to i32" mask lanes=8 scratch=0 frame=0 {
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
    v12: i32 = const 4
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <i32> = ftos v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i32 = ftos v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 2147483647 536871041
;! buffer3 = f64 0x401c000000000000 0xbff0000000000000 0xc1e0000000000000 0x0000000000000000 0xc01c000000000000 0xc1d950c844000000 0x41dfffffffc00000 0x41c0000040800000
;! buffer4 = f64 0x401c000000000000
shader "stof i32 to f64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f64> = stof v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f64 = stof v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f64 0x3ffe666666666666 0xbffe666666666666 0x7ff8000000000000 0xfff0000000000000 0x41e65a0bc0000000 0x45208b2a2c280291 0xc069000000000000 0x406ff00000000000
;! buffer3 = i32 1 0 0 0 -1294967296 -1 0 255
;! buffer4 = i32 1
shader "ftou f64 to i32" mask lanes=8 scratch=0 frame=0 {
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
    v12: i32 = const 4
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <i32> = ftou v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i32 = ftou v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i32 7 -1 -2147483648 0 -7 -1698898192 2147483647 536871041
;! buffer3 = f64 0x401c000000000000 0x41efffffffe00000 0x41e0000000000000 0x0000000000000000 0x41efffffff200000 0x41e3579bde000000 0x41dfffffffc00000 0x41c0000040800000
;! buffer4 = f64 0x401c000000000000
shader "utof i32 to f64" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f64> = utof v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f64 = utof v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f64 0x3ffe666666666666 0xbffe666666666666 0x7ff8000000000000 0xfff0000000000000 0x41e65a0bc0000000 0x45208b2a2c280291 0xc069000000000000 0x406ff00000000000
;! buffer3 = i64 1 -1 0 -9223372036854775808 3000000000 9223372036854775807 -200 255
;! buffer4 = i64 1
shader "ftos f64 to i64" mask lanes=8 scratch=0 frame=0 {
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
    v12: <i64> = ftos v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: i64 = ftos v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 9223372036854775807 536871041
;! buffer3 = f64 0x401c000000000000 0xbff0000000000000 0xc3e0000000000000 0x0000000000000000 0xc01c000000000000 0x43b23456789abcdf 0x43e0000000000000 0x41c0000040800000
;! buffer4 = f64 0x401c000000000000
shader "stof i64 to f64" mask lanes=8 scratch=0 frame=0 {
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
    v12: <f64> = stof v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: f64 = stof v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: f64 0x3ffe666666666666 0xbffe666666666666 0x7ff8000000000000 0xfff0000000000000 0x41e65a0bc0000000 0x45208b2a2c280291 0xc069000000000000 0x406ff00000000000
;! buffer3 = i64 1 0 0 0 3000000000 -1 0 255
;! buffer4 = i64 1
shader "ftou f64 to i64" mask lanes=8 scratch=0 frame=0 {
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
    v12: <i64> = ftou v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: i64 = ftou v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: i64 7 -1 -9223372036854775808 0 -7 1311768467463790320 9223372036854775807 536871041
;! buffer3 = f64 0x401c000000000000 0x43f0000000000000 0x43e0000000000000 0x0000000000000000 0x43f0000000000000 0x43b23456789abcdf 0x43e0000000000000 0x41c0000040800000
;! buffer4 = f64 0x401c000000000000
shader "utof i64 to f64" mask lanes=8 scratch=0 frame=0 {
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
    v12: <f64> = utof v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: f64 = utof v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: i16 16256 -32768 32640 32705 1 -129 16457 0
;! buffer3 = f32 0x3f800000 0x80000000 0x7f800000 0x7fc10000 0x00010000 0xff7f0000 0x40490000 0x00000000
;! buffer4 = f32 0x3f800000
shader "from_bf16" mask lanes=8 scratch=0 frame=0 {
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
    v15: <f32> = from_bf16 v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: f32 = from_bf16 v10
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: f32 0x3f808000 0x3f818000 0x3f808001 0x7f7fffff 0x7f800001 0x80000001 0xff800000 0x00018000
;! buffer3 = i16 16256 16258 16257 32640 32704 -32768 -128 2
;! buffer4 = i16 16256
shader "to_bf16" mask lanes=8 scratch=0 frame=0 {
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
    v12: i32 = const 2
    v13: <i32> = splat v12
    v14: <i32> = imul v4, v13
    v15: <i16> = to_bf16 v9
    store.global v11, v14, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i16 = to_bf16 v10
    store.global v16, v1, v17, v2
    return 0
}
