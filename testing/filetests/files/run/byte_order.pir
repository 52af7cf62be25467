; Bytes of a word in another order, by shifts and masks.

;! run gvn dce
;! buffer0: i32 -1619624891 1097127993 -1109016423 1539898300 -879636937 -1329520674 -247174166 -680705232
;! buffer3 = i32 1165784735 970482753 -1715411523 -1124349861 936284619 -568344144 -362068751 809725399
shader "a swap" mask lanes=8 scratch=0 frame=0 {
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
    v13: i32 = const 24
    v14: <i32> = splat v13
    v15: i32 = const 8
    v16: <i32> = splat v15
    v17: i32 = const 65280
    v18: <i32> = splat v17
    v19: i32 = const 16711680
    v20: <i32> = splat v19
    v30: <i32> = shl v12, v14
    v31: <i32> = shl v12, v16
    v32: <i32> = and v31, v20
    v33: <i32> = or v30, v32
    v34: <i32> = lshr v12, v16
    v35: <i32> = and v34, v18
    v36: <i32> = lshr v12, v14
    v37: <i32> = or v35, v36
    v40: <i32> = or v33, v37
    store.global v11, v7, v40, v3
    return 0
}

;! run gvn dce
;! buffer0: i32 -1117127127 -1494512482 -333611616 -2018463451 124576495 -685699585 1999834075 -962250633
;! buffer3 = i32 704539069 -1634931802 -1602413076 632402055 -270373881 -15916585 -620022921 2000201158
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

;! run gvn dce
;! buffer0: i32 -243281036 1069673014 -1507642795 222708024 -425629125 673671309 486215926 1596840319
;! buffer3 = i32 7631988 3552822 5592405 3684408 3881787 9276813 16185078 8355711
shader "the lowest byte everywhere but at the top" mask lanes=8 scratch=0 frame=0 {
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
    v13: i32 = const 8
    v14: <i32> = splat v13
    v15: i32 = const 16
    v16: <i32> = splat v15
    v17: i32 = const 255
    v18: <i32> = splat v17
    v30: <i32> = and v12, v18
    v31: <i32> = shl v30, v14
    v32: <i32> = or v31, v30
    v33: <i32> = shl v30, v16
    v40: <i32> = or v32, v33
    store.global v11, v7, v40, v3
    return 0
}

;! run gvn dce
;! buffer0: i32 2014636194 -565022464 1059022248 1635342798 -1959532184 437976711 -1829908667 1070867289
;! buffer3 = i32 352101026 1383268352 528459944 2038025934 872114280 452888455 -303086267 -721987239
shader "bytes that meet" mask lanes=8 scratch=0 frame=0 {
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
    v13: i32 = const 8
    v14: <i32> = splat v13
    v15: i32 = const 16711935
    v16: <i32> = splat v15
    v30: <i32> = and v12, v16
    v31: <i32> = shl v12, v14
    v40: <i32> = or v30, v31
    store.global v11, v7, v40, v3
    return 0
}

;! run gvn dce
;! buffer0: i32 56325017 -1154557152 930847394 1752995436 1200367645 782009009 -359293919 -569258851
;! buffer3 = i32 749579 1044491 1044490 847886 1024013 954371 1019917 1036301
shader "bits that are no bytes" mask lanes=8 scratch=0 frame=0 {
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
    v13: i32 = const 8
    v14: <i32> = splat v13
    v15: i32 = const 1044495
    v16: <i32> = splat v15
    v30: <i32> = and v12, v16
    v31: <i32> = lshr v12, v14
    v32: <i32> = and v31, v16
    v40: <i32> = or v30, v32
    store.global v11, v7, v40, v3
    return 0
}

;! run gvn dce
;! buffer0: i32 -1006201531 1672620529 685494878 -1022522506 -871247017 308944456 596001514 -1640994532
;! buffer3 = i32 38213 10737 53854 35702 54103 7752 17130 26908
shader "what stays where it is" mask lanes=8 scratch=0 frame=0 {
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
    v13: i32 = const 65280
    v14: <i32> = splat v13
    v15: i32 = const 255
    v16: <i32> = splat v15
    v30: <i32> = and v12, v14
    v31: <i32> = and v12, v16
    v40: <i32> = or v30, v31
    store.global v11, v7, v40, v3
    return 0
}

;! run gvn dce
;! buffer0: i64 8205770171119394379 2439413297207794790 -510286949920779984 98010135235158442 -4176458998396031237 -735525178717911527 3059511337525703479 3071096560362593664
;! buffer3 = i64 403734388928 395139209865 347908664088 416611916851 1022215195196 850419632867 1043679835537 124556844730
shader "words of quads" mask lanes=8 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: <i1> = splat v2
    v4: <i32> = lane_id
    v5: i32 = const 3
    v6: <i32> = splat v5
    v7: <i32> = shl v4, v6
    v8: i64 = load.context v0, v1, v2 +296
    v11: i64 = load.context v0, v1, v2 +320
    v12: <i64> = load.global v8, v7, v3
    v13: i64 = const 40
    v14: <i64> = splat v13
    v15: i64 = const 24
    v16: <i64> = splat v15
    v17: i64 = const 1095216660480
    v18: <i64> = splat v17
    v30: <i64> = lshr v12, v14
    v31: <i64> = shl v12, v16
    v32: <i64> = and v31, v18
    v40: <i64> = or v30, v32
    store.global v11, v7, v40, v3
    return 0
}
