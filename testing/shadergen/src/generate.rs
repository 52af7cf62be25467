//! Random programs from a seed.

use crate::program::*;
use crate::typed::{Combine, Extent, Source, Type, TypedBinary};
use pyro_random::Random;

/// What a statement may be, where it stands.
#[derive(Clone, Copy)]
struct Place {
    in_function: bool,
    in_loop: bool,
    /// All invocations of the workgroup come here together.
    is_uniform: bool,
    depth: u32,
    callable: usize,
}

struct Generator {
    random: Random,
    /// Statements left to make.
    budget: u32,
}

/// The program of a seed, of about `size` statements.
pub fn program(seed: u64, size: u32) -> Program {
    let mut generator = Generator { random: Random::new(seed), budget: size.max(4) };
    let workgroup_size = generator.random.pick(&[1, 4, 7, 16, 32, 48, 64, 100]);
    let function_count = generator.random.below(3) as usize;
    let functions = (0..function_count)
        .map(|callable| {
            let place = Place { in_function: true, in_loop: false, is_uniform: false, depth: 0, callable };
            let saved = generator.budget;
            generator.budget = size / 4;
            let body = generator.block(place);
            generator.budget = saved;
            Function { body, result: generator.expression(place, 2) }
        })
        .collect();
    let place =
        Place { in_function: false, in_loop: false, is_uniform: true, depth: 0, callable: function_count };
    let mut body: Vec<Statement> =
        (0..VARIABLES).map(|index| Statement::Set(index, generator.expression(place, 1))).collect();
    while generator.budget > 0 {
        body.append(&mut generator.block(place));
    }
    // What the variables have become is always seen.
    body.extend((0..VARIABLES).map(|index| Statement::Output(index, Expression::Variable(index))));
    Program { workgroup_size, functions, body }
}

impl Generator {
    fn variable(&mut self, place: Place) -> u32 {
        self.random.below(if place.in_function { FUNCTION_VARIABLES } else { VARIABLES })
    }

    fn constant(&mut self) -> u32 {
        match self.random.below(4) {
            0 => self.random.below(9),
            1 => self.random.pick(&[0, 1, u32::MAX, 0x8000_0000, 0x7fff_ffff, 31, 32, 255]),
            2 => 1 << self.random.below(32),
            _ => self.random.bits() as u32,
        }
    }

    fn expression(&mut self, place: Place, depth: u32) -> Expression {
        let boxed = |generator: &mut Generator| Box::new(generator.expression(place, depth - 1));
        if depth == 0 || self.random.one_in(5) {
            return match self.random.below(8) {
                0 | 1 => Expression::Constant(self.constant()),
                2 => Expression::GlobalId,
                3 => Expression::LocalIndex,
                4 if self.random.one_in(2) => Expression::WorkgroupId,
                4 => Expression::LaneId,
                _ => Expression::Variable(self.variable(place)),
            };
        }
        match self.random.below(10) {
            0 | 1 => Expression::Input(boxed(self)),
            2 if !place.in_function => Expression::Element(boxed(self)),
            3 => Expression::Unary(self.random.pick(&Unary::ALL), boxed(self)),
            5 => Expression::Typed(
                self.random.pick(&Type::ALL),
                self.random.pick(&TypedBinary::ALL),
                boxed(self),
                boxed(self),
            ),
            4 => Expression::Select(Box::new(self.condition(place, depth - 1)), boxed(self), boxed(self)),
            _ => Expression::Binary(self.random.pick(&Binary::ALL), boxed(self), boxed(self)),
        }
    }

    fn condition(&mut self, place: Place, depth: u32) -> Condition {
        match self.random.below(8) {
            0 if depth > 0 => Condition::And(
                Box::new(self.condition(place, depth - 1)),
                Box::new(self.condition(place, depth - 1)),
            ),
            1 if depth > 0 => Condition::Or(
                Box::new(self.condition(place, depth - 1)),
                Box::new(self.condition(place, depth - 1)),
            ),
            2 if depth > 0 => Condition::Not(Box::new(self.condition(place, depth - 1))),
            3 => {
                // Splits the lanes evenly whatever the values are.
                let bit = Expression::Constant(1 << self.random.below(3));
                let masked =
                    Expression::Binary(Binary::BitwiseAnd, Box::new(Expression::LaneId), Box::new(bit));
                Condition::Compare(Compare::INotEqual, masked, Expression::Constant(0))
            }
            4 => {
                let workgroup = Expression::Binary(
                    Binary::BitwiseAnd,
                    Box::new(Expression::WorkgroupId),
                    Box::new(Expression::Constant(1)),
                );
                Condition::Compare(Compare::IEqual, workgroup, Expression::Constant(self.random.below(2)))
            }
            _ => Condition::Compare(
                self.random.pick(&Compare::ALL),
                self.expression(place, depth.min(1)),
                self.expression(place, depth.min(1)),
            ),
        }
    }

    fn block(&mut self, place: Place) -> Vec<Statement> {
        (0..1 + self.random.below(4)).filter_map(|_| self.statement(place)).collect()
    }

    #[allow(clippy::too_many_lines, reason = "one arm for each kind of statement")]
    fn statement(&mut self, place: Place) -> Option<Statement> {
        self.budget = self.budget.checked_sub(1)?;
        let inside = Place { is_uniform: false, depth: place.depth + 1, ..place };
        let nests = place.depth < 5;
        Some(match self.random.below(30) {
            // A loop or branch that the whole workgroup takes the same way: barriers may stand inside.
            24 if nests && place.is_uniform => {
                let body = self.block(Place { is_uniform: true, in_loop: false, ..inside });
                Statement::Loop(Expression::Constant(self.random.below(4)), body)
            }
            25 if nests && place.is_uniform => {
                let masked = Expression::Binary(
                    Binary::BitwiseAnd,
                    Box::new(Expression::WorkgroupId),
                    Box::new(Expression::Constant(1)),
                );
                let condition = Condition::Compare(Compare::IEqual, masked, Expression::Constant(0));
                let inside = Place { is_uniform: true, ..inside };
                Statement::If(condition, self.block(inside), self.block(inside))
            }
            26 | 27 => {
                let ty = self.random.pick(&Type::ALL);
                let combine = if ty.is_float() {
                    self.random.pick(&Combine::FLOAT)
                } else {
                    self.random.pick(&Combine::ALL)
                };
                let extent = match self.random.below(5) {
                    0 => Extent::Reduce,
                    1 => Extent::InclusiveScan,
                    2 => Extent::ExclusiveScan,
                    _ => Extent::Clustered(1 << self.random.below(3)),
                };
                Statement::TypedGroup(self.variable(place), ty, combine, extent, self.expression(place, 1))
            }
            28 => {
                let source = match self.random.below(8) {
                    0 => Source::Shuffle,
                    1 => Source::Xor(self.random.below(8)),
                    2 => Source::Up(self.random.below(6)),
                    3 => Source::Down(self.random.below(6)),
                    4 => Source::Rotate(self.random.below(9)),
                    5 => Source::RotateClustered(self.random.below(5)),
                    6 => Source::QuadBroadcast(self.random.below(4)),
                    _ => Source::QuadSwap(self.random.below(3)),
                };
                let ty = self.random.pick(&Type::ALL);
                Statement::Lane(self.variable(place), ty, source, self.expression(place, 1))
            }
            29 => Statement::Partitioned(
                self.variable(place),
                self.expression(place, 1),
                self.expression(place, 1),
            ),
            0..=3 if nests => {
                let condition = self.condition(place, 1);
                let then = self.block(inside);
                let otherwise = if self.random.one_in(2) { self.block(inside) } else { Vec::new() };
                Statement::If(condition, then, otherwise)
            }
            4..=6 if nests => {
                let count = match self.random.below(3) {
                    0 => Expression::Constant(self.random.below(6)),
                    1 => Expression::Binary(
                        Binary::UMod,
                        Box::new(self.expression(place, 1)),
                        Box::new(Expression::Constant(5)),
                    ),
                    _ => Expression::Binary(
                        Binary::BitwiseAnd,
                        Box::new(Expression::LaneId),
                        Box::new(Expression::Constant(3)),
                    ),
                };
                Statement::Loop(count, self.block(Place { in_loop: true, ..inside }))
            }
            7 | 8 if nests => {
                let selector = self.expression(place, 1);
                let cases = (0..1 + self.random.below(4))
                    .map(|_| Case { body: self.block(inside), falls_through: self.random.one_in(3) })
                    .collect();
                Statement::Switch(selector, cases, self.block(inside))
            }
            9 | 10 if place.in_loop => Statement::Break(self.condition(place, 1)),
            11 if place.in_loop => Statement::Continue(self.condition(place, 1)),
            12 if place.in_function => Statement::Return(self.condition(place, 1), self.expression(place, 1)),
            13 | 14 if place.callable > 0 => {
                let function = self.random.below(place.callable as u32) as usize;
                let target = self.variable(place);
                Statement::Call(target, function, self.expression(place, 1), self.expression(place, 1))
            }
            15..=17 => {
                let group = self.random.pick(&Group::ALL);
                Statement::Group(self.variable(place), group, self.expression(place, 1))
            }
            18 if place.is_uniform => {
                let distance = self.random.below(5);
                Statement::Exchange(self.variable(place), distance, self.expression(place, 1))
            }
            19 if !place.in_function => {
                Statement::SetElement(self.expression(place, 1), self.expression(place, 2))
            }
            20 if !place.in_function => Statement::Output(
                VARIABLES + self.random.below(OUTPUT_WORDS - VARIABLES),
                self.expression(place, 2),
            ),
            21 => Statement::AtomicAdd(self.expression(place, 1)),
            _ => Statement::Set(self.variable(place), self.expression(place, 3)),
        })
    }
}
