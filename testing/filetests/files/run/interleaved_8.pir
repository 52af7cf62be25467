; Components side by side in memory, as of eight lanes.

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 101 100 103 102 105 104 107 106 109 108 111 110 113 112 115 114 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
shader "2 words" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 8
    v8: <i32> = splat v7
    v9: <i32> = imul v6, v8
    v10: <i32> = load.global v3, v9, v5
    v11: <i32> = load.global v3, v9, v5 +4
    store.global v4, v9, v10, v5 +4
    store.global v4, v9, v11, v5
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 101 100 103 102 -1 -1 -1 -1 -1 -1 -1 -1 113 112 115 114 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
shader "2 words, some lanes" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: i64 = const 195
    v6: <i1> = mask_from_bits v5
    v7: <i32> = lane_id
    v8: i32 = const 8
    v9: <i32> = splat v8
    v10: <i32> = imul v7, v9
    v11: <i32> = load.global v3, v10, v6
    v12: <i32> = load.global v3, v10, v6 +4
    store.global v4, v10, v11, v6 +4
    store.global v4, v10, v12, v6
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 102 100 101 105 103 104 108 106 107 111 109 110 114 112 113 117 115 116 120 118 119 123 121 122 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
shader "3 words" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 12
    v8: <i32> = splat v7
    v9: <i32> = imul v6, v8
    v10: <i32> = load.global v3, v9, v5
    v11: <i32> = load.global v3, v9, v5 +4
    v12: <i32> = load.global v3, v9, v5 +8
    store.global v4, v9, v10, v5 +4
    store.global v4, v9, v11, v5 +8
    store.global v4, v9, v12, v5
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 102 100 101 105 103 104 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 120 118 119 123 121 122 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
shader "3 words, some lanes" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: i64 = const 195
    v6: <i1> = mask_from_bits v5
    v7: <i32> = lane_id
    v8: i32 = const 12
    v9: <i32> = splat v8
    v10: <i32> = imul v7, v9
    v11: <i32> = load.global v3, v10, v6
    v12: <i32> = load.global v3, v10, v6 +4
    v13: <i32> = load.global v3, v10, v6 +8
    store.global v4, v10, v11, v6 +4
    store.global v4, v10, v12, v6 +8
    store.global v4, v10, v13, v6
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 103 100 101 102 107 104 105 106 111 108 109 110 115 112 113 114 119 116 117 118 123 120 121 122 127 124 125 126 131 128 129 130 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
shader "4 words" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 16
    v8: <i32> = splat v7
    v9: <i32> = imul v6, v8
    v10: <i32> = load.global v3, v9, v5
    v11: <i32> = load.global v3, v9, v5 +4
    v12: <i32> = load.global v3, v9, v5 +8
    v13: <i32> = load.global v3, v9, v5 +12
    store.global v4, v9, v10, v5 +4
    store.global v4, v9, v11, v5 +8
    store.global v4, v9, v12, v5 +12
    store.global v4, v9, v13, v5
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 103 100 101 102 107 104 105 106 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 127 124 125 126 131 128 129 130 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
shader "4 words, some lanes" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: i64 = const 195
    v6: <i1> = mask_from_bits v5
    v7: <i32> = lane_id
    v8: i32 = const 16
    v9: <i32> = splat v8
    v10: <i32> = imul v7, v9
    v11: <i32> = load.global v3, v10, v6
    v12: <i32> = load.global v3, v10, v6 +4
    v13: <i32> = load.global v3, v10, v6 +8
    v14: <i32> = load.global v3, v10, v6 +12
    store.global v4, v10, v11, v6 +4
    store.global v4, v10, v12, v6 +8
    store.global v4, v10, v13, v6 +12
    store.global v4, v10, v14, v6
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 102 -1 100 105 -1 103 108 -1 106 111 -1 109 114 -1 112 117 -1 115 120 -1 118 123 -1 121 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
shader "outer words of 3" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 12
    v8: <i32> = splat v7
    v9: <i32> = imul v6, v8
    v10: <i32> = load.global v3, v9, v5
    v11: <i32> = load.global v3, v9, v5 +8
    store.global v4, v9, v10, v5 +8
    store.global v4, v9, v11, v5
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 102 100 101 -1 106 104 105 -1 110 108 109 -1 114 112 113 -1 118 116 117 -1 122 120 121 -1 126 124 125 -1 130 128 129 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
shader "3 words of 4, all lanes but the last" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: i64 = const 32767
    v6: <i1> = mask_from_bits v5
    v7: <i32> = lane_id
    v8: i32 = const 16
    v9: <i32> = splat v8
    v10: <i32> = imul v7, v9
    v11: <i32> = load.global v3, v10, v6
    v12: <i32> = load.global v3, v10, v6 +4
    v13: <i32> = load.global v3, v10, v6 +8
    store.global v4, v10, v11, v6 +4
    store.global v4, v10, v12, v6 +8
    store.global v4, v10, v13, v6
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 -1 103 -1 101 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
shader "odd words of 4" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: i64 = const 32769
    v6: <i1> = mask_from_bits v5
    v7: <i32> = lane_id
    v8: i32 = const 16
    v9: <i32> = splat v8
    v10: <i32> = imul v7, v9
    v11: <i32> = load.global v3, v10, v6 +4
    v12: <i32> = load.global v3, v10, v6 +12
    store.global v4, v10, v11, v6 +12
    store.global v4, v10, v12, v6 +4
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 119 118 -1 -1 123 122 -1 -1 127 126 -1 -1 131 130 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
shader "upper words of 4" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: i64 = const 4080
    v6: <i1> = mask_from_bits v5
    v7: <i32> = lane_id
    v8: i32 = const 16
    v9: <i32> = splat v8
    v10: <i32> = imul v7, v9
    v11: <i32> = load.global v3, v10, v6 +8
    v12: <i32> = load.global v3, v10, v6 +12
    store.global v4, v10, v11, v6 +12
    store.global v4, v10, v12, v6 +8
    return 0
}
