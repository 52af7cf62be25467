; Passes that change control flow.

; A branch on a constant goes one way; the other way's blocks go.
;! pass branch_fold prune dce
shader "constant condition" lane lanes=16 scratch=0 frame=0 {
block0: selection merge=block3
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    branch v2, block1, block2
block1:
    store.global v0, v1, v1, v2
    jump block3
block2:
    store.global v0, v1, v1, v2 +4
    jump block3
block3:
    return 0
}
;= shader "constant condition" lane lanes=16 scratch=0 frame=0 {
;= block0:
;=     v0: i64 = arg 0
;=     v1: i32 = const 0
;=     v2: i1 = const 1
;=     jump block1
;= block1:
;=     store.global v0, v1, v1, v2
;=     jump block3
;= block3:
;=     return 0
;= }

; What does not change in a loop is computed before it.
;! pass licm
shader "loop-invariant" lane lanes=16 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i32 = const 1
    v3: i1 = const 1
    v4: i32 = lane_id
    jump block1(v1)
block1(v5: i32): loop merge=block3 continue=block2
    v6: i32 = imul v4, v4
    v7: i32 = iadd v5, v2
    store.global v0, v7, v6, v3
    v8: i1 = ult v7, v4
    branch v8, block2, block3
block2:
    jump block1(v7)
block3:
    return 0
}
;= shader "loop-invariant" lane lanes=16 scratch=0 frame=0 {
;= block0:
;=     v0: i64 = arg 0
;=     v1: i32 = const 0
;=     v2: i32 = const 1
;=     v3: i1 = const 1
;=     v4: i32 = lane_id
;=     v6: i32 = imul v4, v4
;=     jump block1(v1)
;= block1(v5: i32): loop merge=block3 continue=block2
;=     v7: i32 = iadd v5, v2
;=     store.global v0, v7, v6, v3
;=     v8: i1 = ult v7, v4
;=     branch v8, block2, block3
;= block2:
;=     jump block1(v7)
;= block3:
;=     return 0
;= }

; A short loop with a constant count becomes straight code.
;! pass unroll gvn branch_fold prune dce
shader "unrolled" lane lanes=16 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i32 = const 4
    v3: i32 = const 12
    v4: i1 = const 1
    jump block1(v1)
block1(v5: i32): loop merge=block4 continue=block3
    v6: i1 = ult v5, v3
    branch v6, block2, block4
block2:
    store.global v0, v5, v5, v4
    jump block3
block3:
    v7: i32 = iadd v5, v2
    jump block1(v7)
block4:
    return 0
}
;= shader "unrolled" lane lanes=16 scratch=0 frame=0 {
;= block0:
;=     v0: i64 = arg 0
;=     v1: i32 = const 0
;=     v2: i32 = const 4
;=     v4: i1 = const 1
;=     jump block1
;= block1:
;=     jump block2
;= block2:
;=     store.global v0, v1, v1, v4
;=     jump block3
;= block3:
;=     jump block5
;= block5:
;=     jump block6
;= block6:
;=     store.global v0, v2, v2, v4
;=     jump block7
;= block7:
;=     v16: i32 = const 8
;=     jump block8
;= block8:
;=     jump block9
;= block9:
;=     store.global v0, v16, v16, v4
;=     jump block10
;= block10:
;=     jump block11
;= block11:
;=     jump block4
;= block4:
;=     return 0
;= }

; A loop whose lanes leave it at different times runs as long as any lane is in it.
;! pass linearize dce
shader "divergent loop" lane lanes=16 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i32 = const 1
    v3: i1 = const 1
    v4: i32 = lane_id
    jump block1(v1)
block1(v5: i32): loop merge=block3 continue=block2
    v6: i32 = iadd v5, v2
    v7: i1 = ult v6, v4
    branch v7, block2, block3
block2:
    jump block1(v6)
block3:
    store.global v0, v4, v6, v3
    return 0
}
;= shader "divergent loop" mask lanes=16 scratch=0 frame=0 {
;= block0:
;=     v5: i32 = const 0
;=     v6: <i32> = splat v5
;=     v0: i64 = arg 1
;=     v1: i32 = const 0
;=     v2: i1 = const 1
;=     v7: i64 = arg 0
;=     v8: i32 = const 1
;=     v3: i64 = load.context v0, v1, v2 +16 speculatable
;=     v4: <i1> = mask_from_bits v3
;=     v9: <i32> = lane_id
;=     jump block1(v4, v1, v6)
;= block1(v10: <i1>, v13: i32, v19: <i32>):
;=     v14: i32 = iadd v13, v8
;=     v15: <i32> = splat v14
;=     v16: <i1> = ult v15, v9
;=     v17: <i1> = and v16, v10
;=     v18: <i1> = andnot v10, v16
;=     v20: <i32> = select v18, v15, v19
;=     jump block2
;= block2:
;=     jump block3
;= block3:
;=     v21: i1 = any v17
;=     branch v21, block1(v17, v14, v20), block4
;= block4:
;=     store.global v7, v9, v20, v4
;=     jump block5
;= block5:
;=     return 0
;= }

; Private arrays with dynamic indices lie in scratch memory, one element of all lanes after the other.
;! pass lower_slots linearize dce
shader "dynamic index" lane lanes=16 scratch=0 frame=0 {
    slot0: 16
block0:
    v0: i64 = arg 0
    v1: i32 = lane_id
    v2: i32 = const 12
    v3: i32 = and v1, v2
    v4: i32 = const 4
    v5: f32 = const 0x3f800000
    v6: i1 = const 1
    slot_store slot0, v3, v5
    v7: f32 = slot_load slot0, v4
    store.global v0, v3, v7, v6
    return 0
}
;= shader "dynamic index" mask lanes=16 scratch=256 frame=0 {
;= block0:
;=     v0: i64 = arg 1
;=     v1: i32 = const 0
;=     v2: i1 = const 1
;=     v7: i64 = arg 0
;=     v9: i32 = const 12
;=     v10: <i32> = splat v9
;=     v12: i32 = const 4
;=     v14: <i32> = splat v12
;=     v13: f32 = const 0x3f800000 ; 1.0
;=     v21: <f32> = splat v13
;=     v17: i32 = const 16
;=     v18: <i32> = splat v17
;=     v3: i64 = load.context v0, v1, v2 +16 speculatable
;=     v4: <i1> = mask_from_bits v3
;=     v5: i64 = load.context v0, v1, v2 +40 speculatable
;=     v6: <i32> = lane_id
;=     v8: <i32> = lane_id
;=     v11: <i32> = and v8, v10
;=     v15: <i32> = imul v6, v14
;=     v16: <i32> = umin v11, v10
;=     v19: <i32> = imul v16, v18
;=     v20: <i32> = iadd v19, v15
;=     store.scratch v5, v20, v21, v4
;=     v22: <i32> = imul v6, v14
;=     v23: <f32> = load.scratch v5, v22, v4 +64
;=     store.global v7, v11, v23, v4
;=     jump block1
;= block1:
;=     return 0
;= }
