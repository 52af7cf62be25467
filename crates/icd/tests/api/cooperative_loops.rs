//! Loops of products of cooperative matrices of bytes, which may be run ahead by tiles: the same sums,
//! whatever the processor has.

use pyro_random::Random;
use pyro_test_kit::matrices::{BYTES, Bench, Shape, text};
use vulkanalia::vk::ComponentTypeKHR as Type;

/// A loop over parts of two long factors.
#[derive(Clone, Copy, Debug)]
struct Case {
    types: [Type; 2],
    /// Rows and columns of a sum, and depth of an iteration.
    size: [usize; 3],
    /// The factors lie by columns.
    by_columns: [bool; 2],
    /// Rows of sums, and columns of them.
    grid: [usize; 2],
    iterations: usize,
    /// Counters and sums are private variables, not phis.
    variables: bool,
    /// The counter is signed.
    signed: bool,
    /// Elements that lines are longer than they have to be.
    gap: usize,
    /// Where the first factor's memory ends: what is behind reads as zero.
    end: Option<usize>,
}

impl Case {
    fn depth(&self) -> usize {
        self.size[2] * self.iterations
    }

    /// Elements from a line to the next, of a factor.
    fn stride(&self, factor: usize) -> usize {
        let across = self.size[factor] * self.grid[factor];
        self.gap + if self.is_along(factor) { self.depth() } else { across }
    }

    /// Whether the depth runs along lines.
    fn is_along(&self, factor: usize) -> bool {
        (factor == 0) != self.by_columns[factor]
    }

    /// The index of an element: of a row or column, at a place in the depth.
    fn place(&self, factor: usize, line: usize, depth: usize) -> usize {
        let stride = self.stride(factor);
        if self.is_along(factor) { line * stride + depth } else { depth * stride + line }
    }

    fn shader(&self) -> String {
        let [rows, columns, depth] = self.size;
        let shape = |rows, columns, by_columns, stride| Shape { rows, columns, by_columns, stride };
        let shapes = [
            shape(rows, depth, self.by_columns[0], self.stride(0)),
            shape(depth, columns, self.by_columns[1], self.stride(1)),
            shape(rows, columns, false, columns),
            shape(rows, columns, false, columns),
        ];
        // Types are numbered in the order of their first use.
        let int = if self.types[0] == self.types[1] { "%k1" } else { "%k2" };
        let counter = if self.signed { int } else { "%uint" };
        let less = if self.signed { "OpSLessThan" } else { "OpULessThan" };
        let mut declarations = format!(
            "%step = OpConstant {counter} {depth} %limit = OpConstant {counter} {} %start = OpConstant {counter} 0
            %to_counter = OpTypePointer Function {counter} %to_sum = OpTypePointer Function %m2\n",
            self.depth()
        );
        let (mut before, mut loads, mut products, mut behind) = <(String, String, String, String)>::default();
        let (mut phis, mut local, mut begin) = <(String, String, String)>::default();
        for factor in 0..2 {
            let along = self.is_along(factor);
            declarations += &format!("%line{factor} = OpConstant {counter} {}\n", self.stride(factor));
            loads += &match along {
                true => format!("%at{factor} = OpCopyObject {counter} %k\n"),
                false => format!("%at{factor} = OpIMul {counter} %k %line{factor}\n"),
            };
            for part in 0..self.grid[factor] {
                let first = self.place(factor, part * self.size[factor], 0);
                let name = ["left", "right"][factor];
                declarations += &format!("%first{factor}_{part} = OpConstant {counter} {first}\n");
                loads += &format!(
                    "%index{factor}_{part} = OpIAdd {counter} %at{factor} %first{factor}_{part}
                    %from{factor}_{part} = OpAccessChain %ep{factor} %v{factor} %uint_0 %index{factor}_{part}
                    %{name}{part} = OpCooperativeMatrixLoadKHR %m{factor} %from{factor}_{part} %layout{factor} %stride{factor}\n"
                );
            }
        }
        let [is_signed_a, is_signed_b] = self.types.map(|ty| ty == Type::SINT8);
        let mut operands = vec!["MatrixCSignedComponentsKHR", "MatrixResultSignedComponentsKHR"];
        if is_signed_b {
            operands.insert(0, "MatrixBSignedComponentsKHR");
        }
        if is_signed_a {
            operands.insert(0, "MatrixASignedComponentsKHR");
        }
        let operands = operands.join("|");
        for row in 0..self.grid[0] {
            for column in 0..self.grid[1] {
                let sum = row * self.grid[1] + column;
                declarations += &format!("%place{sum} = OpConstant %uint {}\n", sum * rows * columns);
                before += &format!(
                    "%c_from{sum} = OpAccessChain %ep2 %v2 %uint_0 %place{sum}
                    %c{sum} = OpCooperativeMatrixLoadKHR %m2 %c_from{sum} %layout2 %stride2\n"
                );
                behind += &format!("%to{sum} = OpAccessChain %ep3 %v3 %uint_0 %place{sum}\n");
                if self.variables {
                    local += &format!("%sum{sum} = OpVariable %to_sum Function\n");
                    begin += &format!("OpStore %sum{sum} %c{sum}\n");
                    products += &format!(
                        "%old{sum} = OpLoad %m2 %sum{sum}
                        %new{sum} = OpCooperativeMatrixMulAddKHR %m2 %left{row} %right{column} %old{sum} {operands}
                        OpStore %sum{sum} %new{sum}\n"
                    );
                    behind += &format!("%last{sum} = OpLoad %m2 %sum{sum}\n");
                } else {
                    phis += &format!("%last{sum} = OpPhi %m2 %c{sum} %entry %new{sum} %latch\n");
                    products += &format!(
                        "%new{sum} = OpCooperativeMatrixMulAddKHR %m2 %left{row} %right{column} %last{sum} {operands}\n"
                    );
                }
                behind += &format!("OpCooperativeMatrixStoreKHR %to{sum} %last{sum} %layout3 %stride3\n");
            }
        }
        let (head, test, next) = if self.variables {
            local += "%counter = OpVariable %to_counter Function\n";
            begin += "OpStore %counter %start\n";
            let load = |name: &str| format!("{name} = OpLoad {counter} %counter\n");
            loads = load("%k") + &loads;
            let next =
                format!("{}%next = OpIAdd {counter} %k_now %step\nOpStore %counter %next\n", load("%k_now"));
            (String::new(), load("%k_test"), next)
        } else {
            let phi = format!("%k = OpPhi {counter} %start %entry %next %latch\n");
            (phi + &phis, String::new(), format!("%next = OpIAdd {counter} %k %step\n"))
        };
        let tested = if self.variables { "%k_test" } else { "%k" };
        let body = format!(
            "{local}OpNop\n{before}{begin}OpBranch %header
            %header = OpLabel\n{head}OpLoopMerge %behind %latch None\nOpBranch %test
            %test = OpLabel\n{test}%more = {less} %bool {tested} %limit\nOpBranchConditional %more %inside %behind
            %inside = OpLabel\n{loads}{products}OpBranch %latch
            %latch = OpLabel\n{next}OpBranch %header
            %behind = OpLabel\n{behind}"
        );
        text([self.types[0], self.types[1], Type::SINT32, Type::SINT32], &shapes, &declarations, &body)
    }

    fn check(&self, bench: &Bench, random: &mut Random) {
        let lines = [0, 1].map(|factor| self.size[factor] * self.grid[factor]);
        let mut values = [Vec::new(), Vec::new()];
        for factor in 0..2 {
            bench.fill(factor, 0x5a);
            for line in 0..lines[factor] {
                for depth in 0..self.depth() {
                    let value = random.int(0, 255) as u8;
                    bench.put(factor, 1, self.place(factor, line, depth), value.into());
                    let is_outside =
                        factor == 0 && self.end.is_some_and(|end| self.place(0, line, depth) >= end);
                    values[factor].push(match self.types[factor] {
                        _ if is_outside => 0,
                        Type::SINT8 => i32::from(value as i8),
                        _ => i32::from(value),
                    });
                }
            }
        }
        bench.fill(3, 0);
        let [rows, columns, _] = self.size;
        let count = rows * columns * self.grid[0] * self.grid[1];
        for index in 0..count {
            bench.put(2, 4, index, (i32::MAX - index as i32) as u32 as u64);
        }
        bench.limit(0, self.end.unwrap_or(BYTES) as u64);
        bench.run(&self.shader(), None);
        for line in 0..lines[0] {
            for column in 0..lines[1] {
                let sum = line / rows * self.grid[1] + column / columns;
                let index = sum * rows * columns + line % rows * columns + column % columns;
                let wanted = (0..self.depth()).fold(i32::MAX - index as i32, |sum, depth| {
                    let [a, b] =
                        [values[0][line * self.depth() + depth], values[1][column * self.depth() + depth]];
                    sum.wrapping_add(a * b)
                });
                assert_eq!(bench.get(3, 4, index) as i32, wanted, "{self:?}: row {line}, column {column}");
            }
        }
    }
}

#[test]
fn loops_of_products_have_the_sums_of_their_iterations() {
    let bench = Bench::new();
    let mut random = Random::new(11);
    let signs = [Type::SINT8, Type::UINT8];
    for turn in 0..24_usize {
        let case = Case {
            types: [signs[turn & 1], signs[turn >> 1 & 1]],
            size: [[16, 16, 32], [16, 16, 16], [32, 16, 64], [16, 32, 32], [16, 16, 128]][turn % 5],
            by_columns: [turn >> 2 & 1 != 0, turn >> 3 & 1 != 0],
            grid: [[1, 1], [2, 2], [1, 3], [3, 1]][turn / 3 % 4],
            iterations: [20, 9, 33, 1][turn / 2 % 4],
            variables: turn % 3 == 1,
            signed: turn % 7 == 2,
            gap: [0, 3, 64][turn % 3],
            end: None,
        };
        case.check(&bench, &mut random);
    }
}

#[test]
fn loops_of_products_end_with_their_memory() {
    let bench = Bench::new();
    let mut random = Random::new(12);
    for (by_columns, end) in [(false, 16 * 32 * 12 - 1), (false, 700), (true, 16 * 32 * 12 - 1), (true, 4096)]
    {
        let case = Case {
            types: [Type::UINT8, Type::SINT8],
            size: [16, 16, 32],
            by_columns: [by_columns, !by_columns],
            grid: [1, 2],
            iterations: 12,
            variables: false,
            signed: false,
            gap: 0,
            end: Some(end),
        };
        case.check(&bench, &mut random);
    }
}
