; Passes that work value by value.

; Equal computations are done once; constants are folded; what is left unused goes.
;! pass gvn dce
shader "equal values" lane lanes=16 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 2
    v2: i32 = const 3
    v3: i32 = imul v1, v2
    v4: i32 = lane_id
    v5: i32 = iadd v4, v3
    v6: i32 = lane_id
    v7: i32 = iadd v6, v3
    v8: i32 = isub v5, v7
    v9: i32 = iadd v8, v5
    v10: i1 = const 1
    store.global v0, v4, v9, v10
    return 0
}
;= shader "equal values" lane lanes=16 scratch=0 frame=0 {
;= block0:
;=     v0: i64 = arg 0
;=     v11: i32 = const 6
;=     v4: i32 = lane_id
;=     v5: i32 = iadd v4, v11
;=     v10: i1 = const 1
;=     store.global v0, v4, v5, v10
;=     return 0
;= }

; Loads of memory that nothing writes in between are one; a store ends that, and volatile ones stay.
;! pass gvn dce
shader "equal loads" lane lanes=16 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i32 = load.global v0, v1, v2
    v4: i32 = load.global v0, v1, v2
    v5: i32 = iadd v3, v4
    store.global v0, v1, v5, v2 +4
    v6: i32 = load.global v0, v1, v2
    v7: i32 = load.context v0, v1, v2
    store.global v0, v1, v6, v2 +8
    v8: i32 = load.context v0, v1, v2
    v9: i32 = iadd v7, v8
    store.global v0, v1, v9, v2 +12
    v10: i32 = load.global v0, v1, v2 volatile
    v11: i32 = load.global v0, v1, v2 volatile
    v12: i32 = iadd v10, v11
    store.global v0, v1, v12, v2 +16
    return 0
}
;= shader "equal loads" lane lanes=16 scratch=0 frame=0 {
;= block0:
;=     v0: i64 = arg 0
;=     v1: i32 = const 0
;=     v2: i1 = const 1
;=     v3: i32 = load.global v0, v1, v2
;=     v5: i32 = iadd v3, v3
;=     store.global v0, v1, v5, v2 +4
;=     v6: i32 = load.global v0, v1, v2
;=     v7: i32 = load.context v0, v1, v2
;=     store.global v0, v1, v6, v2 +8
;=     v9: i32 = iadd v7, v7
;=     store.global v0, v1, v9, v2 +12
;=     v10: i32 = load.global v0, v1, v2 volatile
;=     v11: i32 = load.global v0, v1, v2 volatile
;=     v12: i32 = iadd v10, v11
;=     store.global v0, v1, v12, v2 +16
;=     return 0
;= }

; Instructions without effect go when nobody uses them; stores and atomics stay.
;! pass dce
shader "dead code" mask lanes=16 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: <i32> = iadd v4, v4
    v6: <i32> = load.global v0, v5, v3
    v7: <i32> = atomic_add.global v0, v1, v4, v3
    jump block1(v5, v4)
block1(v8: <i32>, v9: <i32>):
    store.global v0, v1, v9, v3
    return 0
}
;= shader "dead code" mask lanes=16 scratch=0 frame=0 {
;= block0:
;=     v0: i64 = arg 0
;=     v1: i32 = const 0
;=     v2: i1 = const 1
;=     v3: <i1> = splat v2
;=     v4: <i32> = lane_id
;=     v7: <i32> = atomic_add.global v0, v1, v4, v3
;=     jump block1(v4)
;= block1(v9: <i32>):
;=     store.global v0, v1, v9, v3
;=     return 0
;= }

; A product and a sum become one operation, but not where the source forbids it.
;! pass contract dce
shader "contract" lane lanes=16 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: f32 = load.global v0, v1, v2
    v4: f32 = load.global v0, v1, v2 +4
    v5: f32 = load.global v0, v1, v2 +8
    v6: f32 = fmul v3, v4
    v7: f32 = fadd v6, v5
    store.global v0, v1, v7, v2
    v8: f32 = fmul.nocontract v3, v5
    v9: f32 = fadd v8, v4
    store.global v0, v1, v9, v2 +4
    v10: f32 = fmul v4, v5
    v11: f32 = fsub.nocontract v10, v3
    store.global v0, v1, v11, v2 +8
    return 0
}
;= shader "contract" lane lanes=16 scratch=0 frame=0 {
;= block0:
;=     v0: i64 = arg 0
;=     v1: i32 = const 0
;=     v2: i1 = const 1
;=     v3: f32 = load.global v0, v1, v2
;=     v4: f32 = load.global v0, v1, v2 +4
;=     v5: f32 = load.global v0, v1, v2 +8
;=     v7: f32 = fma v3, v4, v5
;=     store.global v0, v1, v7, v2
;=     v8: f32 = fmul.nocontract v3, v5
;=     v9: f32 = fadd v8, v4
;=     store.global v0, v1, v9, v2 +4
;=     v10: f32 = fmul v4, v5
;=     v11: f32 = fsub.nocontract v10, v3
;=     store.global v0, v1, v11, v2 +8
;=     return 0
;= }

; A swap of halves and one of their bytes are one shuffle.
;! pass gvn dce
shader "a swap of halves, then of their bytes" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 2
    v6: <i32> = splat v5
    v7: <i32> = shl v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v11: i64 = load.context v0, v1, v2 +320
    v12: <i32> = load.global v8, v7, v3
    v13: i32 = const 16
    v14: <i32> = splat v13
    v15: i32 = const 8
    v16: <i32> = splat v15
    v17: i32 = const 16711935
    v18: <i32> = splat v17
    v19: i32 = const -16711936
    v20: <i32> = splat v19
    v30: <i32> = shl v12, v14
    v31: <i32> = lshr v12, v14
    v32: <i32> = or v30, v31
    v33: <i32> = shl v32, v16
    v34: <i32> = and v33, v20
    v35: <i32> = lshr v32, v16
    v36: <i32> = and v35, v18
    v40: <i32> = or v36, v34
    store.global v11, v7, v40, v3
    return 0
}
;= shader "a swap of halves, then of their bytes" mask lanes=8 scratch=0 frame=0 {
;= block0:
;=     v0: i64 = arg 0
;=     v1: i32 = const 0
;=     v2: i1 = const 1
;=     v3: <i1> = splat v2
;=     v4: <i32> = lane_id
;=     v5: i32 = const 2
;=     v6: <i32> = splat v5
;=     v7: <i32> = shl v4, v6
;=     v8: i64 = load.context v0, v1, v2 +296
;=     v11: i64 = load.context v0, v1, v2 +320
;=     v12: <i32> = load.global v8, v7, v3
;=     v41: i32 = const 66051
;=     v42: <i32> = splat v41
;=     v43: <i32> = shuffle_bytes v12, v42
;=     store.global v11, v7, v43, v3
;=     return 0
;= }
