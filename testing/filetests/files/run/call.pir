; Calls by address. The function called adds the record's first field to the words of its first column, in the
; lanes of the record's third field.

;! run
;! buffer0: i64 5 0 11
;! buffer0 = i64 5 0 11 0 0 0 0 0 21474836485 21474836480
shader "call" mask lanes=4 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +360
    call v4, v3
    return 0
}

; The record in a slot: columns are stored for all lanes; those of even number call; then those above 9 call;
; no lane comes to the last call, which would go nowhere.
;! run lower_slots linearize coroutine_split
;! active: 0x7fff
;! buffer0 = i32 10 2 14 6 18 10 22 14 26 18 130 122 134 126 138 0
shader "record" lane lanes=16 scratch=0 frame=0 {
    slot0: 104
block0: selection merge=block2
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +360
    v5: i32 = lane_id
    v6: i32 = const 1
    v7: i32 = and v5, v6
    v8: i1 = ieq v7, v1
    v9: i64 = const 10
    v10: i64 = const 0
    v30: i32 = const 4
    slot_store slot0, v30, v5
    branch v8, block1, block2
block1:
    v13: i32 = shl v5, v6
    slot_store slot0, v30, v13
    slot_call slot0, v4, v9, v10
    jump block2
block2: selection merge=block4
    v14: i32 = slot_load slot0, v30
    v15: i32 = const 9
    v16: i1 = ult v15, v5
    branch v16, block3, block4
block3:
    v17: i64 = const 100
    slot_call slot0, v4, v17, v10
    jump block4
block4: selection merge=block6
    v18: i32 = const 99
    v19: i1 = ult v18, v5
    branch v19, block5, block6
block5:
    slot_call slot0, v10, v10, v10
    jump block6
block6:
    v20: i32 = slot_load slot0, v30
    v21: i32 = const 2
    v22: i32 = shl v5, v21
    store.global v3, v22, v20, v2
    return 0
}
