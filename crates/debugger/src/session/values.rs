//! Values where the session stands, and changing them.

use super::{Session, Stop};
use crate::expression;
use crate::machine::{Pointer, VariableChange, Write};
use crate::timeline::Timeline;
use crate::view::{Context, Shown, Where};
use pyro_abi::trace::Change;
use pyro_spirv::Id;

impl Session {
    /// The value of an expression where an invocation stands.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn evaluate(
        &mut self,
        invocation: usize,
        frame: Option<usize>,
        text: &str,
    ) -> Result<String, String> {
        let (position, _) = self.position_of(invocation);
        self.with_state(invocation, position, frame, |context| {
            expression::evaluate(context, text).map(|value| expression::text(context, &value))
        })
    }

    /// The values of an expression in all invocations of the subgroup that are where it stands.
    pub fn neighbours(&mut self, text: &str) -> Vec<(usize, Result<String, String>)> {
        let here = self.subgroup(self.focus);
        here.into_iter().map(|index| (index, self.evaluate(index, None, text))).collect()
    }

    /// The invocations of the subgroup of one, by what they have run together.
    pub fn subgroup(&self, invocation: usize) -> Vec<usize> {
        let timeline = self.timeline();
        let begin = timeline.begin(invocation);
        (0..timeline.invocations.len()).filter(|&index| timeline.begin(index) == begin).collect()
    }

    /// What writes to a value are watched by.
    ///
    /// # Errors
    /// For what is not in a variable or memory.
    pub fn watched(&mut self, invocation: usize, frame: Option<usize>, text: &str) -> Result<Write, String> {
        let (position, _) = self.position_of(invocation);
        self.with_state(invocation, position, frame, |context| match expression::evaluate(context, text)? {
            expression::Evaluated::Shown(shown) => write_of(context, &shown),
            _ => Err("only variables can be watched".to_owned()),
        })
    }

    /// Gives a variable another value where it stands, and runs the invocation again with it.
    ///
    /// # Errors
    /// When the variable cannot be changed, or the text is no value of its type.
    pub fn set_value(&mut self, frame: Option<usize>, name: &str, text: &str) -> Result<Stop, String> {
        let (focus, position) = self.place();
        let timeline = self.timeline();
        if timeline.invocations[focus].program.is_kernel() {
            return Err("registers of CUDA kernels cannot be changed".to_owned());
        }
        let step = timeline.step(focus, position).ok_or("the invocation has ended")?;
        let calls = timeline.calls(focus, position).to_vec();
        let is_same = |&earlier: &u32| {
            timeline.step(focus, earlier).is_some_and(|other| other.inst == step.inst)
                && timeline.calls(focus, earlier) == calls
        };
        let occurrence = (0..position).filter(is_same).count() as u32;
        let ids = timeline.invocations[focus].ids.clone();
        let digest = timeline.invocations[focus].program.digest;
        let event = timeline.invocations[focus].event;
        let (pointer, bits) = self.with_state(focus, position, frame, |context| {
            let expression::Evaluated::Shown(shown) = expression::evaluate(context, name)? else {
                return Err(format!("\"{name}\" is not a variable"));
            };
            let bits = expression::scalars_of_text(context, shown.ty, text)?;
            let innermost = context.state.frames.len() - 1;
            match shown.place {
                Where::Pointer(Pointer::Variable { frame, id, first })
                    if frame.is_none_or(|one| one == innermost) =>
                {
                    Ok(((id, first), bits))
                }
                Where::Pointer(Pointer::Variable { .. }) => {
                    Err("only variables of the innermost function can be changed".to_owned())
                }
                Where::Pointer(Pointer::Memory(_)) => Err("buffers cannot be changed".to_owned()),
                Where::Image(_) => Err("images cannot be changed".to_owned()),
                Where::Scalars(_) => {
                    Err(format!("\"{name}\" is a value, not a variable: it cannot be changed"))
                }
            }
        })?;
        let (id, first) = pointer;
        self.changes.push((
            digest,
            Change {
                calls,
                inst: step.inst,
                occurrence,
                variable: id.as_u32(),
                first: first as u32,
                bits,
                ids,
                event,
            },
        ));
        let result = self.record_again(focus, position);
        if result.is_err() {
            self.changes.pop();
        }
        result
    }
}

fn write_of(context: &Context<'_>, shown: &Shown) -> Result<Write, String> {
    let Where::Pointer(pointer) = &shown.place else {
        return Err(format!("\"{}\" is a value, not a variable: nothing writes to it", shown.name));
    };
    let count = context.program.width(pointer, shown.ty).ok_or("the size of the variable is not known")?;
    Ok(Write { pointer: pointer.clone(), count })
}

/// The changes that are made in an invocation, at their positions.
pub(super) fn changes_of(
    timeline: &Timeline,
    invocation: usize,
    changes: &[(u64, Change)],
) -> Vec<VariableChange> {
    let data = &timeline.invocations[invocation];
    let is_own = |(digest, change): &&(u64, Change)| {
        *digest == data.program.digest && change.ids == data.ids && change.event == data.event
    };
    let own = changes.iter().filter(is_own);
    let place = |(_, change): &(u64, Change)| {
        let is_there = |&position: &u32| {
            timeline.step(invocation, position).is_some_and(|step| step.inst == change.inst)
                && timeline.calls(invocation, position) == change.calls
        };
        let position = (0..timeline.length(invocation)).filter(is_there).nth(change.occurrence as usize)?;
        Some(VariableChange {
            position,
            variable: Id::from_u32(change.variable),
            first: change.first as usize,
            bits: change.bits.clone(),
        })
    };
    own.filter_map(place).collect()
}
