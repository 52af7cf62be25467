;! pass gvn report_lowering
shader "never" mask lanes=16 scratch=256 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i64 = arg 1
    v2: i32 = const 0
    v3: i1 = const 1
    v4: i64 = load.context v0, v2, v3 +16 speculatable
    v5: i64 = load.context v1, v2, v3 +24 speculatable
    v6: i64 = const 77
    v7: <i32> = lane_id
    v8: <i1> = splat v3
    v9: i1 = const 0
    report v4, v5, v6, v7, v9, v8, v8 imm=0x1
    track v5, v4, v5, v5, v4, v1, v6, v7, v7, v2, v8 imm=0x228401000010002
    return 0
}
;= shader "never" mask lanes=16 scratch=256 frame=0 {
;= block0:
;=     v0: i64 = arg 0
;=     v1: i64 = arg 1
;=     v2: i32 = const 0
;=     v3: i1 = const 1
;=     v4: i64 = load.context v0, v2, v3 +16 speculatable
;=     v5: i64 = load.context v1, v2, v3 +24 speculatable
;=     v6: i64 = const 77
;=     v7: <i32> = lane_id
;=     v8: <i1> = splat v3
;=     v9: i1 = const 0
;=     track v5, v4, v5, v5, v4, v1, v6, v7, v7, v2, v8 imm=0x228401000010002
;=     return 0
;= }
