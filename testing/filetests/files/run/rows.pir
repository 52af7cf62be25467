; Vectors of four words in rows of several lanes, or at places that are apart; and the first lanes of a subgroup.

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163 164 165 166 167 168 169 170 171
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 103 102 101 100 107 106 105 104 111 110 109 108 115 114 113 112 119 118 117 116 123 122 121 120 127 126 125 124 131 130 129 128 -1 -1 -1 -1 -1 -1 -1 -1 143 142 141 140 147 146 145 144 151 150 149 148 155 154 153 152 159 158 157 156 163 162 161 160 167 166 165 164 171 170 169 168
shader "rows of eight" mask lanes=16 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 7
    v8: <i32> = splat v7
    v9: i32 = const 3
    v10: <i32> = splat v9
    v11: i32 = const 4
    v12: <i32> = splat v11
    v13: <i32> = and v6, v8
    v14: <i32> = lshr v6, v10
    v15: <i32> = shl v13, v12
    v16: i32 = const 160
    v17: <i32> = splat v16
    v18: <i32> = imul v14, v17
    v19: <i32> = iadd v15, v18
    v20: <i32> = load.global v3, v19, v5
    v21: <i32> = load.global v3, v19, v5 +4
    v22: <i32> = load.global v3, v19, v5 +8
    v23: <i32> = load.global v3, v19, v5 +12
    store.global v4, v19, v20, v5 +12
    store.global v4, v19, v21, v5 +8
    store.global v4, v19, v22, v5 +4
    store.global v4, v19, v23, v5
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163 164 165 166 167 168 169 170 171
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 103 101 -1 100 107 105 -1 104 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 127 125 -1 124 131 129 -1 128 -1 -1 -1 -1 -1 -1 -1 -1 143 141 -1 140 -1 -1 -1 -1 151 149 -1 148 -1 -1 -1 -1 -1 -1 -1 -1 163 161 -1 160 -1 -1 -1 -1 171 169 -1 168
shader "rows of eight, some lanes and words" mask lanes=16 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 7
    v8: <i32> = splat v7
    v9: i32 = const 3
    v10: <i32> = splat v9
    v11: i32 = const 4
    v12: <i32> = splat v11
    v13: <i32> = and v6, v8
    v14: <i32> = lshr v6, v10
    v15: <i32> = shl v13, v12
    v16: i32 = const 160
    v17: <i32> = splat v16
    v18: <i32> = imul v14, v17
    v19: <i32> = iadd v15, v18
    v20: i64 = const 42435
    v21: <i1> = mask_from_bits v20
    v22: <i32> = load.global v3, v19, v21
    v23: <i32> = load.global v3, v19, v21 +4
    v24: <i32> = load.global v3, v19, v21 +12
    store.global v4, v19, v22, v21 +12
    store.global v4, v19, v23, v21 +4
    store.global v4, v19, v24, v21
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163 164 165 166 167 168 169 170 171 172 173 174 175
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 103 102 101 100 107 106 105 104 111 110 109 108 115 114 113 112 -1 -1 -1 -1 123 122 121 120 127 126 125 124 131 130 129 128 135 134 133 132 -1 -1 -1 -1 143 142 141 140 147 146 145 144 151 150 149 148 155 154 153 152 -1 -1 -1 -1 163 162 161 160 167 166 165 164 171 170 169 168 175 174 173 172
shader "rows of four" mask lanes=16 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 3
    v8: <i32> = splat v7
    v9: i32 = const 2
    v10: <i32> = splat v9
    v11: i32 = const 4
    v12: <i32> = splat v11
    v13: <i32> = and v6, v8
    v14: <i32> = lshr v6, v10
    v15: <i32> = shl v13, v12
    v16: i32 = const 80
    v17: <i32> = splat v16
    v18: <i32> = imul v14, v17
    v19: <i32> = iadd v15, v18
    v20: <i32> = load.global v3, v19, v5
    v21: <i32> = load.global v3, v19, v5 +4
    v22: <i32> = load.global v3, v19, v5 +8
    v23: <i32> = load.global v3, v19, v5 +12
    store.global v4, v19, v20, v5 +12
    store.global v4, v19, v21, v5 +8
    store.global v4, v19, v22, v5 +4
    store.global v4, v19, v23, v5
    return 0
}

;! run
;! buffer0: i32 160 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163 164 165 166 167 168 169 170 171
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 103 102 101 160 107 106 105 104 111 110 109 108 115 114 113 112 119 118 117 116 123 122 121 120 127 126 125 124 131 130 129 128 -1 -1 -1 -1 -1 -1 -1 -1 143 142 141 140 147 146 145 144 151 150 149 148 155 154 153 152 159 158 157 156 163 162 161 160 167 166 165 164 171 170 169 168
shader "rows of eight at a distance that is read" mask lanes=16 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 7
    v8: <i32> = splat v7
    v9: i32 = const 3
    v10: <i32> = splat v9
    v11: i32 = const 4
    v12: <i32> = splat v11
    v13: <i32> = and v6, v8
    v14: <i32> = lshr v6, v10
    v15: <i32> = shl v13, v12
    v16: i32 = load.global v3, v1, v2
    v17: <i32> = splat v16
    v18: <i32> = imul v14, v17
    v19: <i32> = iadd v15, v18
    v20: <i32> = load.global v3, v19, v5
    v21: <i32> = load.global v3, v19, v5 +4
    v22: <i32> = load.global v3, v19, v5 +8
    v23: <i32> = load.global v3, v19, v5 +12
    store.global v4, v19, v20, v5 +12
    store.global v4, v19, v21, v5 +8
    store.global v4, v19, v22, v5 +4
    store.global v4, v19, v23, v5
    return 0
}

;! run
;! buffer0: i32 160 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163 164 165 166 167 168 169 170 171
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 -1 -1 -1 -1 106 105 104 -1 110 109 108 -1 114 113 112 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 130 129 128 -1 -1 -1 -1 -1 -1 -1 -1 -1 142 141 140 -1 146 145 144 -1 150 149 148 -1 154 153 152 -1 158 157 156 -1 162 161 160 -1 -1 -1 -1 -1 -1 -1 -1 -1
shader "rows of eight at a distance that is read, some lanes" mask lanes=16 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 7
    v8: <i32> = splat v7
    v9: i32 = const 3
    v10: <i32> = splat v9
    v11: i32 = const 4
    v12: <i32> = splat v11
    v13: <i32> = and v6, v8
    v14: <i32> = lshr v6, v10
    v15: <i32> = shl v13, v12
    v16: i32 = load.global v3, v1, v2
    v17: <i32> = splat v16
    v18: <i32> = imul v14, v17
    v19: <i32> = iadd v15, v18
    v20: i64 = const 16270
    v21: <i1> = mask_from_bits v20
    v22: <i32> = load.global v3, v19, v21
    v23: <i32> = load.global v3, v19, v21 +4
    v24: <i32> = load.global v3, v19, v21 +8
    store.global v4, v19, v22, v21 +8
    store.global v4, v19, v23, v21 +4
    store.global v4, v19, v24, v21
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 103 102 101 100 107 106 105 104 111 110 109 108 115 114 113 112 119 118 117 116 123 122 121 120 127 126 125 124 131 130 129 128 103 102 101 100 107 106 105 104 111 110 109 108 115 114 113 112 119 118 117 116 123 122 121 120 127 126 125 124 131 130 129 128
shader "rows of eight at one place" mask lanes=16 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 7
    v8: <i32> = splat v7
    v9: i32 = const 3
    v10: <i32> = splat v9
    v11: i32 = const 4
    v12: <i32> = splat v11
    v13: <i32> = and v6, v8
    v14: <i32> = lshr v6, v10
    v15: <i32> = shl v13, v12
    v16: <i32> = load.global v3, v15, v5
    v17: <i32> = load.global v3, v15, v5 +4
    v18: <i32> = load.global v3, v15, v5 +8
    v19: <i32> = load.global v3, v15, v5 +12
    v20: <i32> = shl v6, v12
    store.global v4, v20, v16, v5 +12
    store.global v4, v20, v17, v5 +8
    store.global v4, v20, v18, v5 +4
    store.global v4, v20, v19, v5
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 -1 102 101 -1 -1 106 105 -1 -1 110 109 -1 -1 114 113 -1 -1 118 117 -1 -1 122 121 -1 -1 126 125 -1 -1 130 129 -1 -1 102 101 -1 -1 106 105 -1 -1 110 109 -1 -1 114 113 -1 -1 118 117 -1 -1 122 121 -1 -1 126 125 -1 -1 130 129 -1
shader "rows of eight at one place, two words" mask lanes=16 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 7
    v8: <i32> = splat v7
    v9: i32 = const 3
    v10: <i32> = splat v9
    v11: i32 = const 4
    v12: <i32> = splat v11
    v13: <i32> = and v6, v8
    v14: <i32> = lshr v6, v10
    v15: <i32> = shl v13, v12
    v16: <i32> = load.global v3, v15, v5 +4
    v17: <i32> = load.global v3, v15, v5 +8
    v18: <i32> = shl v6, v12
    store.global v4, v18, v16, v5 +8
    store.global v4, v18, v17, v5 +4
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163 164 165 166 167 168 169 170 171 172 173 174 175 176 177 178 179 180 181 182 183 184 185 186 187 188 189 190 191 192 193 194 195 196 197 198 199 200 201 202 203 204 205 206 207 208 209 210 211 212 213 214 215 216 217 218 219 220 221 222 223 224 225 226 227 228 229 230 231 232 233 234 235 236 237 238 239
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 103 102 101 100 107 106 105 104 111 110 109 108 115 114 113 112 119 118 117 116 123 122 121 120 127 126 125 124 131 130 129 128 -1 -1 -1 -1 139 138 137 136 143 142 141 140 147 146 145 144 151 150 149 148 155 154 153 152 159 158 157 156 163 162 161 160 167 166 165 164 -1 -1 -1 -1 175 174 173 172 179 178 177 176 183 182 181 180 187 186 185 184 191 190 189 188 195 194 193 192 199 198 197 196 203 202 201 200 -1 -1 -1 -1 211 210 209 208 215 214 213 212 219 218 217 216 223 222 221 220 227 226 225 224 231 230 229 228 235 234 233 232 239 238 237 236
shader "rows of eight, 32 lanes" mask lanes=32 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 7
    v8: <i32> = splat v7
    v9: i32 = const 3
    v10: <i32> = splat v9
    v11: i32 = const 4
    v12: <i32> = splat v11
    v13: <i32> = and v6, v8
    v14: <i32> = lshr v6, v10
    v15: <i32> = shl v13, v12
    v16: i32 = const 144
    v17: <i32> = splat v16
    v18: <i32> = imul v14, v17
    v19: <i32> = iadd v15, v18
    v20: <i32> = load.global v3, v19, v5
    v21: <i32> = load.global v3, v19, v5 +4
    v22: <i32> = load.global v3, v19, v5 +8
    v23: <i32> = load.global v3, v19, v5 +12
    store.global v4, v19, v20, v5 +12
    store.global v4, v19, v21, v5 +8
    store.global v4, v19, v22, v5 +4
    store.global v4, v19, v23, v5
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163 164 165 166 167 168 169 170 171 172 173 174 175 176 177 178 179 180 181 182 183 184 185 186 187 188 189 190 191 192 193 194 195 196 197 198 199 200 201 202 203 204 205 206 207 208 209 210 211 212 213 214 215 216 217 218 219 220 221 222 223 224 225 226 227 228 229 230 231 232 233 234 235 236 237 238 239
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 119 -1 118 116 123 -1 122 120 127 -1 126 124 131 -1 130 128 -1 -1 -1 -1 139 -1 138 136 143 -1 142 140 147 -1 146 144 151 -1 150 148 155 -1 154 152 -1 -1 -1 -1 163 -1 162 160 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 179 -1 178 176 -1 -1 -1 -1 187 -1 186 184 191 -1 190 188 195 -1 194 192 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 219 -1 218 216 223 -1 222 220 227 -1 226 224 -1 -1 -1 -1 -1 -1 -1 -1 239 -1 238 236
shader "rows of eight, 32 lanes, some" mask lanes=32 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 7
    v8: <i32> = splat v7
    v9: i32 = const 3
    v10: <i32> = splat v9
    v11: i32 = const 4
    v12: <i32> = splat v11
    v13: <i32> = and v6, v8
    v14: <i32> = lshr v6, v10
    v15: <i32> = shl v13, v12
    v16: i32 = const 144
    v17: <i32> = splat v16
    v18: <i32> = imul v14, v17
    v19: <i32> = iadd v15, v18
    v20: i64 = const 2621071344
    v21: <i1> = mask_from_bits v20
    v22: <i32> = load.global v3, v19, v21
    v23: <i32> = load.global v3, v19, v21 +8
    v24: <i32> = load.global v3, v19, v21 +12
    store.global v4, v19, v22, v21 +12
    store.global v4, v19, v23, v21 +8
    store.global v4, v19, v24, v21
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 100 101 102 103 116 117 118 119 132 133 134 135 148 149 150 151 104 105 106 107 120 121 122 123 136 137 138 139 152 153 154 155 108 109 110 111 124 125 126 127 140 141 142 143 156 157 158 159 112 113 114 115 128 129 130 131 144 145 146 147 160 161 162 163
shader "places that are apart" mask lanes=16 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 3
    v8: <i32> = splat v7
    v9: i32 = const 2
    v10: <i32> = splat v9
    v11: i32 = const 4
    v12: <i32> = splat v11
    v13: i32 = const 64
    v14: <i32> = splat v13
    v15: <i32> = and v6, v8
    v16: <i32> = lshr v6, v10
    v17: <i32> = imul v15, v14
    v18: <i32> = shl v16, v12
    v19: <i32> = iadd v17, v18
    v20: <i32> = shl v6, v12
    v21: <i32> = load.global v3, v20, v5
    v22: <i32> = load.global v3, v20, v5 +4
    v23: <i32> = load.global v3, v20, v5 +8
    v24: <i32> = load.global v3, v20, v5 +12
    store.global v4, v19, v21, v5
    store.global v4, v19, v22, v5 +4
    store.global v4, v19, v23, v5 +8
    store.global v4, v19, v24, v5 +12
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 100 101 102 103 116 117 118 119 132 133 134 135 -1 -1 -1 -1 104 105 106 107 120 121 122 123 -1 -1 -1 -1 152 153 154 155 108 109 110 111 -1 -1 -1 -1 140 141 142 143 156 157 158 159 -1 -1 -1 -1 128 129 130 131 144 145 146 147 -1 -1 -1 -1
shader "places that are apart, some lanes" mask lanes=16 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 3
    v8: <i32> = splat v7
    v9: i32 = const 2
    v10: <i32> = splat v9
    v11: i32 = const 4
    v12: <i32> = splat v11
    v13: i32 = const 64
    v14: <i32> = splat v13
    v15: <i32> = and v6, v8
    v16: <i32> = lshr v6, v10
    v17: <i32> = imul v15, v14
    v18: <i32> = shl v16, v12
    v19: <i32> = iadd v17, v18
    v20: <i32> = shl v6, v12
    v21: i64 = const 28087
    v22: <i1> = mask_from_bits v21
    v23: <i32> = load.global v3, v20, v5
    v24: <i32> = load.global v3, v20, v5 +4
    v25: <i32> = load.global v3, v20, v5 +8
    v26: <i32> = load.global v3, v20, v5 +12
    store.global v4, v19, v23, v22
    store.global v4, v19, v24, v22 +4
    store.global v4, v19, v25, v22 +8
    store.global v4, v19, v26, v22 +12
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 100 101 102 -1 116 117 118 -1 132 133 134 -1 148 149 150 -1 104 105 106 -1 120 121 122 -1 136 137 138 -1 152 153 154 -1 108 109 110 -1 124 125 126 -1 140 141 142 -1 156 157 158 -1 112 113 114 -1 128 129 130 -1 144 145 146 -1 160 161 162 -1
shader "places that are apart, three words" mask lanes=16 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 3
    v8: <i32> = splat v7
    v9: i32 = const 2
    v10: <i32> = splat v9
    v11: i32 = const 4
    v12: <i32> = splat v11
    v13: i32 = const 64
    v14: <i32> = splat v13
    v15: <i32> = and v6, v8
    v16: <i32> = lshr v6, v10
    v17: <i32> = imul v15, v14
    v18: <i32> = shl v16, v12
    v19: <i32> = iadd v17, v18
    v20: <i32> = shl v6, v12
    v21: <i32> = load.global v3, v20, v5
    v22: <i32> = load.global v3, v20, v5 +4
    v23: <i32> = load.global v3, v20, v5 +8
    store.global v4, v19, v21, v5
    store.global v4, v19, v22, v5 +4
    store.global v4, v19, v23, v5 +8
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 100 101 102 103 116 117 118 119 104 105 106 107 120 121 122 123 108 109 110 111 -1 -1 -1 -1 -1 -1 -1 -1 128 129 130 131
shader "places that are apart, eight lanes" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 3
    v8: <i32> = splat v7
    v9: i32 = const 2
    v10: <i32> = splat v9
    v11: i32 = const 4
    v12: <i32> = splat v11
    v13: i32 = const 32
    v14: <i32> = splat v13
    v15: <i32> = and v6, v8
    v16: <i32> = lshr v6, v10
    v17: <i32> = imul v15, v14
    v18: <i32> = shl v16, v12
    v19: <i32> = iadd v17, v18
    v20: <i32> = shl v6, v12
    v21: i64 = const 183
    v22: <i1> = mask_from_bits v21
    v23: <i32> = load.global v3, v20, v5
    v24: <i32> = load.global v3, v20, v5 +4
    v25: <i32> = load.global v3, v20, v5 +8
    v26: <i32> = load.global v3, v20, v5 +12
    store.global v4, v19, v23, v22
    store.global v4, v19, v24, v22 +4
    store.global v4, v19, v25, v22 +8
    store.global v4, v19, v26, v22 +12
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 102 1 1 1 1 1 1 1 102 -1 -1 -1 -1 -1 -1 -1
shader "1 of 8 lanes" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 2
    v8: <i32> = splat v7
    v9: i32 = const 1
    v10: <i32> = splat v9
    v11: <i32> = shl v6, v8
    v12: <i1> = ult v6, v10
    v13: <i32> = load.global v3, v11, v12 +4
    v14: i32 = const 1
    v15: <i32> = splat v14
    v16: <i32> = iadd v13, v15
    store.global v4, v11, v16, v5
    store.global v4, v11, v16, v12 +32
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 102 103 1 1 1 1 1 1 102 103 -1 -1 -1 -1 -1 -1
shader "2 of 8 lanes" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 2
    v8: <i32> = splat v7
    v9: i32 = const 2
    v10: <i32> = splat v9
    v11: <i32> = shl v6, v8
    v12: <i1> = ult v6, v10
    v13: <i32> = load.global v3, v11, v12 +4
    v14: i32 = const 1
    v15: <i32> = splat v14
    v16: <i32> = iadd v13, v15
    store.global v4, v11, v16, v5
    store.global v4, v11, v16, v12 +32
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 102 103 104 1 1 1 1 1 102 103 104 -1 -1 -1 -1 -1
shader "3 of 8 lanes" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 2
    v8: <i32> = splat v7
    v9: i32 = const 3
    v10: <i32> = splat v9
    v11: <i32> = shl v6, v8
    v12: <i1> = ult v6, v10
    v13: <i32> = load.global v3, v11, v12 +4
    v14: i32 = const 1
    v15: <i32> = splat v14
    v16: <i32> = iadd v13, v15
    store.global v4, v11, v16, v5
    store.global v4, v11, v16, v12 +32
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 102 103 104 105 1 1 1 1 102 103 104 105 -1 -1 -1 -1
shader "4 of 8 lanes" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 2
    v8: <i32> = splat v7
    v9: i32 = const 4
    v10: <i32> = splat v9
    v11: <i32> = shl v6, v8
    v12: <i1> = ult v6, v10
    v13: <i32> = load.global v3, v11, v12 +4
    v14: i32 = const 1
    v15: <i32> = splat v14
    v16: <i32> = iadd v13, v15
    store.global v4, v11, v16, v5
    store.global v4, v11, v16, v12 +32
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 102 103 104 105 106 1 1 1 102 103 104 105 106 -1 -1 -1
shader "5 of 8 lanes" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 2
    v8: <i32> = splat v7
    v9: i32 = const 5
    v10: <i32> = splat v9
    v11: <i32> = shl v6, v8
    v12: <i1> = ult v6, v10
    v13: <i32> = load.global v3, v11, v12 +4
    v14: i32 = const 1
    v15: <i32> = splat v14
    v16: <i32> = iadd v13, v15
    store.global v4, v11, v16, v5
    store.global v4, v11, v16, v12 +32
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 102 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 102 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
shader "1 of 16 lanes" mask lanes=16 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 2
    v8: <i32> = splat v7
    v9: i32 = const 1
    v10: <i32> = splat v9
    v11: <i32> = shl v6, v8
    v12: <i1> = ult v6, v10
    v13: <i32> = load.global v3, v11, v12 +4
    v14: i32 = const 1
    v15: <i32> = splat v14
    v16: <i32> = iadd v13, v15
    store.global v4, v11, v16, v5
    store.global v4, v11, v16, v12 +64
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 102 103 1 1 1 1 1 1 1 1 1 1 1 1 1 1 102 103 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
shader "2 of 16 lanes" mask lanes=16 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 2
    v8: <i32> = splat v7
    v9: i32 = const 2
    v10: <i32> = splat v9
    v11: <i32> = shl v6, v8
    v12: <i1> = ult v6, v10
    v13: <i32> = load.global v3, v11, v12 +4
    v14: i32 = const 1
    v15: <i32> = splat v14
    v16: <i32> = iadd v13, v15
    store.global v4, v11, v16, v5
    store.global v4, v11, v16, v12 +64
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 102 103 104 105 1 1 1 1 1 1 1 1 1 1 1 1 102 103 104 105 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
shader "4 of 16 lanes" mask lanes=16 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 2
    v8: <i32> = splat v7
    v9: i32 = const 4
    v10: <i32> = splat v9
    v11: <i32> = shl v6, v8
    v12: <i1> = ult v6, v10
    v13: <i32> = load.global v3, v11, v12 +4
    v14: i32 = const 1
    v15: <i32> = splat v14
    v16: <i32> = iadd v13, v15
    store.global v4, v11, v16, v5
    store.global v4, v11, v16, v12 +64
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 102 103 104 105 106 107 108 1 1 1 1 1 1 1 1 1 102 103 104 105 106 107 108 -1 -1 -1 -1 -1 -1 -1 -1 -1
shader "7 of 16 lanes" mask lanes=16 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 2
    v8: <i32> = splat v7
    v9: i32 = const 7
    v10: <i32> = splat v9
    v11: <i32> = shl v6, v8
    v12: <i1> = ult v6, v10
    v13: <i32> = load.global v3, v11, v12 +4
    v14: i32 = const 1
    v15: <i32> = splat v14
    v16: <i32> = iadd v13, v15
    store.global v4, v11, v16, v5
    store.global v4, v11, v16, v12 +64
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 102 103 104 105 106 107 108 109 1 1 1 1 1 1 1 1 102 103 104 105 106 107 108 109 -1 -1 -1 -1 -1 -1 -1 -1
shader "8 of 16 lanes" mask lanes=16 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 2
    v8: <i32> = splat v7
    v9: i32 = const 8
    v10: <i32> = splat v9
    v11: <i32> = shl v6, v8
    v12: <i1> = ult v6, v10
    v13: <i32> = load.global v3, v11, v12 +4
    v14: i32 = const 1
    v15: <i32> = splat v14
    v16: <i32> = iadd v13, v15
    store.global v4, v11, v16, v5
    store.global v4, v11, v16, v12 +64
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 102 103 104 105 106 107 108 109 110 111 112 113 1 1 1 1 102 103 104 105 106 107 108 109 110 111 112 113 -1 -1 -1 -1
shader "12 of 16 lanes" mask lanes=16 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 2
    v8: <i32> = splat v7
    v9: i32 = const 12
    v10: <i32> = splat v9
    v11: <i32> = shl v6, v8
    v12: <i1> = ult v6, v10
    v13: <i32> = load.global v3, v11, v12 +4
    v14: i32 = const 1
    v15: <i32> = splat v14
    v16: <i32> = iadd v13, v15
    store.global v4, v11, v16, v5
    store.global v4, v11, v16, v12 +64
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 102 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 102 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
shader "1 of 32 lanes" mask lanes=32 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 2
    v8: <i32> = splat v7
    v9: i32 = const 1
    v10: <i32> = splat v9
    v11: <i32> = shl v6, v8
    v12: <i1> = ult v6, v10
    v13: <i32> = load.global v3, v11, v12 +4
    v14: i32 = const 1
    v15: <i32> = splat v14
    v16: <i32> = iadd v13, v15
    store.global v4, v11, v16, v5
    store.global v4, v11, v16, v12 +128
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 102 103 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 102 103 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
shader "2 of 32 lanes" mask lanes=32 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 2
    v8: <i32> = splat v7
    v9: i32 = const 2
    v10: <i32> = splat v9
    v11: <i32> = shl v6, v8
    v12: <i1> = ult v6, v10
    v13: <i32> = load.global v3, v11, v12 +4
    v14: i32 = const 1
    v15: <i32> = splat v14
    v16: <i32> = iadd v13, v15
    store.global v4, v11, v16, v5
    store.global v4, v11, v16, v12 +128
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 102 103 104 105 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 102 103 104 105 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
shader "4 of 32 lanes" mask lanes=32 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 2
    v8: <i32> = splat v7
    v9: i32 = const 4
    v10: <i32> = splat v9
    v11: <i32> = shl v6, v8
    v12: <i1> = ult v6, v10
    v13: <i32> = load.global v3, v11, v12 +4
    v14: i32 = const 1
    v15: <i32> = splat v14
    v16: <i32> = iadd v13, v15
    store.global v4, v11, v16, v5
    store.global v4, v11, v16, v12 +128
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 102 103 104 105 106 107 108 109 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 102 103 104 105 106 107 108 109 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
shader "8 of 32 lanes" mask lanes=32 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 2
    v8: <i32> = splat v7
    v9: i32 = const 8
    v10: <i32> = splat v9
    v11: <i32> = shl v6, v8
    v12: <i1> = ult v6, v10
    v13: <i32> = load.global v3, v11, v12 +4
    v14: i32 = const 1
    v15: <i32> = splat v14
    v16: <i32> = iadd v13, v15
    store.global v4, v11, v16, v5
    store.global v4, v11, v16, v12 +128
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 102 103 104 105 106 107 108 109 110 111 112 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 102 103 104 105 106 107 108 109 110 111 112 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
shader "11 of 32 lanes" mask lanes=32 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 2
    v8: <i32> = splat v7
    v9: i32 = const 11
    v10: <i32> = splat v9
    v11: <i32> = shl v6, v8
    v12: <i1> = ult v6, v10
    v13: <i32> = load.global v3, v11, v12 +4
    v14: i32 = const 1
    v15: <i32> = splat v14
    v16: <i32> = iadd v13, v15
    store.global v4, v11, v16, v5
    store.global v4, v11, v16, v12 +128
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
shader "16 of 32 lanes" mask lanes=32 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 2
    v8: <i32> = splat v7
    v9: i32 = const 16
    v10: <i32> = splat v9
    v11: <i32> = shl v6, v8
    v12: <i1> = ult v6, v10
    v13: <i32> = load.global v3, v11, v12 +4
    v14: i32 = const 1
    v15: <i32> = splat v14
    v16: <i32> = iadd v13, v15
    store.global v4, v11, v16, v5
    store.global v4, v11, v16, v12 +128
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 1 1 1 1 1 1 1 1 1 1 1 1 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
shader "20 of 32 lanes" mask lanes=32 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 2
    v8: <i32> = splat v7
    v9: i32 = const 20
    v10: <i32> = splat v9
    v11: <i32> = shl v6, v8
    v12: <i1> = ult v6, v10
    v13: <i32> = load.global v3, v11, v12 +4
    v14: i32 = const 1
    v15: <i32> = splat v14
    v16: <i32> = iadd v13, v15
    store.global v4, v11, v16, v5
    store.global v4, v11, v16, v12 +128
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163 164
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 102 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 102 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
shader "1 of 64 lanes" mask lanes=64 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 2
    v8: <i32> = splat v7
    v9: i32 = const 1
    v10: <i32> = splat v9
    v11: <i32> = shl v6, v8
    v12: <i1> = ult v6, v10
    v13: <i32> = load.global v3, v11, v12 +4
    v14: i32 = const 1
    v15: <i32> = splat v14
    v16: <i32> = iadd v13, v15
    store.global v4, v11, v16, v5
    store.global v4, v11, v16, v12 +256
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163 164
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 102 103 104 105 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 102 103 104 105 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
shader "4 of 64 lanes" mask lanes=64 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 2
    v8: <i32> = splat v7
    v9: i32 = const 4
    v10: <i32> = splat v9
    v11: <i32> = shl v6, v8
    v12: <i1> = ult v6, v10
    v13: <i32> = load.global v3, v11, v12 +4
    v14: i32 = const 1
    v15: <i32> = splat v14
    v16: <i32> = iadd v13, v15
    store.global v4, v11, v16, v5
    store.global v4, v11, v16, v12 +256
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163 164
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 102 103 104 105 106 107 108 109 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 102 103 104 105 106 107 108 109 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
shader "8 of 64 lanes" mask lanes=64 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 2
    v8: <i32> = splat v7
    v9: i32 = const 8
    v10: <i32> = splat v9
    v11: <i32> = shl v6, v8
    v12: <i1> = ult v6, v10
    v13: <i32> = load.global v3, v11, v12 +4
    v14: i32 = const 1
    v15: <i32> = splat v14
    v16: <i32> = iadd v13, v15
    store.global v4, v11, v16, v5
    store.global v4, v11, v16, v12 +256
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163 164
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
shader "16 of 64 lanes" mask lanes=64 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 2
    v8: <i32> = splat v7
    v9: i32 = const 16
    v10: <i32> = splat v9
    v11: <i32> = shl v6, v8
    v12: <i1> = ult v6, v10
    v13: <i32> = load.global v3, v11, v12 +4
    v14: i32 = const 1
    v15: <i32> = splat v14
    v16: <i32> = iadd v13, v15
    store.global v4, v11, v16, v5
    store.global v4, v11, v16, v12 +256
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163 164
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
shader "24 of 64 lanes" mask lanes=64 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 2
    v8: <i32> = splat v7
    v9: i32 = const 24
    v10: <i32> = splat v9
    v11: <i32> = shl v6, v8
    v12: <i1> = ult v6, v10
    v13: <i32> = load.global v3, v11, v12 +4
    v14: i32 = const 1
    v15: <i32> = splat v14
    v16: <i32> = iadd v13, v15
    store.global v4, v11, v16, v5
    store.global v4, v11, v16, v12 +256
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163 164
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
shader "32 of 64 lanes" mask lanes=64 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 2
    v8: <i32> = splat v7
    v9: i32 = const 32
    v10: <i32> = splat v9
    v11: <i32> = shl v6, v8
    v12: <i1> = ult v6, v10
    v13: <i32> = load.global v3, v11, v12 +4
    v14: i32 = const 1
    v15: <i32> = splat v14
    v16: <i32> = iadd v13, v15
    store.global v4, v11, v16, v5
    store.global v4, v11, v16, v12 +256
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163 164
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
shader "33 of 64 lanes" mask lanes=64 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 2
    v8: <i32> = splat v7
    v9: i32 = const 33
    v10: <i32> = splat v9
    v11: <i32> = shl v6, v8
    v12: <i1> = ult v6, v10
    v13: <i32> = load.global v3, v11, v12 +4
    v14: i32 = const 1
    v15: <i32> = splat v14
    v16: <i32> = iadd v13, v15
    store.global v4, v11, v16, v5
    store.global v4, v11, v16, v12 +256
    return 0
}

;! run
;! buffer0: i32 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163 164
;! buffer1: i32 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
;! buffer1 = i32 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
shader "48 of 64 lanes" mask lanes=64 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: i64 = load.context v0, v1, v2 +304
    v5: <i1> = splat v2
    v6: <i32> = lane_id
    v7: i32 = const 2
    v8: <i32> = splat v7
    v9: i32 = const 48
    v10: <i32> = splat v9
    v11: <i32> = shl v6, v8
    v12: <i1> = ult v6, v10
    v13: <i32> = load.global v3, v11, v12 +4
    v14: i32 = const 1
    v15: <i32> = splat v14
    v16: <i32> = iadd v13, v15
    store.global v4, v11, v16, v5
    store.global v4, v11, v16, v12 +256
    return 0
}
