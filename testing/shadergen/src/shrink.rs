//! Makes a failing program smaller: takes statements away, or puts their bodies in their place, as long as it
//! still fails.

use crate::program::*;

/// All programs that are one step smaller.
fn smaller(program: &Program) -> Vec<Program> {
    let with_body = |body: Vec<Statement>| Program { body, ..program.clone() };
    let mut found: Vec<Program> = smaller_block(&program.body).into_iter().map(with_body).collect();
    for (index, function) in program.functions.iter().enumerate() {
        for body in smaller_block(&function.body) {
            let mut next = program.clone();
            next.functions[index].body = body;
            found.push(next);
        }
    }
    found
}

fn smaller_block(block: &[Statement]) -> Vec<Vec<Statement>> {
    let mut found = Vec::new();
    let replaced = |index: usize, with: Vec<Statement>| {
        let mut next = block.to_vec();
        next.splice(index..=index, with);
        next
    };
    // Halves first: large steps shrink fast.
    if block.len() > 3 {
        found.push(block[block.len() / 2..].to_vec());
        found.push(block[..block.len() / 2].to_vec());
    }
    for (index, statement) in block.iter().enumerate() {
        found.push(replaced(index, Vec::new()));
        let mut inside = |rebuild: &dyn Fn(Vec<Statement>) -> Statement, body: &[Statement]| {
            found.extend(smaller_block(body).into_iter().map(|body| replaced(index, vec![rebuild(body)])));
        };
        match statement {
            Statement::If(condition, then, otherwise) => {
                inside(&|body| Statement::If(condition.clone(), body, otherwise.clone()), then);
                inside(&|body| Statement::If(condition.clone(), then.clone(), body), otherwise);
                found.push(replaced(index, then.clone()));
                found.push(replaced(index, otherwise.clone()));
            }
            Statement::Loop(count, body) => {
                inside(&|body| Statement::Loop(count.clone(), body), body);
                let breaks =
                    |statement: &Statement| matches!(statement, Statement::Break(_) | Statement::Continue(_));
                if !body.iter().any(breaks) {
                    found.push(replaced(index, body.clone()));
                }
            }
            Statement::Switch(selector, cases, default) => {
                inside(&|body| Statement::Switch(selector.clone(), cases.clone(), body), default);
                for (number, case) in cases.iter().enumerate() {
                    let rebuild = |body| {
                        let mut cases = cases.clone();
                        cases[number].body = body;
                        Statement::Switch(selector.clone(), cases, default.clone())
                    };
                    inside(&rebuild, &case.body);
                }
            }
            Statement::Set(variable, value) => {
                let mut simpler = |value: &Expression| {
                    found.push(replaced(index, vec![Statement::Set(*variable, value.clone())]));
                };
                match value {
                    Expression::Binary(_, first, second)
                    | Expression::Typed(_, _, first, second)
                    | Expression::Select(_, first, second) => {
                        simpler(first);
                        simpler(second);
                    }
                    Expression::Unary(_, inner) | Expression::Input(inner) | Expression::Element(inner) => {
                        simpler(inner);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    found
}

/// The smallest program found, within `tries` runs of `fails`, that still fails.
pub fn shrink(program: &Program, mut tries: u32, mut fails: impl FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    'again: loop {
        for candidate in smaller(&best) {
            if tries == 0 {
                return best;
            }
            tries -= 1;
            if fails(&candidate) {
                best = candidate;
                continue 'again;
            }
        }
        return best;
    }
}
