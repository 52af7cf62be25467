//! Calls in whose place the compiler has put the body of the function (`DebugInlinedAt`): frames that are in
//! the source only.

use crate::program::Place;
use pyro_spirv::{Id, Inst, Module};
use std::collections::{BTreeMap, HashMap};

/// A list of inlined calls in one another, by its number in [`Inlining`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Chain(u32);

/// An inlined call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InlinedCall {
    /// The function that calls.
    pub caller: String,
    /// The function that is called; empty where no instruction is its own.
    pub callee: String,
    /// Where the call is.
    pub place: Option<Place>,
    /// The first instruction of the body.
    pub first: u32,
}

/// The inlined calls of a module.
#[derive(Default)]
pub struct Inlining {
    /// The `DebugInlinedAt` of each list, from the inside out; the first list is empty.
    chains: Vec<Vec<Id>>,
    /// By instruction; none where no scope is said.
    of: Vec<Option<Chain>>,
    calls: BTreeMap<Id, InlinedCall>,
}

impl Inlining {
    /// Of a module; `place_of` finds a line of a source.
    pub(crate) fn new(module: &Module, place_of: impl Fn(Id, u32) -> Option<Place>) -> Inlining {
        let mut inlining = Inlining { chains: vec![Vec::new()], ..Inlining::default() };
        let mut known: HashMap<Vec<Id>, Chain> = HashMap::from([(Vec::new(), Chain::default())]);
        let mut of = vec![None; module.inst_count()];
        for function in module.functions() {
            let data = module.function(function);
            for index in data.inst.as_u32()..data.end.as_u32() {
                let Some(calls) = module.inlined_at(Inst::from_u32(index)) else { continue };
                if let Some(&innermost) = calls.first() {
                    let callee = || module.debug_function_name(Inst::from_u32(index)).unwrap_or_default();
                    inlining.learn(module, &calls, index, &place_of);
                    let call = inlining.calls.get_mut(&innermost).filter(|call| call.callee.is_empty());
                    if let Some(call) = call {
                        call.callee = callee();
                    }
                }
                let next = Chain(inlining.chains.len() as u32);
                let chain = *known.entry(calls).or_insert_with_key(|calls| {
                    inlining.chains.push(calls.clone());
                    next
                });
                of[index as usize] = Some(chain);
            }
        }
        if inlining.chains.len() > 1 {
            inlining.of = of;
        }
        inlining
    }

    fn learn(
        &mut self,
        module: &Module,
        calls: &[Id],
        first: u32,
        place_of: &impl Fn(Id, u32) -> Option<Place>,
    ) {
        let mut callee = String::new();
        for call in calls {
            let known = self.calls.entry(*call).or_insert_with(|| {
                let said = module.inlined_call(*call);
                let place = said.as_ref().and_then(|said| place_of(said.source?, said.line));
                let caller = said.map(|said| said.caller).unwrap_or_default();
                InlinedCall { caller, callee: String::new(), place, first }
            });
            if known.callee.is_empty() {
                known.callee.clone_from(&callee);
            }
            callee.clone_from(&known.caller);
        }
    }

    /// Whether there are any.
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// Those that an instruction stands in; none where no scope is said.
    pub fn of(&self, inst: u32) -> Option<Chain> {
        self.of.get(inst as usize).copied().flatten()
    }

    /// The `DebugInlinedAt` of a list, from the inside out.
    pub fn calls_of(&self, chain: Chain) -> &[Id] {
        &self.chains[chain.0 as usize]
    }

    /// An inlined call.
    pub fn call(&self, call: Id) -> Option<&InlinedCall> {
        self.calls.get(&call)
    }

    /// All of them.
    pub fn calls(&self) -> impl Iterator<Item = &InlinedCall> + Clone {
        self.calls.values()
    }

    /// How many of the calls of a list one enters who comes from another.
    pub fn entered(&self, from: Chain, to: Chain) -> usize {
        let (from, to) = (self.calls_of(from), self.calls_of(to));
        let common = from.iter().rev().zip(to.iter().rev()).take_while(|(one, other)| one == other);
        to.len() - common.count()
    }
}
