; Codes of sRGB and their values: what is above the low byte does not count, values are clamped, NaN is 0.
;! run
;! buffer0: i32 0 255 10 11 0x101 188 0xffffff01 -1
;! buffer3 = f32 0x00000000 0x3f800000 0x3b46eb61 0x3b5b5192 0x399f22b4 0x3f00bd15 0x399f22b4 0x3f800000
;! buffer4 = f32 0x3f800000
shader "from_srgb" mask lanes=8 scratch=0 frame=0 {
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
    v10: i32 = load.global v5, v6, v2
    v11: i64 = load.context v0, v1, v2 +320
    v12: <f32> = from_srgb v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: f32 = from_srgb v10
    store.global v13, v1, v14, v2
    return 0
}

;! run
;! buffer0: f32 0 1.0 0.5 0x7fc00000 -1.0 2.0 0x39000000 0x3b4d2e1c
;! buffer3 = i32 0 255 188 0 0 255 0 10
;! buffer4 = i32 255
shader "to_srgb" mask lanes=8 scratch=0 frame=0 {
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
    v10: f32 = load.global v5, v6, v2
    v11: i64 = load.context v0, v1, v2 +320
    v12: <i32> = to_srgb v9
    store.global v11, v8, v12, v3
    v13: i64 = load.context v0, v1, v2 +328
    v14: i32 = to_srgb v10
    store.global v13, v1, v14, v2
    return 0
}
