//! Typed indices into a [`Module`](crate::Module).

pyro_util::entity! {
    /// A SPIR-V id, as in the words. Zero is never a valid id.
    Id, "%"
}

pyro_util::entity! {
    /// An instruction, numbered in the order of the words.
    Inst, "inst"
}

pyro_util::entity! {
    /// A function, in the order of the words.
    FunctionIndex, "function"
}

pyro_util::entity! {
    /// A block, numbered through all functions of the module.
    BlockIndex, "block"
}

/// A list of ids that lies in the module's words.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Ids<'m>(pub(crate) &'m [u32]);

impl<'m> Ids<'m> {
    /// How many ids the list has.
    pub fn len(self) -> usize {
        self.0.len()
    }

    /// Whether the list is empty.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// The id at a position.
    pub fn get(self, index: usize) -> Option<Id> {
        self.0.get(index).map(|&word| Id::from_u32(word))
    }

    /// The id at a position.
    ///
    /// # Panics
    /// When out of range.
    #[track_caller]
    pub fn at(self, index: usize) -> Id {
        Id::from_u32(self.0[index])
    }

    /// The ids in the order of the instruction.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Id> + ExactSizeIterator + Clone + 'm {
        self.0.iter().map(|&word| Id::from_u32(word))
    }

    /// Whether the id is among them.
    pub fn contains(self, id: Id) -> bool {
        self.0.contains(&id.as_u32())
    }

    /// The ids as raw words, in the same order.
    pub fn words(self) -> &'m [u32] {
        self.0
    }
}

impl std::fmt::Debug for Ids<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
