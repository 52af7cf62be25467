//! Which loops of products of cooperative matrices ask the runtime to run them ahead.

use crate::support::checked::checked;
use pyro_ir::Opcode;
use pyro_lower::{Shader, StageRequest};
use pyro_spirv::Module;
use pyro_spirv::asm::assemble;

/// A product of square matrices of bytes, one sum for each subgroup.
const LOOP: &str = include_str!("../../../../benches/shaders/matmul_coop_int8.spvasm");

/// Calls of the runtime in a shader, for a processor with tiles or without.
fn calls(text: &str, tiles: bool) -> usize {
    let words = assemble(text).unwrap_or_else(|error| panic!("{error}"));
    let module = Module::decode(&words).expect("a module");
    let layout = crate::support::layout::layout_of(&module);
    let checked = checked(&module);
    let shader = Shader { checked: &checked, entry_point: "main", layout: &layout, tiles };
    let function = pyro_lower::lower(&shader, 16, &StageRequest::Compute).expect("a function").function;
    let insts = function.block_order.iter().flat_map(|&block| &function.blocks[block].insts);
    insts.filter(|&&inst| function.insts[inst].op == Opcode::SlotCall).count()
}

#[test]
fn loops_of_products_are_run_ahead_where_there_are_tiles() {
    assert_eq!(calls(LOOP, true), 1);
    assert_eq!(calls(LOOP, false), 0);
}

#[test]
fn other_loops_are_left_alone() {
    let signed = "MatrixASignedComponentsKHR|MatrixBSignedComponentsKHR|MatrixCSignedComponentsKHR|MatrixResultSignedComponentsKHR";
    let cases = [
        // Something is stored in each iteration.
        ("%next = OpIAdd", "OpCooperativeMatrixStoreKHR %product_pointer_ %added %uint_0 %n\n%next = OpIAdd"),
        // Accumulation saturates.
        (signed, &format!("{signed}|SaturatingAccumulationKHR")[..]),
        // The counter's growth changes.
        ("%next = OpIAdd %uint %k %uint_32", "%twice = OpIMul %uint %k %k\n%next = OpIAdd %uint %k %twice"),
        // Places are not the same distance apart.
        (
            "%right_row = OpIMul %uint %k %n",
            "%square = OpIMul %uint %k %k\n%right_row = OpIMul %uint %square %n",
        ),
        // A factor is not loaded, but a sum.
        ("%more = OpULessThan %bool %k %n", "%more = OpUGreaterThan %bool %n %k"),
        // A load of another kind may see what others write.
        (
            "%a = OpCooperativeMatrixLoadKHR %A %left_pointer %uint_0 %n",
            "%a = OpCooperativeMatrixLoadKHR %A %left_pointer %uint_0 %n Volatile",
        ),
    ];
    let with_place = LOOP.replace(
        "%row_start = OpIMul %uint %row %n\n",
        "%row_start = OpIMul %uint %row %n\n%product_pointer_ = OpAccessChain %to_int %product %uint_0 %row_start\n",
    );
    assert_eq!(calls(&with_place, true), 1);
    for (from, to) in cases {
        let text = with_place.replace(from, to);
        assert_ne!(text, with_place, "{from}");
        assert_eq!(calls(&text, true), 0, "{to}");
    }
}
