//! Constant expressions (PTX ISA: Constant Expressions), of integers.

use super::Parser;
use crate::error::{Result, invalid};
use crate::lex::Token;

/// Operators of two operands, those that bind most loosely first.
const LEVELS: [&[&str]; 6] = [&["|"], &["^"], &["&"], &["<<", ">>"], &["+", "-"], &["*", "/", "%"]];

impl Parser<'_> {
    /// A constant integer, of 64 bits.
    pub(super) fn expression(&mut self) -> Result<i64> {
        self.nested(|parser| parser.binary(0))
    }

    fn binary(&mut self, level: usize) -> Result<i64> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut value = self.binary(level + 1)?;
        while let Some(operator) = operators.iter().find(|operator| self.accept_operator(operator)) {
            let line = self.line();
            let other = self.binary(level + 1)?;
            value = match *operator {
                "|" => value | other,
                "^" => value ^ other,
                "&" => value & other,
                "<<" => value.wrapping_shl(other as u32),
                ">>" => value.wrapping_shr(other as u32),
                "+" => value.wrapping_add(other),
                "-" => value.wrapping_sub(other),
                "*" => value.wrapping_mul(other),
                _ if other == 0 => return invalid(line, "Constant Expressions", "division by zero"),
                "/" => value.wrapping_div(other),
                _ => value.wrapping_rem(other),
            };
        }
        Ok(value)
    }

    fn accept_operator(&mut self, operator: &str) -> bool {
        let is_next = operator
            .chars()
            .enumerate()
            .all(|(index, wanted)| self.peek_at(index) == Some(Token::Punctuation(wanted)));
        self.at += if is_next { operator.len() } else { 0 };
        is_next
    }

    fn unary(&mut self) -> Result<i64> {
        match self.peek() {
            Some(Token::Punctuation(sign @ ('-' | '+' | '~' | '!'))) => {
                self.at += 1;
                let value = self.nested(Self::unary)?;
                Ok(match sign {
                    '-' => value.wrapping_neg(),
                    '~' => !value,
                    '!' => i64::from(value == 0),
                    _ => value,
                })
            }
            Some(Token::Punctuation('(')) => {
                self.at += 1;
                if self.accept_dot("s64") || self.accept_dot("u64") {
                    self.expect(')')?;
                    return self.nested(Self::unary);
                }
                let value = self.expression()?;
                self.expect(')')?;
                Ok(value)
            }
            Some(Token::Name("WARP_SZ")) => {
                self.at += 1;
                Ok(crate::WARP_LANES.into())
            }
            Some(Token::Integer(value)) => {
                self.at += 1;
                Ok(value as i64)
            }
            _ => self.unexpected("a constant"),
        }
    }
}
