//! Geometry shaders on the interpreter: what they read of vertices' columns, and what they write.

use crate::support::{address, interpreter};
use pyro_abi::graphics::{GeometryOutput, GeometrySubgroup, VertexLayout};
use pyro_abi::{DrawContext, Exit, Kernel, PipelineLayout};
use pyro_lower::{Entry, ErrorKind, Shader, StageRequest, VaryingLayout, geometry_info, lower};
use pyro_spirv::spirv::ExecutionModel;
use pyro_spirv::{Module, Specialization};

#[test]
#[allow(unsafe_code)] // a call of a kernel
fn lanes_emit_their_own_numbers_of_vertices() {
    let module = Module::decode(&crate::support::shader("geometry.geom")).expect("it decodes");
    let checked = crate::support::checked::checked(&module);
    let facts = geometry_info(&checked, "main").expect("facts");
    assert_eq!((facts.input_vertices, facts.output), (2, GeometryOutput::Points));
    assert_eq!((facts.max_vertices, facts.invocations), (7, 2));
    let entry = Entry { checked: &checked, name: "main", model: ExecutionModel::Geometry };
    let outputs = VaryingLayout::between(&entry, None).expect("outputs");
    assert_eq!(outputs.layout.columns, 4 + 4 + 1);
    // Position, then two whole locations: two counts, and the second double of two, which is a sixth of it
    // all.
    let columns = (0..8).map(|word| (word, 4 + word)).collect();
    let layout = VertexLayout { columns: 12, ..VertexLayout::default() };
    let from = VaryingLayout { layout, columns, ..VaryingLayout::default() };
    // Four input vertices, column by column: two primitives share the middle one.
    let half = 0.5_f64.to_bits();
    let position = |column: u32| [0, 1, 2, 3].map(|vertex| (10 * vertex + column) as f32).map(f32::to_bits);
    let inputs = [
        position(0),
        position(1),
        position(2),
        position(3),
        [1, 4, 100, 0],
        [50, 60, 70, 80],
        [0; 4],
        [0; 4],
        [0; 4],
        [0; 4],
        [half as u32; 4],
        [(half >> 32) as u32; 4],
    ];
    let expected = |lane: usize| {
        let (first, second) = [(0, 1), (1, 2)][lane / 2];
        let wanted = [inputs[4][first], inputs[4][second]][lane % 2];
        (wanted, second)
    };
    for lanes in [4u32, 8, 16, 64] {
        let pipeline_layout = PipelineLayout::default();
        let shader =
            Shader { checked: &checked, entry_point: "main", layout: &pipeline_layout, tiles: false };
        let stage = StageRequest::Geometry { inputs: &from, input_lanes: 4, outputs: &outputs };
        let kernel = interpreter(lower(&shader, lanes, &stage).expect("it lowers"));
        let draw = Box::new(DrawContext::default());
        let words = vec![u32::MAX; (7 * outputs.layout.columns * lanes) as usize];
        let strips = vec![u32::MAX; 7 * lanes as usize];
        let scratch = vec![0_u64; 8192];
        let mut record = Box::new(GeometrySubgroup {
            inputs: address(&inputs),
            outputs: address(&words),
            strips: address(&strips),
            ..GeometrySubgroup::default()
        });
        record.subgroup.scratch = address(&scratch).next_multiple_of(64);
        record.subgroup.active_lanes = 0b1111;
        for lane in 0..4 {
            record.primitive_id[lane] = 7 + lane as u32 / 2;
            record.invocation_id[lane] = lane as u32 % 2;
            let (first, second) = [(0, 4), (4, 8)][lane / 2];
            (record.vertices[0][lane], record.vertices[1][lane]) = (first, second);
        }
        // SAFETY: all addresses are those of what lives here, and large enough.
        let exit = unsafe { kernel.run(&draw.dispatch, &mut record.subgroup) };
        assert_eq!(exit, Exit::Done);
        for lane in 0..4 {
            let (wanted, second) = expected(lane);
            let emitted = wanted.min(7);
            // The one of the other stream is the eighth, and lost.
            let all = (emitted + 1).min(7);
            assert_eq!(record.emitted[lane], all, "{lanes} {lane}");
            for vertex in 0..7 {
                let strip = strips[vertex as usize * lanes as usize + lane];
                let column =
                    |column: u32| words[((vertex * outputs.layout.columns + column) * lanes) as usize + lane];
                if vertex >= all {
                    assert_eq!((strip, column(0)), (u32::MAX, u32::MAX), "{lanes} {lane} {vertex}");
                    continue;
                }
                let word = |word: u32| column(outputs.columns[&word]);
                let floats = [0, 1, 2, 3].map(word).map(f32::from_bits);
                if vertex < emitted {
                    let positions = [0, 1, 2, 3].map(|at| f32::from_bits(column(at)));
                    let from = [0, 1, 2, 3].map(|at: usize| f32::from_bits(inputs[at][second]));
                    assert_eq!(positions, from);
                    let first = [7.0 + (lane / 2) as f32, (lane % 2) as f32, vertex as f32, 0.5];
                    assert_eq!((strip, floats), (vertex % 3, first), "{lanes} {lane} {vertex}");
                } else {
                    assert_eq!((strip, word(8)), (1 << 16, inputs[5][second]), "{lanes} {lane} {vertex}");
                }
            }
        }
    }
}

#[test]
fn shaders_that_do_not_say_what_they_make_are_refused() {
    let words = crate::support::shader("geometry.geom");
    let module = Module::decode(&words).expect("it decodes");
    let checked = crate::support::checked::checked(&module);
    assert_eq!(geometry_info(&checked, "other").unwrap_err().kind, ErrorKind::Invalid);
    let text =
        std::fs::read_to_string(crate::support::folder().join("geometry.geom.spvasm")).expect("a text");
    for mode in ["InputLines", "OutputPoints", "OutputVertices 7", "Invocations 2"] {
        let line = format!("OpExecutionMode %main {mode}");
        assert!(text.contains(&line), "{mode}");
        let other = match mode {
            "OutputVertices 7" => "OpExecutionMode %main OutputVertices 1000000",
            "Invocations 2" => "OpExecutionMode %main Invocations 0",
            _ => "",
        };
        let words = pyro_spirv::asm::assemble(&text.replace(&line, other)).expect("assembly");
        let module = Module::decode(&words).expect("it decodes");
        // Some of it is found by the checker, if it looks for that.
        match crate::support::checked::check(&module, &Specialization::new()) {
            Ok(checked) => {
                assert_eq!(geometry_info(&checked, "main").unwrap_err().kind, ErrorKind::Invalid, "{mode}")
            }
            Err(found) => assert!(!found.is_empty()),
        }
    }
}
