; Bytes and halves of lanes: products, orders, words.

;! run
;! buffer0: i8 -97 65 -67 91 -53 -80 -1 -128
;! buffer1: i8 -15 -41 -67 -90 -20 -121 127 -128
;! buffer3 = i8 -81 -105 -119 2 36 -48 -127 0
;! buffer4 = i8 -81
shader "dot_bytes i8" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 1
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i8> = load.global v5, v8, v3
    v10: i8 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +304
    v12: <i8> = load.global v11, v8, v3
    v13: i8 = load.global v11, v1, v2
    v14: i64 = load.context v0, v1, v2 +320
    v15: <i8> = dot_bytes v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = dot_bytes v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i8 7 -41 119 -58 -15 63 -1 -128
;! buffer1: i8 -90 13 -26 40 28 95 127 -128
;! buffer3 = i8 -118 -21 -22 -16 92 97 -127 0
;! buffer4 = i8 -118
shader "dot_halves i8" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 1
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i8> = load.global v5, v8, v3
    v10: i8 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +304
    v12: <i8> = load.global v11, v8, v3
    v13: i8 = load.global v11, v1, v2
    v14: i64 = load.context v0, v1, v2 +320
    v15: <i8> = dot_halves v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = dot_halves v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i8 120 -34 63 97 -117 26 -1 -128
;! buffer1: i8 -110 63 3 -69 55 104 127 -128
;! buffer3 = i8 0 -34 63 0 -117 26 -1 0
;! buffer4 = i8 0
shader "shuffle_bytes i8" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 1
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i8> = load.global v5, v8, v3
    v10: i8 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +304
    v12: <i8> = load.global v11, v8, v3
    v13: i8 = load.global v11, v1, v2
    v14: i64 = load.context v0, v1, v2 +320
    v15: <i8> = shuffle_bytes v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = shuffle_bytes v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i16 18316 11932 -5483 -8687 -15354 25522 -1 -32768
;! buffer1: i16 10459 -15603 -13295 4714 9094 -25040 32639 -32768
;! buffer3 = i16 -2340 -778 -9635 5798 6128 -1158 32767 -16384
;! buffer4 = i16 -2340
shader "dot_bytes i16" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 2
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i16> = load.global v5, v8, v3
    v10: i16 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +304
    v12: <i16> = load.global v11, v8, v3
    v13: i16 = load.global v11, v1, v2
    v14: i64 = load.context v0, v1, v2 +320
    v15: <i16> = dot_bytes v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i16 = dot_bytes v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i16 -25071 29152 8303 8666 116 -1813 -1 -32768
;! buffer1: i16 -8428 348 13726 -14838 14121 -2614 32639 -32768
;! buffer3 = i16 10324 -13184 -126 -4476 -364 20590 -32639 0
;! buffer4 = i16 10324
shader "dot_halves i16" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 2
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i16> = load.global v5, v8, v3
    v10: i16 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +304
    v12: <i16> = load.global v11, v8, v3
    v13: i16 = load.global v11, v1, v2
    v14: i64 = load.context v0, v1, v2 +320
    v15: <i16> = dot_halves v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i16 = dot_halves v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i16 -1153 10869 -8362 10910 18959 20555 -1 -32768
;! buffer1: i16 -2525 13034 -30198 -8119 -21114 -24529 32639 -32768
;! buffer3 = i16 251 29952 86 42 0 80 -1 0
;! buffer4 = i16 251
shader "shuffle_bytes i16" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 2
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i16> = load.global v5, v8, v3
    v10: i16 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +304
    v12: <i16> = load.global v11, v8, v3
    v13: i16 = load.global v11, v1, v2
    v14: i64 = load.context v0, v1, v2 +320
    v15: <i16> = shuffle_bytes v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i16 = shuffle_bytes v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i32 879521323 780260973 -253506153 -135047628 -1328682729 845589051 -1 -2147483648
;! buffer1: i32 -143605210 -149909866 -456376014 1645932375 1283288560 92643356 2139062143 -2147483648
;! buffer3 = i32 762112958 108167168 -1213967989 2000423926 2147443141 -805779788 2147450879 -1073741824
;! buffer4 = i32 762112958
shader "dot_bytes i32" mask lanes=8 scratch=0 frame=0 {
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
    v10: i32 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +304
    v12: <i32> = load.global v11, v8, v3
    v13: i32 = load.global v11, v1, v2
    v14: i64 = load.context v0, v1, v2 +320
    v15: <i32> = dot_bytes v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i32 = dot_bytes v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i32 1551298954 1782010769 712775808 -275768429 625784932 1133063676 -1 -2147450880
;! buffer1: i32 279772928 1425304169 1294327475 -784259708 -1704629585 -1777509745 2139062143 -2147450880
;! buffer3 = i32 101971272 1174116581 161321324 118151772 -749018280 -196019271 -65278 -2147483648
;! buffer4 = i32 101971272
shader "dot_halves i32" mask lanes=8 scratch=0 frame=0 {
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
    v10: i32 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +304
    v12: <i32> = load.global v11, v8, v3
    v13: i32 = load.global v11, v1, v2
    v14: i64 = load.context v0, v1, v2 +320
    v15: <i32> = dot_halves v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i32 = dot_halves v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i32 14530381 -1735257194 -1383261878 -1255521365 1451255993 283564262 -1 -2147483648
;! buffer1: i32 1331259175 1526222443 -779458918 1314535974 2064784837 -1303866991 2139062143 -2147483648
;! buffer3 = i32 11993088 -1845456232 36096 707406378 1451255808 15073280 -1 0
;! buffer4 = i32 11993088
shader "shuffle_bytes i32" mask lanes=8 scratch=0 frame=0 {
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
    v10: i32 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +304
    v12: <i32> = load.global v11, v8, v3
    v13: i32 = load.global v11, v1, v2
    v14: i64 = load.context v0, v1, v2 +320
    v15: <i32> = shuffle_bytes v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i32 = shuffle_bytes v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i64 3408464632754983231 8716793999411716319 3248842131919680082 4725720759045430515 -1125033491786883096 -936716913867062169 -1 -9223372036854775808
;! buffer1: i64 6597368502031651073 7457909554320907578 -8318265132922694936 7725998870071162790 6942716486964102153 -2928713990222000307 9187201950435737471 -9223372036854775808
;! buffer3 = i64 -1266719167618308704 9223136616727590438 -2168801731646784556 4306304986547866646 8965511568552169572 -2804294785594161737 9223231297218904063 -4611686018427387904
;! buffer4 = i64 -1266719167618308704
shader "dot_bytes i64" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 8
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i64> = load.global v5, v8, v3
    v10: i64 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +304
    v12: <i64> = load.global v11, v8, v3
    v13: i64 = load.global v11, v1, v2
    v14: i64 = load.context v0, v1, v2 +320
    v15: <i64> = dot_bytes v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i64 = dot_bytes v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i64 8353096282722727445 -5390908551621882121 -6941269514427253426 -841273390696846477 2195541747315981953 4539500055357813011 -1 -9223231297218904064
;! buffer1: i64 -3329763466285292522 8526184048579168454 -8992861235088627688 -1979131064595793358 4628176539024022480 8538071130065202013 9187201950435737471 -9223231297218904064
;! buffer3 = i64 -614473652399042856 -3084882036133622928 3771023741452311072 -946467271092752152 -450893170591360226 -608668681735725710 -280362580246270 -9223372034707292160
;! buffer4 = i64 -614473652399042856
shader "dot_halves i64" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 8
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i64> = load.global v5, v8, v3
    v10: i64 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +304
    v12: <i64> = load.global v11, v8, v3
    v13: i64 = load.global v11, v1, v2
    v14: i64 = load.context v0, v1, v2 +320
    v15: <i64> = dot_halves v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i64 = dot_halves v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i64 -7567530086423242156 -4040073993223994432 6775437713183542321 5457723940104629591 7987010093916925929 -399528909057559061 -1 -9223372036854775808
;! buffer1: i64 3845839834649694302 -8985777017261996646 6689259541481075102 2733726930997592845 5085331452762494576 -5485937426581407996 9187201950435737471 -9223372036854775808
;! buffer3 = i64 -4929566922118921990 7809847325556736 -5548426275533747200 -4971765807252307781 -2954361315047636759 258385232591506 -1 0
;! buffer4 = i64 -4929566922118921990
shader "shuffle_bytes i64" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 8
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i64> = load.global v5, v8, v3
    v10: i64 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +304
    v12: <i64> = load.global v11, v8, v3
    v13: i64 = load.global v11, v1, v2
    v14: i64 = load.context v0, v1, v2 +320
    v15: <i64> = shuffle_bytes v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i64 = shuffle_bytes v10, v13
    store.global v16, v1, v17, v2
    return 0
}

; Orders that are known, the words of 64-bit lanes, and bits of two values.
;! run
;! buffer0: i32 -1953591474 395452012 1341964098 -1348766472 1360645580 1314994742 762261244 -864260735 335850270 -1602857002 639383371 -1197715882 -1334984992 1328448764 -14058226 2077878433
;! buffer1: i64 -5162711965120201053 1493415744559245885 -7366721807302766592 -1409205477927716737 587095007172249351 -4785851124558981255 6342597492404504319 4615538766554602064 -6438532724983171130 2686381356878416148 -386447911375678404 -6671737670378224310 -3658645454047909128 6164630587146123568 3819580837308091710 -344945246935898206
;! buffer3 = i32 -688824409 -1096139047 2068019162 -243816819 1758686900 917488888 -721729527 -1361986039 1491383748 -1813307698 -1115169395 -442462759 1742280512 -1490227370 172808113 -1270621938
;! buffer4 = i32 5111886
;! buffer5 = i64 -5176506956826881373
shader "known orders" mask lanes=16 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i64 = load.context v0, v1, v2 +304
    v7: i32 = const 2
    v8: <i32> = splat v7
    v9: <i32> = shl v4, v8
    v10: i32 = const 3
    v11: <i32> = splat v10
    v12: <i32> = shl v4, v11
    v13: <i32> = load.global v5, v9, v3
    v14: <i64> = load.global v6, v12, v3
    v15: i64 = const 0x703060205010400
    v16: <i64> = splat v15
    v17: <i64> = shuffle_bytes v14, v16
    v18: i64 = const 32
    v19: <i64> = splat v18
    v20: <i64> = lshr v17, v19
    v21: <i32> = trunc v20
    v22: <i32> = trunc v17
    v23: i32 = const 0xffff
    v24: <i32> = splat v23
    v25: i32 = const 16
    v26: <i32> = splat v25
    v27: <i32> = and v21, v24
    v28: <i32> = shl v22, v26
    v29: <i32> = or v27, v28
    v30: <i64> = zext v13
    v31: i64 = const 0x302010003020100
    v32: <i64> = splat v31
    v33: <i64> = shuffle_bytes v30, v32
    v34: i64 = const 0x380020001800300
    v35: <i64> = splat v34
    v36: <i64> = shuffle_bytes v30, v35
    v37: <i64> = xor v33, v36
    v38: <i64> = lshr v37, v19
    v39: <i32> = trunc v38
    v40: <i32> = trunc v37
    v41: <i32> = xor v39, v40
    v42: i32 = const 0x80008000
    v43: <i32> = splat v42
    v44: <i32> = shuffle_bytes v13, v43
    v45: <i32> = iadd v29, v41
    v46: <i32> = iadd v45, v44
    v47: i64 = load.context v0, v1, v2 +320
    store.global v47, v9, v46, v3
    v48: i64 = load.context v0, v1, v2 +328
    v49: i32 = load.global v5, v1, v2
    v50: i32 = shuffle_bytes v49, v42
    store.global v48, v1, v50, v2
    v51: i64 = load.context v0, v1, v2 +336
    v52: i64 = load.global v6, v1, v2
    v53: i64 = shuffle_bytes v52, v15
    store.global v51, v1, v53, v2
    return 0
}

; Bits of one value and all of another, in every width: the constant is as wide as they are.

;! run
;! buffer0: i8 -35 -113 -37 -20 -57 119 115 -126 -38 -106 48 47 -51 -125 121 -95
;! buffer1: i8 -99 -53 47 24 114 77 36 23 -119 -49 -29 -79 -94 10 -104 -5
;! buffer3 = i8 -35 -53 -1 -8 -13 127 119 -105 -37 -33 -13 -77 -29 -117 -7 -5
;! buffer4 = i8 -99 -97 -97 -99 -33 -35 -67 -97 -99 -97 -67 -67 -99 -97 -99 -67
shader "bits and bits i8" mask lanes=16 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i64 = load.context v0, v1, v2 +304
    v7: i32 = const 1
    v8: <i32> = splat v7
    v9: <i32> = imul v4, v8
    v10: <i8> = load.global v5, v9, v3
    v11: <i8> = load.global v6, v9, v3
    v12: i8 = const 0xf3
    v13: <i8> = splat v12
    v14: <i8> = and v10, v13
    v15: <i8> = or v14, v11
    v16: i64 = load.context v0, v1, v2 +320
    store.global v16, v9, v15, v3
    v17: i8 = load.global v6, v1, v2
    v18: <i8> = splat v17
    v19: <i8> = and v11, v10
    v20: <i8> = or v18, v19
    v21: i64 = load.context v0, v1, v2 +328
    store.global v21, v9, v20, v3
    return 0
}

;! run
;! buffer0: i16 -2310 29687 -22681 -17111 -25195 -22933 10321 -24699 983 -11030 -30909 4139 3902 2336 12465 -7893
;! buffer1: i16 15855 -26240 1971 -14542 30404 21383 28870 -26807 -10327 12800 -31515 15312 -23574 19277 32753 301
;! buffer3 = i16 -529 -1566 -22541 -6342 -2108 -2065 28870 -26807 -10261 -2454 -31257 15354 -22550 19309 32753 -7889
;! buffer4 = i16 15855 15855 16367 -16913 15855 16367 15855 -16401 16367 15855 -16913 15855 16367 15855 15871 15855
shader "bits and bits i16" mask lanes=16 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i64 = load.context v0, v1, v2 +304
    v7: i32 = const 2
    v8: <i32> = splat v7
    v9: <i32> = imul v4, v8
    v10: <i16> = load.global v5, v9, v3
    v11: <i16> = load.global v6, v9, v3
    v12: i16 = const 0xe56a
    v13: <i16> = splat v12
    v14: <i16> = and v10, v13
    v15: <i16> = or v14, v11
    v16: i64 = load.context v0, v1, v2 +320
    store.global v16, v9, v15, v3
    v17: i16 = load.global v6, v1, v2
    v18: <i16> = splat v17
    v19: <i16> = and v11, v10
    v20: <i16> = or v18, v19
    v21: i64 = load.context v0, v1, v2 +328
    store.global v21, v9, v20, v3
    return 0
}

;! run
;! buffer0: i32 365023967 1964216887 -1482615664 1194700572 1747101362 -10066551 -1927290406 -18504270 -293409729 -686268966 357356202 -1254948100 1090899111 1354105340 -1039424830 986407526
;! buffer1: i32 -2092144518 1241417136 127783514 301607616 -1876289713 -1003785872 463542574 1719704081 463010788 -658918308 1249418419 1660063002 287017642 -180206563 72544005 -655799531
;! buffer3 = i32 -2083755265 1778288567 -1482829094 301869772 -1205200913 -315657735 -1682482706 -293299533 -1147470865 -642122530 1266474683 -470642690 287296175 -170507011 -2074939449 -118797449
;! buffer4 = i32 -2092144518 -1017190278 -2016577414 -2088998278 -2089914758 -949065350 -1957860998 -406001542 -1949505410 -748913542 -2092107526 -1551996806 -2092046086 -749836162 -2091980166 -1681036674
shader "bits and bits i32" mask lanes=16 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i64 = load.context v0, v1, v2 +304
    v7: i32 = const 4
    v8: <i32> = splat v7
    v9: <i32> = imul v4, v8
    v10: <i32> = load.global v5, v9, v3
    v11: <i32> = load.global v6, v9, v3
    v12: i32 = const 0xa9964aef
    v13: <i32> = splat v12
    v14: <i32> = and v10, v13
    v15: <i32> = or v14, v11
    v16: i64 = load.context v0, v1, v2 +320
    store.global v16, v9, v15, v3
    v17: i32 = load.global v6, v1, v2
    v18: <i32> = splat v17
    v19: <i32> = and v11, v10
    v20: <i32> = or v18, v19
    v21: i64 = load.context v0, v1, v2 +328
    store.global v21, v9, v20, v3
    return 0
}

;! run
;! buffer0: i64 3868603436721769439 -1655190648555134399 8669734981505188722 -362313642657555643 7331185968142772765 1347319646146491151 -6835350422342518770 -4085753532579299363 4976481267635116274 1607526764790062061 6135121987785944894 -662676791866894719 -4463364767117403944 2176562371558883149 4545055468333361688 1863975406743257262
;! buffer1: i64 1104838297803158191 -3744292159545258964 3277582901077635974 -8129569757715455861 8253532202767878066 3517506560375193956 -4945678854569367814 2415916268331689182 -6572295903865818995 2149193111056518839 7761571183393578048 3926678652098711657 4976838816470850702 -536264373006172874 -3626417741989135502 5610487640684878210
;! buffer3 = i64 1113847696685134575 -3743724259502560148 3277870973145412582 -8129569207959621425 8262979208909318078 3527081108318810478 -4935945977635834114 -6807402441638710050 -6572295901650947857 2149193111123631871 7761593173793930350 -5296233239106268951 -4245776755708666674 -527203846899499650 -3625566170195395718 5611052790202620334
;! buffer4 = i64 1104838297803158191 -3506689346305527121 3410698933766058927 -8107062396262157649 8060650444231275199 2293929336917324719 -5812619259163053393 1104838345048848127 1104841597009261231 2258341458022890159 5725531791520825007 4565872650318901935 5716594684975774383 2257903154661031855 1104908950553098943 1143119171999888047
shader "bits and bits i64" mask lanes=16 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i64 = load.context v0, v1, v2 +304
    v7: i32 = const 8
    v8: <i32> = splat v7
    v9: <i32> = imul v4, v8
    v10: <i64> = load.global v5, v9, v3
    v11: <i64> = load.global v6, v9, v3
    v12: i64 = const 0x8023b682af5570ee
    v13: <i64> = splat v12
    v14: <i64> = and v10, v13
    v15: <i64> = or v14, v11
    v16: i64 = load.context v0, v1, v2 +320
    store.global v16, v9, v15, v3
    v17: i64 = load.global v6, v1, v2
    v18: <i64> = splat v17
    v19: <i64> = and v11, v10
    v20: <i64> = or v18, v19
    v21: i64 = load.context v0, v1, v2 +328
    store.global v21, v9, v20, v3
    return 0
}

;! run
;! buffer0: i8 -97 65 -67 91 -53 -80 -1 -128
;! buffer1: i8 -15 -41 -67 -90 -20 -121 127 -128
;! buffer3 = i8 -81 -105 -119 2 36 -48 -127 0
;! buffer4 = i8 -81
shader "dot_four_bytes i8" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 1
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i8> = load.global v5, v8, v3
    v10: i8 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +304
    v12: <i8> = load.global v11, v8, v3
    v13: i8 = load.global v11, v1, v2
    v14: i64 = load.context v0, v1, v2 +320
    v15: <i8> = dot_four_bytes v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i8 = dot_four_bytes v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i16 18316 11932 -5483 -8687 -15354 25522 -1 -32768
;! buffer1: i16 10459 -15603 -13295 4714 9094 -25040 32639 -32768
;! buffer3 = i16 -2340 -778 -9635 5798 6128 -1158 -766 -16384
;! buffer4 = i16 -2340
shader "dot_four_bytes i16" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 2
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i16> = load.global v5, v8, v3
    v10: i16 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +304
    v12: <i16> = load.global v11, v8, v3
    v13: i16 = load.global v11, v1, v2
    v14: i64 = load.context v0, v1, v2 +320
    v15: <i16> = dot_four_bytes v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i16 = dot_four_bytes v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i32 879521323 780260973 -253506153 -135047628 -1328682729 845589051 -1 -2147483648
;! buffer1: i32 -143605210 -149909866 -456376014 1645932375 1283288560 92643356 2139062143 -2147483648
;! buffer3 = i32 6442 -34300 2351 33586 64030 -26964 129540 -16384
;! buffer4 = i32 6442
shader "dot_four_bytes i32" mask lanes=8 scratch=0 frame=0 {
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
    v10: i32 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +304
    v12: <i32> = load.global v11, v8, v3
    v13: i32 = load.global v11, v1, v2
    v14: i64 = load.context v0, v1, v2 +320
    v15: <i32> = dot_four_bytes v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i32 = dot_four_bytes v10, v13
    store.global v16, v1, v17, v2
    return 0
}

;! run
;! buffer0: i64 3408464632754983231 8716793999411716319 3248842131919680082 4725720759045430515 -1125033491786883096 -936716913867062169 -1 -9223372036854775808
;! buffer1: i64 6597368502031651073 7457909554320907578 -8318265132922694936 7725998870071162790 6942716486964102153 -2928713990222000307 9187201950435737471 -9223372036854775808
;! buffer3 = i64 -101103530179186 234410725093656 -70132520986428 85027467531715 107408542155161 -2383706842907 556370063653380 -70368744177664
;! buffer4 = i64 -101103530179186
shader "dot_four_bytes i64" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i64 = load.context v0, v1, v2 +296
    v6: i32 = const 8
    v7: <i32> = splat v6
    v8: <i32> = imul v4, v7
    v9: <i64> = load.global v5, v8, v3
    v10: i64 = load.global v5, v1, v2
    v11: i64 = load.context v0, v1, v2 +304
    v12: <i64> = load.global v11, v8, v3
    v13: i64 = load.global v11, v1, v2
    v14: i64 = load.context v0, v1, v2 +320
    v15: <i64> = dot_four_bytes v9, v12
    store.global v14, v8, v15, v3
    v16: i64 = load.context v0, v1, v2 +328
    v17: i64 = dot_four_bytes v10, v13
    store.global v16, v1, v17, v2
    return 0
}
