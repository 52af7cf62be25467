//! Half-precision arithmetic computed in single precision, for processors without it.
//!
//! ```text
//! c = fadd a, b      ─▶      c = fconvert (fadd (fconvert a), (fconvert b))
//! ```
//!
//! For sums, products, quotients, square roots and rounding to integral values, rounding twice is rounding
//! once, since single has more than twice the bits and two; comparisons are exact. So the results stay the
//! same. Selection could do it too; here the conversions of what is read often, or does not change in a loop,
//! are found once (by `gvn` and `licm`). The fused operation stays, as it needs more than single precision,
//! and minima, negation and magnitude, which move bits. Mask form.

use pyro_ir::{Function, Inst, Opcode, Scalar, SourceLoc, Type, Value};

/// Runs the pass. Returns whether anything changed.
pub fn run(function: &mut Function) -> bool {
    let mut changed = false;
    for index in 0..function.block_order.len() {
        let block = function.block_order[index];
        let is_half = |&inst: &Inst| {
            let data = &function.insts[inst];
            widens(data.op) && function.ty(data.args[0]).scalar == Scalar::F16
        };
        if !function.blocks[block].insts.iter().any(is_half) {
            continue;
        }
        changed = true;
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len() * 2);
        for inst in insts {
            let data = &function.insts[inst];
            if !widens(data.op) || function.ty(data.args[0]).scalar != Scalar::F16 {
                out.push(inst);
                continue;
            }
            let (op, imm, loc, args) = (data.op, data.imm, data.loc, data.args.clone());
            let result = data.result.expand().map(|result| function.ty(result));
            let wide = args.iter().map(|&arg| convert(function, &mut out, arg, loc));
            let wide: Vec<Value> = wide.collect();
            match result.filter(|ty| ty.scalar == Scalar::F16) {
                Some(ty) => {
                    let ty = Type { scalar: Scalar::F32, ..ty };
                    let single = function.make_inst(op, &wide, imm, Some(ty), loc);
                    out.push(single);
                    let single = function.insts[single].result.expand().expect("gives a result");
                    let data = &mut function.insts[inst];
                    (data.op, data.imm) = (Opcode::FConvert, 0);
                    data.args = std::iter::once(single).collect();
                }
                None => function.insts[inst].args = wide.into_iter().collect(),
            }
            out.push(inst);
        }
        function.blocks[block].insts = out;
    }
    changed
}

/// Whether an operation on halves gives the same in single precision, rounded.
fn widens(op: Opcode) -> bool {
    use Opcode as O;
    matches!(
        op,
        O::FAdd
            | O::FSub
            | O::FMul
            | O::FDiv
            | O::FSqrt
            | O::FFloor
            | O::FCeil
            | O::FTrunc
            | O::FRound
            | O::FEq
            | O::FNe
            | O::FLt
            | O::FLe
    )
}

/// Lists the conversion of a half to single precision.
fn convert(function: &mut Function, out: &mut Vec<Inst>, half: Value, loc: SourceLoc) -> Value {
    let ty = Type { scalar: Scalar::F32, ..function.ty(half) };
    let inst = function.make_inst(Opcode::FConvert, &[half], 0, Some(ty), loc);
    out.push(inst);
    function.insts[inst].result.expand().expect("gives a result")
}
