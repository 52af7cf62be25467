use super::*;

const SAMPLE: &str = r#"shader "a \"name\" \u{e9}" mask lanes=16 scratch=64 frame=8 {
block0:
    v0: i64 = arg 1
    v1: i32 = const 4294967295 ; -1
    v2: f32 = const 0x3f800000 ; 1.0
    v3: <f32> = splat v2 @12
    v4: <i32> = lane_id
    v9: <i1> = ult v4, v4
    v5: <f32> = load.global v0, v4, v9 +16 volatile speculatable pairs @7
    store.shared v0, v4, v5, v9 -4
    v6: i1 = any v9
    v7: <f16> = fconvert.rtz v3
    v8: <f32> = fmul.nocontract v3, v5 @3
    fence 0
    suspend 1
    branch v6, block7(v1, v3), block2
block7(v10: i32, v11: <f32>):
    switch v10, 0: block2, 7: block7(v1, v11), default block2
block2:
    return 0
}
"#;

const LANE: &str = r#"shader "lane" lane lanes=32 scratch=0 frame=0 {
    slot0: 64 keeps
    slot1: 4
block0: selection merge=block2
    v0: i32 = const 4
    v1: f32 = slot_load slot1, v0
    slot_store slot0, v0, v1
    v2: i1 = active
    branch v2, block1, block2
block1: loop merge=block2 continue=block3
    jump block3
block3:
    jump block1
block2:
    unreachable
}
"#;

#[test]
fn text_is_kept() {
    for text in [SAMPLE, LANE] {
        let function = parse(text).unwrap();
        assert_eq!(function.to_string(), text);
        assert_eq!(parse(&function.to_string()).unwrap().to_string(), text);
    }
    let function = parse(SAMPLE).unwrap();
    assert_eq!(function.name, "a \"name\" é");
    assert_eq!(function.block_order.len(), 3);
    assert_eq!(function.blocks.len(), 8);
    let load = function.blocks[function.entry()].insts[6];
    let memory = MemoryOp::from_imm(function.insts[load].imm);
    assert_eq!(
        memory,
        MemoryOp {
            space: Space::Global,
            displacement: 16,
            volatile: true,
            speculatable: true,
            pairs: true,
            whole_pairs: false,
            streaming: false,
            deferrable: false,
            apart: false
        }
    );
    assert_eq!(function.insts[load].loc, SourceLoc(7));
}

#[test]
fn negative_and_hexadecimal_constants() {
    let text = "shader \"\" lane lanes=4 scratch=0 frame=0 { block0: v0: i8 = const -1 v1: i16 = const 0xff return 0 }";
    let function = parse(text).unwrap();
    assert_eq!(function.const_bits(Value::from_u32(0)), Some(0xff));
    assert_eq!(function.const_bits(Value::from_u32(1)), Some(0xff));
}

#[test]
fn raw_immediates_are_kept() {
    let text = "shader \"\" mask lanes=4 scratch=0 frame=0 {\nblock0:\n    v0: i64 = arg 0\n    \
                v1: i1 = const 1\n    v2: i32 = load.global v0, v0, v1 imm=0xff0200000000\n    return 0\n}\n";
    assert_eq!(parse(text).unwrap().to_string(), text);
}

#[track_caller]
fn fails(body: &str, expected: &str) {
    let text = format!("shader \"\" mask lanes=4 scratch=0 frame=0 {{\nblock0:\n{body}\n}}");
    assert_eq!(parse(&text).unwrap_err().to_string(), expected);
}

#[test]
fn errors_name_the_place() {
    fails("v0: i8 = const 256", "3:16: the constant does not fit i8");
    fails("return v0", "3:8: expected a number");
    fails("v0: i32 = iadd v1, v0 return 0", "3:16: v1 is not defined");
    fails("v0: i32 = frob v1", "3:11: unknown instruction \"frob\"");
    fails("v0: i32 = load v0, v0, v0", "3:11: load needs a memory space, as in load.global");
    fails("v0: i33 = const 1", "3:5: unknown type");
    fails("v0: i32 = const 1\n v0: i32 = const 1", "4:2: v0 is defined twice");
    fails("v0: i32 = iadd v0", "4:1: expected ','");
    fails("v0: i32 = not v0, v0", "3:17: not takes 1 operands");
    fails("iadd v0, v0", "3:1: iadd gives a result, which needs a name");
    fails("v4194304: i32 = const 0", "3:1: the number of this value is too large");
    fails("jump block4194304", "3:6: the number of this block is too large");
    fails("jump block0 }", "4:1: nothing may follow the function");
    fails("return $", "3:8: unexpected character '$'");
    assert_eq!(parse("").unwrap_err().to_string(), "1:1: expected \"shader\"");
    assert_eq!(parse("shader \"x").unwrap_err().to_string(), "1:8: the string does not end on its line");
}

/// Any cut or changed text is an error or a function, never a panic.
#[test]
fn damaged_text_does_not_panic() {
    for text in [SAMPLE, LANE] {
        for length in 0..text.len() {
            let _ = parse(&text[..length]);
            for replacement in ["}", "(", "v9999", " 0x", "\"", "-"] {
                let mut changed = text.to_owned();
                changed.replace_range(length..length + 1, replacement);
                if let Ok(function) = parse(&changed) {
                    let printed = function.to_string();
                    assert_eq!(parse(&printed).map(|again| again.to_string()), Ok(printed));
                }
            }
        }
    }
}
