; Private variables.

; A slot that is only used whole becomes a value.
;! pass sroa dce
shader "promoted" lane lanes=16 scratch=0 frame=0 {
    slot0: 4
block0: selection merge=block2
    v0: i32 = const 0
    v1: f32 = const 0x3f800000
    v2: i1 = active
    slot_store slot0, v0, v1
    branch v2, block1, block2
block1:
    v3: f32 = slot_load slot0, v0
    v4: f32 = fadd v3, v3
    slot_store slot0, v0, v4
    jump block2
block2:
    v5: f32 = slot_load slot0, v0
    v6: i64 = arg 0
    v7: i1 = const 1
    store.global v6, v0, v5, v7
    return 0
}
;= shader "promoted" lane lanes=16 scratch=0 frame=0 {
;=     slot0: 4
;= block0: selection merge=block2
;=     v0: i32 = const 0
;=     v1: f32 = const 0x3f800000 ; 1.0
;=     v2: i1 = active
;=     branch v2, block1, block2(v1)
;= block1:
;=     v4: f32 = fadd v1, v1
;=     jump block2(v4)
;= block2(v8: f32):
;=     v6: i64 = arg 0
;=     v7: i1 = const 1
;=     store.global v6, v0, v8, v7
;=     return 0
;= }

; A divergent branch becomes masks; the barrier a place to resume at.
;! pass linearize coroutine_split dce
shader "barrier" lane lanes=16 scratch=0 frame=0 {
block0: selection merge=block2
    v0: i64 = arg 1
    v1: i32 = lane_id
    v2: i32 = const 3
    v3: i1 = ult v1, v2
    v4: i1 = const 1
    branch v3, block1, block2
block1:
    store.shared v0, v1, v1, v4
    jump block2
block2:
    suspend 1
    store.global v0, v1, v1, v4
    return 0
}
;= shader "barrier" mask lanes=16 scratch=0 frame=0 {
;= block5:
;=     v13: i64 = arg 1
;=     v14: i32 = const 0
;=     v15: i1 = const 1
;=     v0: i64 = arg 1
;=     v1: i32 = const 0
;=     v2: i1 = const 1
;=     v3: i64 = load.context v0, v1, v2 +16 speculatable
;=     v4: <i1> = mask_from_bits v3
;=     v5: <i32> = lane_id
;=     v17: i32 = const 1
;=     v18: i32 = load.frame v13, v14, v15 +24
;=     switch v18, 1: block4, default block0
;= block0:
;=     v6: i32 = const 3
;=     v7: <i32> = splat v6
;=     v8: <i1> = ult v5, v7
;=     v9: <i1> = and v8, v4
;=     jump block1
;= block1:
;=     store.shared v0, v5, v5, v9
;=     jump block2
;= block2:
;=     store.frame v13, v14, v17, v15 +24
;=     return 1
;= block4:
;=     store.global v0, v5, v5, v4
;=     jump block3
;= block3:
;=     return 0
;= }
