use super::*;
use crate::parse::parse;

fn errors(form: &str, body: &str) -> Vec<String> {
    let text = format!("shader \"t\" {form} lanes=16 scratch=0 frame=0 {{\n{body}\n}}");
    let function = parse(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    verify(&function)
        .err()
        .map_or(Vec::new(), |errors| errors.errors.iter().map(|error| error.message.clone()).collect())
}

#[track_caller]
fn mask(body: &str, expected: &[&str]) {
    assert_eq!(errors("mask", body), expected);
}

#[track_caller]
fn lane(body: &str, expected: &[&str]) {
    assert_eq!(errors("lane", body), expected);
}

/// Instructions in one block, before `return 0`.
#[track_caller]
fn insts(body: &str, expected: &[&str]) {
    let setup = "v100: i64 = arg 0 v101: i1 = const 1 v102: <i1> = splat v101 v103: <i32> = lane_id \
                 v104: i32 = const 4 v105: f32 = const 0 v106: <f32> = splat v105";
    mask(&format!("block0: {setup} {body} return 0"), expected);
}

#[test]
fn well_formed() {
    insts("", &[]);
    insts("v1: <f32> = load.global v100, v103, v102 +4", &[]);
    insts("v1: f32 = load.global v100, v104, v101", &[]);
    insts("store.shared v100, v104, v106, v102", &[]);
    insts("v1: <i32> = atomic_add.global v100, v104, v103, v102", &[]);
    insts("v1: <i32> = atomic_cmpxchg.global v100, v104, v103, v103, v102", &[]);
    insts("v1: i1 = any v102 v2: i64 = ballot v102 v3: <i1> = mask_from_bits v2", &[]);
    insts("v1: f32 = lane_read v106, v104 v2: <f32> = shuffle v106, v103", &[]);
    insts("v1: f16 = fconvert.rtz v105 v2: i16 = to_bf16 v105 v3: i8 = trunc v104 v4: i64 = sext v3", &[]);
    mask(
        "block0: v0: i1 = const 1 v1: i32 = const 0 branch v0, block1(v1), block2
         block1(v2: i32): switch v2, 0: block2, 1: block1(v2), default block2
         block2: return 1",
        &[],
    );
    lane(
        "slot0: 8
         block0: selection merge=block9 v0: i1 = active v1: i32 = const 4 branch v0, block1, block9
         block1: loop merge=block5 continue=block4 jump block2
         block2: loop merge=block3 continue=block2 v2: f32 = slot_load slot0, v1 branch v0, block2, block3
         block3: selection merge=block4 branch v0, block5, block4
         block4: jump block1
         block5: jump block9
         block9: return 0",
        &[],
    );
}

#[test]
fn structure() {
    mask("", &["there is no block"]);
    mask("block0:", &["the block does not end"]);
    mask("block0(v0: i32): return 0", &["the entry block takes no parameters"]);
    mask("block0: jump block0", &["nothing may jump to the entry block"]);
    mask("block0: jump block1", &["block1 is not in the order"]);
    mask("block0: jump block1 block1(v0: i32): return 0", &["block1 takes 1 values, but gets 0"]);
    lane(
        "block0: selection merge=block7 return 0",
        &["the merge information names block7, which is not in the order"],
    );
    let mut function =
        parse("shader \"t\" mask lanes=5 scratch=0 frame=0 { block0: v0: i32 = const 1 return 0 }").unwrap();
    let block = function.entry();
    let inst = function.blocks[block].insts[0];
    function.blocks[block].insts.push(inst);
    let found = verify(&function).unwrap_err();
    assert_eq!(
        found.to_string(),
        "\"t\" is not well formed:\n  5 lanes: expected 4, 8, 16, 32 or 64\n  \
         block0, inst0: the instruction stands in two places in `v0: i32 = const 1`"
    );
    function.lanes = 16;
    function.blocks[block].insts.pop();
    verify(&function).unwrap();
    function.insts[inst].args.push(Value::from_u32(9));
    assert_eq!(verify(&function).unwrap_err().errors.len(), 2);
    function.insts[inst].args.clear();
    function.block_order.push(Block::from_u32(77));
    assert_eq!(verify(&function).unwrap_err().errors[0].message, "there is no such block");
}

#[test]
fn scalar_types() {
    insts("v1: i32 = iadd v104, v100", &["the types differ"]);
    insts("v1: i1 = iadd v101, v101", &["i1 where an integer is expected"]);
    insts("v1: f32 = and v105, v105", &["f32 where an integer or i1 is expected"]);
    insts("v1: i32 = fadd v104, v104", &["i32 where a float is expected"]);
    insts("v1: i32 = ult v104, v104", &["the types differ"]);
    insts("v1: i64 = trunc v104", &["from i32 to i64"]);
    insts("v1: i32 = zext v104", &["from i32 to i32"]);
    insts("v1: i1 = trunc v104", &["i1 where an integer is expected"]);
    insts("v1: f32 = fconvert v105", &["from f32 to itself"]);
    insts("v1: i64 = bitcast v105", &["f32 and i64 differ in width"]);
    insts("v1: f32 = select v104, v105, v105", &["the types differ"]);
    insts("v1: i1 = load.global v100, v104, v101", &["i1 where anything else is expected"]);
    insts("v1: i32 = load.global v104, v104, v101", &["the types differ"]);
    insts("v1: i32 = load.global v100, v105, v101", &["f32 where an i32 or i64 offset is expected"]);
    insts("v1: <f32> = atomic_add.global v100, v104, v106, v102", &["f32 where an integer is expected"]);
    insts("v1: <i32> = atomic_fadd.global v100, v104, v103, v102", &["i32 where a float is expected"]);
    mask(
        "block0: v0: i32 = const 1 branch v0, block1, block1 block1: return 0",
        &["the condition v0 is not an i1"],
    );
    mask(
        "block0: v0: f32 = const 1 switch v0, default block1 block1: return 0",
        &["the selector v0 is not an integer"],
    );
    mask(
        "block0: v0: i8 = const 1 switch v0, 3: block1, 3: block1, 256: block1, default block1 block1: return 0",
        &["two cases have the literal 3", "a literal does not fit i8"],
    );
    mask(
        "block0: v0: i8 = const 1 jump block1(v0) block1(v1: <i8>): return 0",
        &["v0 is i8, but v1 of block1 is <i8>"],
    );
}

#[test]
fn shapes() {
    insts("v1: <i32> = iadd v103, v104", &["the operands' shapes differ"]);
    insts("v1: i32 = iadd v103, v103", &["the result must be varying"]);
    insts("v1: <i32> = const 1", &["the result must be uniform"]);
    insts("v1: <i32> = splat v103", &["the operand must be uniform"]);
    insts("v1: i1 = any v101", &["the operand must be varying"]);
    insts("v1: f32 = lane_read v106, v103", &["the lane number must be uniform"]);
    insts("v1: <f32> = shuffle v106, v104", &["the index must be varying"]);
    insts("v1: f32 = load.global v100, v103, v101", &["the offset must be uniform"]);
    insts("store.global v100, v104, v106, v101", &["the value must be uniform"]);
    insts("store.global v100, v104, v105, v102", &["the value must be varying"]);
    insts("v1: <i32> = atomic_add.global v100, v104, v104, v102", &["the value must be varying"]);
    insts("v1: i32 = atomic_add.global v100, v104, v104, v101", &[]);
    insts("v1: i32 = atomic_add.global v100, v104, v103, v101", &["the value must be uniform"]);
    insts("v1: i32 = atomic_or.global v100, v104, v103, v101", &["the predicate must be varying"]);
    insts("v1: <i1> = active", &["mask form does not have this operation"]);
    mask(
        "block0: v0: i1 = const 1 v1: <i1> = splat v0 branch v1, block1, block1 block1: return 0",
        &["v1 is varying, but decides where the subgroup goes"],
    );
    mask(
        "block0: selection merge=block1 jump block1 block1: return 0",
        &["mask form has no merge information"],
    );
    lane("block0: return 1", &["lane form returns 0"]);
    let mut function =
        parse("shader \"t\" lane lanes=4 scratch=0 frame=0 { block0: v0: i32 = const 1 return 0 }").unwrap();
    function.values[Value::from_u32(0)].ty = crate::Type::uniform(crate::Scalar::I32);
    assert_eq!(
        verify(&function).unwrap_err().errors[0].message,
        "the result is uniform, which lane form does not know"
    );
}

#[test]
fn immediates() {
    insts("v1: i32 = const 1 imm=0x100000000", &["the constant does not fit i32"]);
    insts("v1: i64 = arg 3", &["entry arguments are 0 to 2"]);
    insts("v1: f64 = fconvert v105 imm=2", &["the rounding is 0 or 1"]);
    insts("v1: i32 = iadd v104, v104 imm=1", &["the operation takes no immediate"]);
    insts(
        "v1: i32 = load.global v100, v104, v101 imm=0xd00000000000",
        &["the immediate is not a memory operation", "only stores of pairs can be of whole pairs"],
    );
    insts("store.constant v100, v104, v105, v101", &["nothing writes constant memory"]);
    insts(
        "store.global v100, v104, v105, v101 speculatable",
        &["only stores to scratch memory can be speculatable"],
    );
    insts(
        "store.shared v100, v104, v105, v101 streaming",
        &["only stores to global memory can be streaming"],
    );
    insts(
        "v1: i32 = atomic_add.shared v100, v104, v104, v101 deferrable",
        &["only atomic operations on global memory can be deferrable"],
    );
    insts("store.global v100, v104, v105, v101 whole_pairs", &["only stores of pairs can be of whole pairs"]);
    lane(
        "slot0: 8 block0: v0: i32 = const 8 v1: f32 = slot_load slot0, v0 return 0",
        &["offset 8 lies outside of the slot"],
    );
    lane(
        "slot0: 8 block0: v0: i32 = const 2 v1: f32 = slot_load slot0, v0 return 0",
        &["offset 2 is not aligned"],
    );
    lane(
        "slot0: 8 block0: v0: i32 = const 2 v1: f32 = slot_load slot1, v0 return 0",
        &["there is no such slot"],
    );
}

#[test]
fn dominance() {
    mask("block0: v0: i32 = not v1 v1: i32 = const 1 return 0", &["v1 is not defined on every way here"]);
    mask("block0: v0: i32 = not v0 return 0", &["v0 is not defined on every way here"]);
    mask(
        "block0: v0: i1 = const 1 branch v0, block1, block2
         block1: v1: i32 = const 1 jump block3
         block2: v2: i32 = not v1 jump block3
         block3: v3: i32 = not v1 return 0",
        &["v1 is not defined on every way here"; 2],
    );
    // Out of order, and through a loop.
    mask(
        "block0: v0: i1 = const 1 v9: i32 = const 0 jump block2
         block1: v1: i32 = not v2 branch v0, block2, block3
         block2: v2: i32 = const 1 jump block1
         block3: v3: i32 = iadd v1, v2 return 0",
        &[],
    );
    mask("block0: v0: i32 = const 1 return 0 block1: v1: i32 = not v2 v2: i32 = not v0 return 0", &[]);
    mask(
        "block0: jump block2(v0) block1: v0: i32 = const 1 jump block2(v0) block2(v1: i32): return 0",
        &["v0 is not defined on every way here"],
    );
}

#[test]
fn block_order() {
    lane(
        "block0: jump block1 block1: jump block2 block2: jump block1",
        &["the edge to block1 goes backward, and not to the header of a loop around it"],
    );
    lane(
        "block0: v0: i1 = active branch v0, block2, block1
         block1: loop merge=block3 continue=block2 jump block2
         block2: jump block1
         block3: return 0",
        &["the edge to block2 enters a loop beside its header"],
    );
    lane(
        "block0: v0: i1 = active branch v0, block2, block1
         block1: loop merge=block4 continue=block2 jump block2
         block2: loop merge=block3 continue=block2 jump block2
         block3: jump block1
         block4: return 0",
        &["the edge to block2 enters a loop beside its header"],
    );
    lane(
        "block0: v0: i1 = active jump block1
         block1: loop merge=block3 continue=block2 jump block2
         block2: branch v0, block1, block3
         block3: branch v0, block1, block4
         block4: return 0",
        &["the edge to block1 goes backward, and not to the header of a loop around it"],
    );
    lane(
        "block0: jump block1
         block1: loop merge=block3 continue=block2 jump block2
         block2: loop merge=block4 continue=block3 jump block3
         block3: jump block4
         block4: return 0",
        &["the loop reaches past the end of the loop that it starts in"],
    );
    lane(
        "block0: jump block1
         block1: loop merge=block2 continue=block3 jump block2
         block2: selection merge=block0 jump block3
         block3: return 0",
        &["the continue target block3 is not in the loop", "block0 merges before its header"],
    );
}

#[test]
fn executable() {
    let run = |body: &str| {
        let text = format!("shader \"t\" {body}");
        verify_executable(&parse(&text).unwrap()).map_err(|errors| errors.errors[0].message.clone())
    };
    assert_eq!(run("mask lanes=4 scratch=0 frame=0 { block0: return 0 }"), Ok(()));
    assert_eq!(
        run("lane lanes=4 scratch=0 frame=0 { block0: return 0 }"),
        Err("executors run mask form".to_owned())
    );
    assert_eq!(
        run("mask lanes=4 scratch=0 frame=0 { block0: suspend 1 return 0 }"),
        Err("the suspend pass has not run".to_owned())
    );
}

/// A long chain of blocks, deep in the dominator tree, takes neither much stack nor quadratic time.
#[test]
fn many_blocks() {
    let mut text =
        "shader \"t\" mask lanes=4 scratch=0 frame=0 {\nblock0: v0: i1 = const 1 jump block1\n".to_owned();
    for block in 1..40_000 {
        let next = block + 1;
        text +=
            &format!("block{block}: v{block}: i1 = not v{} branch v0, block{next}, block{next}\n", block - 1);
    }
    text += "block40000: return 0 }";
    verify(&parse(&text).unwrap()).unwrap();
}
