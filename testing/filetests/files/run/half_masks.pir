; Half of the lanes, by number: no mask is needed.

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 -1 100 101 102 103 104 105 106 107 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 114 115 116 117 118 119 120 121 -1 -1 -1 -1 -1
shader "a load and a store for each half" mask lanes=16 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i32> = lane_id
    v6: i32 = const 8
    v7: <i32> = splat v6
    v8: <i1> = ult v5, v7
    v9: <i1> = not v8
    v10: i32 = const 2
    v11: <i32> = splat v10
    v12: <i32> = shl v5, v11
    v13: <i32> = load.global v3, v12, v8
    v14: <i32> = load.global v3, v12, v9 +24
    v15: <i32> = or v13, v14
    store.global v4, v12, v15, v8 +4
    store.global v4, v12, v15, v9 +44
    return 0
}
