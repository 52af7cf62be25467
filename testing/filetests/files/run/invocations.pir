; Lane form: what single invocations do, run after the passes that make mask form of it, and after all passes.

; Invocation i adds 0 to i - 1; they leave the loop one after the other.
;! run linearize
;! buffer0 = i32 0 0 1 3 6 10 15 21
shader "divergent loop" lane lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i32 = const 1
    v3: i32 = const 2
    v4: i1 = const 1
    v5: i64 = load.context v0, v1, v4 +296
    v6: i32 = lane_id
    jump block1(v1, v1)
block1(v7: i32, v8: i32): loop merge=block4 continue=block3
    v9: i1 = ult v7, v6
    branch v9, block2, block4
block2:
    v10: i32 = iadd v8, v7
    jump block3
block3:
    v11: i32 = iadd v7, v2
    jump block1(v11, v10)
block4:
    v12: i32 = shl v6, v3
    store.global v5, v12, v8, v4
    return 0
}

; Cases that fall through: 0 goes through all three, 1 through two, 2 through the last, the others through none.
; `active` behind the switch sees everyone again; inside only who came there. Invocation 6 is not there at all.
;! run linearize
;! active: 0xbf
;! buffer0 = i32 111 110 100 0 111 110 0 0
;! buffer1 = i64 0x11 0x33 0x37 0xbf
shader "switch" lane lanes=8 scratch=0 frame=0 {
block0: selection merge=block4
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: i32 = lane_id
    v6: i32 = const 3
    v7: i32 = and v5, v6
    v8: i32 = const 1
    v9: i32 = const 10
    v10: i32 = const 100
    v11: i32 = const 2
    v12: i32 = shl v5, v11
    switch v7, 0: block1, 1: block2(v1), 2: block3(v1), default block4(v1)
block1:
    v13: i1 = active
    v14: i64 = ballot v13
    store.global v4, v1, v14, v2
    jump block2(v8)
block2(v15: i32):
    v16: i1 = active
    v17: i64 = ballot v16
    store.global v4, v1, v17, v2 +8
    v18: i32 = iadd v15, v9
    jump block3(v18)
block3(v19: i32):
    v20: i1 = active
    v21: i64 = ballot v20
    store.global v4, v1, v21, v2 +16
    v22: i32 = iadd v19, v10
    jump block4(v22)
block4(v23: i32):
    v24: i1 = active
    v25: i64 = ballot v24
    store.global v4, v1, v25, v2 +24
    store.global v3, v12, v23, v2
    return 0
}

; Two barriers in a loop that all invocations go round alike, with values of each that live across them.
;! run pipeline
;! exits: barrier barrier done
;! buffer0 = i32 0 1 2 3 | i32 0 11 22 33
;! buffer1 = i32 20 31 42 53
shader "barriers" lane lanes=4 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i32 = const 2
    v3: i1 = const 1
    v4: i64 = load.context v0, v1, v3 +296
    v5: i64 = load.context v0, v1, v3 +304
    v6: i32 = lane_id
    v7: i32 = shl v6, v2
    v8: i32 = const 10
    v9: i32 = imul v6, v8
    jump block1(v1, v6)
block1(v10: i32, v11: i32): loop merge=block3 continue=block2
    v12: i32 = const 4
    v13: i32 = shl v10, v12
    v14: i32 = iadd v13, v7
    store.global v4, v14, v11, v3
    suspend 1
    v15: i32 = iadd v11, v9
    v16: i32 = const 1
    v17: i32 = iadd v10, v16
    v18: i1 = ult v17, v2
    branch v18, block2, block3
block2:
    jump block1(v17, v15)
block3:
    v19: i32 = isub v11, v9
    v20: i32 = const 20
    v21: i32 = iadd v19, v20
    v22: i32 = isub v21, v11
    v23: i32 = iadd v22, v15
    store.global v5, v7, v23, v3
    return 0
}

; A private array of each invocation's own, read back in reverse.
;! run lower_slots linearize
;! buffer0 = i32 3 2 1 0 | i32 13 12 11 10 | i32 23 22 21 20 | i32 33 32 31 30
shader "private array" lane lanes=4 scratch=0 frame=0 {
    slot0: 16
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i32 = const 1
    v3: i32 = const 2
    v4: i32 = const 3
    v5: i32 = const 4
    v6: i32 = const 10
    v7: i1 = const 1
    v8: i64 = load.context v0, v1, v7 +296
    v9: i32 = lane_id
    v10: i32 = imul v9, v6
    jump block1(v1)
block1(v11: i32): loop merge=block2 continue=block1
    v12: i32 = iadd v10, v11
    v13: i32 = shl v11, v3
    slot_store slot0, v13, v12
    v14: i32 = iadd v11, v2
    v15: i1 = ult v14, v5
    branch v15, block1(v14), block2
block2:
    jump block3(v1)
block3(v16: i32): loop merge=block4 continue=block3
    v17: i32 = isub v4, v16
    v18: i32 = shl v17, v3
    v19: i32 = slot_load slot0, v18
    v20: i32 = shl v9, v3
    v21: i32 = iadd v20, v16
    v22: i32 = shl v21, v3
    store.global v8, v22, v19, v7
    v23: i32 = iadd v16, v2
    v24: i1 = ult v23, v5
    branch v24, block3(v23), block4
block4:
    return 0
}
