//! Columns of arrays, written by subgroups of several rows: each word is where its lane says, of two lanes at
//! one place the last one's.

use pyro_abi::{DispatchContext, Exit, Kernel, KernelInfo, SubgroupContext};
use pyro_ir::{Builder, Form, Function, MemoryOp, Opcode, Scalar, Space, Terminator};
use pyro_jit::{Features, compile_checked};

const WORDS: usize = 4096;

/// The place of a lane, in words: `lane % 16 * column + lane / 16 * row`.
#[derive(Clone, Copy, Debug)]
struct Places {
    lanes: u32,
    column: u32,
    row: u32,
}

impl Places {
    fn of(self, lane: u32) -> u32 {
        lane % 16 * self.column + lane / 16 * self.row
    }

    /// Each lane stores its number plus a word that is in memory.
    fn function(self, address: u64) -> Function {
        use Opcode as O;
        let mut function = Function::new("columns", Form::Mask, self.lanes);
        let block = function.make_block();
        let b = &mut Builder::new(&mut function);
        b.start(block);
        let (base, always, zero) = (b.i64(address), b.bool(true), b.i32(0));
        let (all, lane) = (b.splat(always), b.emit(O::LaneId, &[], 0, Scalar::I32).expect("a result"));
        let mut word = |number: u32| {
            let word = b.i32(number);
            b.splat(word)
        };
        let [fifteen, four, column, row] = [15, 4, self.column * 4, self.row * 4].map(&mut word);
        let memory = MemoryOp::new(Space::Global);
        let first = b.load(Scalar::I32, memory.at(4 * (WORDS as i32 - 1)), base, zero, always);
        let first = b.splat(first);
        let (x, y) = (b.op(O::And, &[lane, fifteen]), b.op(O::LShr, &[lane, four]));
        let (x, y) = (b.op(O::IMul, &[x, column]), b.op(O::IMul, &[y, row]));
        let offset = b.op(O::IAdd, &[x, y]);
        let value = b.op(O::IAdd, &[lane, first]);
        b.store(memory, base, offset, value, all);
        b.terminate(Terminator::Return(Exit::Done as u32));
        function
    }
}

#[test]
#[allow(unsafe_code)]
fn words_are_where_their_lanes_say() {
    for (_, features) in Features::all() {
        for lanes in [16, 32, 64] {
            for (column, row) in
                [(16, 1), (17, 1), (4, 1), (2, 1), (3, 1), (1, 1), (16, 2), (0, 1), (5, 40), (2, 8), (33, 1)]
            {
                let places = Places { lanes, column, row };
                let mut memory = vec![7u32; WORDS];
                memory[WORDS - 1] = 1000;
                let mut expected = memory.clone();
                for lane in 0..lanes {
                    expected[places.of(lane) as usize] = 1000 + lane;
                }
                let function = places.function(memory.as_mut_ptr() as u64);
                let info = KernelInfo { subgroup_size: lanes, ..KernelInfo::default() };
                let kernel = compile_checked(&function, info, features).expect("machine code");
                let mut subgroup = SubgroupContext::default();
                // SAFETY: the lanes write within `memory`, which nobody else uses meanwhile.
                let exit = unsafe { kernel.run(&DispatchContext::default(), &mut subgroup) };
                assert_eq!(exit, Exit::Done);
                assert!(memory == expected, "{places:?}, {features:?}");
            }
        }
    }
}
