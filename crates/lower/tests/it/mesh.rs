//! Task and mesh stages: the workgroups that a task starts, its payload, and the columns of vertices and
//! primitives.
#![allow(unsafe_code)] // kernels are called with records

use crate::support::checked::checked;
use crate::support::interpreter;
use crate::support::shader;
use pyro_abi::graphics::{DrawContext, Interpolation, MeshWorkgroup, mesh::MeshIndices};
use pyro_abi::{Exit, Kernel, PipelineLayout, SubgroupContext};
use pyro_fixed::state::ColorAttachmentKey;
use pyro_fixed::{FragmentOutputKey, Variant};
use pyro_interp::Interpreter;
use pyro_lower::{Entry, ErrorKind, LowerError, Shader, StageRequest, VaryingLayout, lower};
use pyro_spirv::spirv::ExecutionModel;
use pyro_spirv::{Module, asm};

fn kernel(module: &Module, stage: StageRequest<'_>, lanes: u32) -> Interpreter {
    let (checked, layout) = (checked(module), PipelineLayout::default());
    let shader = Shader { checked: &checked, entry_point: "main", layout: &layout, tiles: false };
    interpreter(lower(&shader, lanes, &stage).expect("it lowers"))
}

#[repr(C, align(64))]
struct Memory([u32; 16384]);

impl Memory {
    fn new() -> Box<Memory> {
        Box::new(Memory([0; 16384]))
    }

    fn address(&mut self) -> u64 {
        self.0.as_mut_ptr().expose_provenance() as u64
    }
}

/// Runs a workgroup, subgroup by subgroup between barriers; the record afterwards.
fn run(kernel: &Interpreter, record: MeshWorkgroup, id: [u32; 3]) -> MeshWorkgroup {
    let info = kernel.info();
    let (mut shared, draw) = (Memory::new(), Box::new(DrawContext::default()));
    assert!(info.shared_bytes as usize <= size_of::<Memory>());
    let address = shared.address();
    // SAFETY: the memory is large enough and aligned.
    unsafe { (address as *mut MeshWorkgroup).write(record) };
    let mut own: Vec<_> = (0..info.subgroup_count()).map(|_| (Memory::new(), Memory::new())).collect();
    let mut subgroups: Vec<_> = (0..)
        .zip(&mut own)
        .map(|(index, (scratch, frame))| SubgroupContext {
            workgroup_id: id,
            subgroup_id: index,
            active_lanes: info.active_lanes(index),
            shared: address,
            scratch: scratch.address(),
            frame: frame.address(),
            ..SubgroupContext::default()
        })
        .collect();
    let mut ended = vec![false; subgroups.len()];
    while ended.contains(&false) {
        for (subgroup, ended) in subgroups.iter_mut().zip(&mut ended).filter(|(_, ended)| !**ended) {
            // SAFETY: all addresses are those of what lives here, and large enough.
            *ended = match unsafe { kernel.run(&draw.dispatch, subgroup) } {
                Exit::Done => true,
                Exit::Barrier => false,
                Exit::Aborted | Exit::Call => panic!("nothing stops it"),
            };
        }
    }
    // SAFETY: as above.
    unsafe { (address as *const MeshWorkgroup).read() }
}

fn modules() -> [Module; 3] {
    ["meshlet.task", "meshlet.mesh", "meshlet.frag"]
        .map(|name| Module::decode(&shader(name)).expect("it decodes"))
}

fn outputs(mesh: &Module, fragment: Option<&Module>) -> Result<VaryingLayout, LowerError> {
    let entry = |checked, model| Entry { checked, name: "main", model };
    let (mesh, fragment) = (checked(mesh), fragment.map(checked));
    let fragment = fragment.as_ref().map(|fragment| entry(fragment, ExecutionModel::Fragment));
    VaryingLayout::between(&entry(&mesh, ExecutionModel::MeshEXT), fragment.as_ref())
}

#[test]
fn tasks_start_meshes() {
    let [task, ..] = modules();
    for lanes in [4, 16] {
        let kernel = kernel(&task, StageRequest::Task, lanes);
        assert_eq!((kernel.info().payload_bytes, kernel.info().workgroup_size), (20, [4, 1, 1]));
        for group in [4, 5] {
            let mut payload = Memory::new();
            let record =
                MeshWorkgroup { payload: payload.address(), num_workgroups: [9, 1, 1], ..Default::default() };
            let after = run(&kernel, record, [group, 0, 0]);
            // Those of odd numbers only.
            assert_eq!(after.task_groups, if group == 5 { [2, 1, 9] } else { [0; 3] });
            let words = [0.5f32, 1.5, 2.5, 3.5].map(f32::to_bits);
            assert_eq!((payload.0[0], &payload.0[1..5]), (group, &words[..]));
        }
    }
}

#[test]
fn meshes_write_columns() {
    let [_, mesh, fragment] = modules();
    let outputs = outputs(&mesh, Some(&fragment)).expect("they link");
    let layout = outputs.mesh.clone().expect("it is a mesh shader's");
    assert_eq!((layout.corners, layout.indices), (3, MeshIndices::Columns));
    assert_eq!((layout.max_vertices, layout.max_primitives), (24, 22));
    // Position, point size, two coordinates, six of the block; what is not read has none.
    assert_eq!((outputs.layout.columns, outputs.layout.point_size), (4 + 1 + 2 + 6, Some(4)));
    assert!(!outputs.columns.contains_key(&4));
    // Three corners, number, cull, tag, pair.
    assert_eq!((layout.columns, layout.layer, layout.viewport_index), (3 + 2 + 3, None, None));
    let (pitch, primitive_pitch) = (layout.vertex_pitch(), layout.primitive_pitch());
    assert_eq!((pitch, primitive_pitch), (32, 32));
    for lanes in [4, 16, 64] {
        let kernel = kernel(&mesh, StageRequest::Mesh { outputs: &outputs }, lanes);
        let (mut vertices, mut primitives, mut payload) = (Memory::new(), Memory::new(), Memory::new());
        payload.0[..5].copy_from_slice(&[77, 1, 2, 3, 4]);
        let record = MeshWorkgroup {
            vertices: vertices.address(),
            primitives: primitives.address(),
            payload: payload.address(),
            num_workgroups: [1, 9, 1],
            ..Default::default()
        };
        let after = run(&kernel, record, [0, 6, 0]);
        assert_eq!((after.vertex_count, after.primitive_count), (24, 22), "{lanes} lanes");
        let word = |column: u32, vertex: u32| vertices.0[(column * pitch + vertex) as usize];
        let float = |column, vertex| f32::from_bits(word(column, vertex));
        for vertex in 0..24 {
            let of = |word: u32| float(outputs.columns[&word], vertex);
            let v = vertex as f32;
            assert_eq!([float(0, vertex), float(2, vertex), float(3, vertex)], [v, 6.0, 1.0]);
            assert_eq!((word(1, vertex), float(4, vertex)), (1 + (vertex & 3), 2.0));
            assert_eq!([of(0), of(1)], [v, 77.0]);
            assert_eq!([of(8), of(9), of(10)], [v, v + 1.0, v + 2.0]);
            let parts = [12, 16, 20].map(of);
            let mut expected = [0.0; 3];
            expected[vertex as usize % 3] = 8.0 * v;
            assert_eq!(parts, expected);
        }
        assert!((24..32).all(|vertex| (0..outputs.layout.columns).all(|column| word(column, vertex) == 0)));
        let word =
            |column: u32, primitive: u32| primitives.0[(column * primitive_pitch + primitive) as usize];
        for p in 0..22 {
            assert_eq!([0, 1, 2].map(|corner| word(corner, p)), [p, p + 1, p + 2]);
            let [id, cull] =
                [layout.primitive_id, layout.cull].map(|column| word(column.expect("it is written"), p));
            assert_eq!((id, cull), (100 + p, p & 1));
            let of = |at: u32| word(outputs.primitive_columns[&at], p);
            assert_eq!(
                (of(24), f32::from_bits(of(28)), f32::from_bits(of(29))),
                (7 * p, p as f32, -(p as f32))
            );
        }
    }
}

#[test]
fn fragments_read_primitives() {
    let [_, mesh, fragment] = modules();
    let outputs = outputs(&mesh, Some(&fragment)).expect("they link");
    let (fragment, layout) = (checked(&fragment), PipelineLayout::default());
    let shader = Shader { checked: &fragment, entry_point: "main", layout: &layout, tiles: false };
    let mut key = FragmentOutputKey { samples: 1, ..FragmentOutputKey::default() };
    key.colors[0] = Some(ColorAttachmentKey {
        format: pyro_image::Format::R32G32B32A32_SFLOAT,
        write_mask: 15,
        blend: None,
    });
    let lowered = {
        let stage = StageRequest::Fragment { key: &key, variant: Variant::SinglePrimitive, inputs: &outputs };
        lower(&shader, 16, &stage).expect("it lowers")
    };
    let of_primitives = lowered.setup.varyings().iter();
    let of_primitives: Vec<_> =
        of_primitives.filter(|varying| varying.interpolation == Interpolation::PerPrimitive).collect();
    let columns: Vec<_> = of_primitives.iter().map(|varying| varying.column).collect();
    assert_eq!(columns, [24, 28, 29].map(|word| Some(outputs.primitive_columns[&word])));
}

#[test]
fn too_large_outputs_and_payloads_are_refused() {
    let source = pyro_spirv::disassemble_named(&modules()[1]);
    for (from, to) in [("OutputVertices 24", "OutputVertices 257"), (" 22\n", " 100000\n")] {
        let text = source.replace(from, to);
        assert_ne!(text, source);
        let module = Module::decode(&asm::assemble(&text).expect("it assembles")).expect("it decodes");
        let error = outputs(&module, None).expect_err("there are too many");
        assert!(error.kind == ErrorKind::Limit, "{error}");
    }
}
