//! Values where the session stands, and changing them.

use super::{MemoryWrite, Session, Stop};
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

    /// Gives a variable another value where it stands, and runs the invocation again with it. Of a buffer or
    /// an image, contents are others before the submission begins.
    ///
    /// # Errors
    /// When the variable cannot be changed, or the text is no value of its type.
    pub fn set_value(&mut self, frame: Option<usize>, name: &str, text: &str) -> Result<Stop, String> {
        let (focus, position) = self.place();
        let timeline = self.timeline();
        if timeline.invocations[focus].program.is_kernel() {
            return Err("registers of CUDA kernels cannot be changed".to_owned());
        }
        let step = timeline.next_step(focus, position).ok_or("the invocation has ended")?;
        let calls = timeline.calls(focus, position).to_vec();
        let is_same = |&earlier: &u32| {
            timeline.step(focus, earlier).is_some_and(|other| other.inst == step.inst)
                && timeline.calls(focus, earlier) == calls
        };
        let occurrence = (0..position).filter(is_same).count() as u32;
        let ids = timeline.invocations[focus].ids.clone();
        let digest = timeline.invocations[focus].program.digest;
        let event = timeline.invocations[focus].event;
        let target = self.with_state(focus, position, frame, |context| target_of(context, name, text))?;
        let (id, first, bits) = match target {
            Target::Variable(id, first, bits) => (id, first, bits),
            Target::Memory(places) => {
                let known = self.writes.len();
                self.writes.extend(places.into_iter().map(|(address, bytes)| MemoryWrite {
                    event,
                    address,
                    bytes,
                }));
                let result = self.record_again(focus, position);
                if result.is_err() {
                    self.writes.truncate(known);
                }
                return result;
            }
        };
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

/// What is changed, and what it becomes.
enum Target {
    /// A variable from a scalar on: the bits of the scalars.
    Variable(Id, usize, Vec<u64>),
    /// Addresses, and the bytes that are there then.
    Memory(Vec<(u64, Vec<u8>)>),
}

fn target_of(context: &Context<'_>, name: &str, text: &str) -> Result<Target, String> {
    let shown = |name: &str| match expression::evaluate(context, name)? {
        expression::Evaluated::Shown(shown) => Ok(shown),
        _ => Err(format!("\"{name}\" is not a variable")),
    };
    let found = shown(name)?;
    match &found.place {
        Where::Pointer(Pointer::Variable { frame, id, first }) => {
            let bits = expression::scalars_of_text(context, found.ty, text)?;
            if frame.is_none_or(|one| one == context.state.frames.len() - 1) {
                Ok(Target::Variable(*id, *first, bits))
            } else {
                Err("only variables of the innermost function can be changed".to_owned())
            }
        }
        Where::Pointer(Pointer::Memory(at)) => {
            let bits = expression::scalars_of_text(context, found.ty, text)?;
            let (mut places, mut bits) = (Vec::new(), bits.into_iter());
            context.program.memory_scalars(found.ty, *at, &mut |address, bytes, _| {
                if let Some(bits) = bits.next() {
                    let bytes = (bytes as usize).min(8);
                    places.push((address, bits.to_le_bytes()[..bytes].to_vec()));
                }
            });
            if at
                .end
                .is_some_and(|end| places.iter().any(|(address, bytes)| address + bytes.len() as u64 > end))
            {
                return Err(format!("\"{name}\" is behind the end of the buffer"));
            }
            Ok(Target::Memory(places))
        }
        Where::Image(_) => texel_of(context, &found, None, text),
        // A component of a texel.
        Where::Scalars(_) => {
            let parts = name.rsplit_once('.').and_then(|(texel, component)| {
                let place = ["x", "y", "z", "w"].iter().position(|one| *one == component);
                let place = place.or_else(|| ["r", "g", "b", "a"].iter().position(|one| *one == component));
                Some((shown(texel).ok()?, place?))
            });
            match parts {
                Some((texel, place)) if matches!(texel.place, Where::Image(_)) => {
                    texel_of(context, &texel, Some(place), text)
                }
                _ => Err(format!("\"{name}\" is a value, not a variable: it cannot be changed")),
            }
        }
    }
}

/// What a texel, or a component of one, becomes.
fn texel_of(
    context: &Context<'_>,
    shown: &Shown,
    component: Option<usize>,
    text: &str,
) -> Result<Target, String> {
    let Where::Image(part) = &shown.place else { return Err("it is not a texel".to_owned()) };
    let texels = context.texels(part).ok_or("the image is not known")?;
    let ty = context.texel_component(shown.ty).ok_or("the type of the texels is not known")?;
    let components = match component {
        None => expression::scalars_of_types(context, &[ty; 4], text)?,
        Some(place) => {
            let old = context.scalars(shown).ok_or("the texel is not known")?;
            let mut components: Vec<u64> = old.into_iter().map(Option::unwrap_or_default).collect();
            let new = expression::scalars_of_types(context, &[ty], text)?;
            if let (Some(old), Some(new)) = (components.get_mut(place), new.first()) {
                *old = *new;
            }
            components
        }
    };
    let components = components.try_into().map_err(|_| "a texel has four components")?;
    Ok(Target::Memory(vec![texels.bytes_of(&part.path, components)?]))
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
