//! Formulas over `f32` values, written as they are in books.

use pyro_ir::{Builder, Opcode, Value};
use pyro_library::Ops;
use std::cell::Cell;
use std::ops::{Add, Div, Mul, Sub};
use std::rc::Rc;

/// A term of a formula. Clones are the same term, whose code there is once.
#[derive(Clone, Debug)]
pub(super) struct Term(Rc<(Node, Cell<Option<Value>>)>);

#[derive(Debug)]
enum Node {
    Value(Value),
    Constant(f32),
    Unary(Opcode, Term),
    Binary(Opcode, Term, Term),
    /// The third where the first is less than the second, else the fourth.
    IfLess([Term; 4]),
}

fn term(node: Node) -> Term {
    Term(Rc::new((node, Cell::new(None))))
}

/// A value.
pub(super) fn value(value: Value) -> Term {
    term(Node::Value(value))
}

/// A number.
pub(super) fn constant(number: f32) -> Term {
    term(Node::Constant(number))
}

impl Term {
    pub(super) fn min(self, other: Term) -> Term {
        term(Node::Binary(Opcode::FMin, self, other))
    }

    pub(super) fn max(self, other: Term) -> Term {
        term(Node::Binary(Opcode::FMax, self, other))
    }

    pub(super) fn abs(self) -> Term {
        term(Node::Unary(Opcode::FAbs, self))
    }

    pub(super) fn sqrt(self) -> Term {
        term(Node::Unary(Opcode::FSqrt, self))
    }

    /// `yes` where `x < y`, else `no`.
    pub(super) fn if_less(x: Term, y: Term, yes: Term, no: Term) -> Term {
        term(Node::IfLess([x, y, yes, no]))
    }

    /// Its value.
    pub(super) fn emit(&self, b: &mut Builder) -> Value {
        let (node, known) = &*self.0;
        if let Some(value) = known.get() {
            return value;
        }
        let value = match node {
            Node::Value(value) => *value,
            Node::Constant(number) => b.f32(*number),
            Node::Unary(op, x) => {
                let x = x.emit(b);
                b.op(*op, &[x])
            }
            Node::Binary(op, x, y) => {
                let (x, y) = (x.emit(b), y.emit(b));
                b.op(*op, &[x, y])
            }
            Node::IfLess([x, y, yes, no]) => {
                let (x, y, yes, no) = (x.emit(b), y.emit(b), yes.emit(b), no.emit(b));
                let less = b.flt(x, y);
                b.select(less, yes, no)
            }
        };
        known.set(Some(value));
        value
    }
}

macro_rules! operators {
    ($($name:ident $method:ident $op:ident)*) => { $(
        impl $name for Term {
            type Output = Term;

            fn $method(self, other: Term) -> Term {
                term(Node::Binary(Opcode::$op, self, other))
            }
        }
    )* };
}

operators! { Add add FAdd Sub sub FSub Mul mul FMul Div div FDiv }
