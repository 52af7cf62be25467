//! Decorations by target, with groups resolved.

use crate::id::{Id, Inst};
use crate::module::Module;
use crate::spirv::BuiltIn;
use crate::string::{literal_string, literal_string_len};
use spirv::Op;
use std::borrow::Cow;

/// A decoration of one target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DecorationRecord {
    pub(crate) target: Id,
    /// Member plus one; zero for the id itself.
    pub(crate) member: u32,
    /// The instruction that says it; for a group's, the one that decorates the group.
    pub(crate) inst: Inst,
}

/// A decoration of an id or of a member of a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decoration<'m> {
    /// Which decoration it is.
    pub kind: spirv::Decoration,
    /// The member of the structure; none when the id itself is decorated.
    pub member: Option<u32>,
    /// The words of its parameters.
    pub operands: &'m [u32],
    /// The instruction that says it; for a group's, the one that decorates the group.
    pub inst: Inst,
}

impl<'m> Decoration<'m> {
    /// The first parameter's word; zero when it has none.
    pub fn literal(&self) -> u32 {
        self.operands.first().copied().unwrap_or(0)
    }

    /// The first parameter as an id (`OpDecorateId`).
    pub fn id(&self) -> Option<Id> {
        self.operands.first().map(|&word| Id::from_u32(word))
    }

    /// The first parameter as a string (`OpDecorateString`).
    pub fn string(&self) -> Cow<'m, str> {
        literal_string(self.operands)
    }

    /// The parameters after the first string.
    pub fn after_string(&self) -> &'m [u32] {
        let len = literal_string_len(self.operands).unwrap_or(self.operands.len());
        &self.operands[len..]
    }
}

impl Module {
    fn decoration_of(&self, record: &DecorationRecord) -> Decoration<'_> {
        let inst = self.inst(record.inst);
        let skip = match inst.op() {
            Op::MemberDecorate | Op::MemberDecorateString | Op::MemberDecorateIdEXT => 2,
            _ => 1,
        };
        Decoration {
            kind: spirv::Decoration::from_u32(inst.word(skip)).expect("decoding has checked it"),
            member: record.member.checked_sub(1),
            operands: &inst.operand_words()[skip + 1..],
            inst: record.inst,
        }
    }

    /// Every decoration of an id: its own first, then its members' in the order of members.
    pub fn all_decorations(&self, id: Id) -> impl Iterator<Item = Decoration<'_>> + Clone {
        let start = self.decoration_starts.get(id.as_u32() as usize).copied().unwrap_or(0);
        let rest = match start.checked_sub(1) {
            Some(start) => &self.decorations[start as usize..],
            None => &[],
        };
        rest.iter().take_while(move |record| record.target == id).map(|record| self.decoration_of(record))
    }

    /// The decorations of an id itself.
    pub fn decorations(&self, id: Id) -> impl Iterator<Item = Decoration<'_>> + Clone {
        self.all_decorations(id).take_while(|decoration| decoration.member.is_none())
    }

    /// The decorations of a member of a structure.
    pub fn member_decorations(&self, ty: Id, member: u32) -> impl Iterator<Item = Decoration<'_>> + Clone {
        let start = self.decoration_starts.get(ty.as_u32() as usize).copied().unwrap_or(0);
        let rest = match (start.checked_sub(1), member.checked_add(1)) {
            (Some(start), Some(key)) => {
                let rest = &self.decorations[start as usize..];
                &rest[rest.partition_point(|record| (record.target, record.member) < (ty, key))..]
            }
            _ => &[],
        };
        rest.iter()
            .take_while(move |record| record.target == ty && record.member.checked_sub(1) == Some(member))
            .map(|record| self.decoration_of(record))
    }

    /// The first decoration of a kind of an id itself.
    pub fn decoration(&self, id: Id, kind: spirv::Decoration) -> Option<Decoration<'_>> {
        self.decorations(id).find(|decoration| decoration.kind == kind)
    }

    /// The first decoration of a kind of a member.
    pub fn member_decoration(&self, ty: Id, member: u32, kind: spirv::Decoration) -> Option<Decoration<'_>> {
        self.member_decorations(ty, member).find(|decoration| decoration.kind == kind)
    }

    /// Whether an id itself has a decoration.
    pub fn has_decoration(&self, id: Id, kind: spirv::Decoration) -> bool {
        self.decoration(id, kind).is_some()
    }

    /// The first literal of a decoration of an id itself.
    pub fn decoration_literal(&self, id: Id, kind: spirv::Decoration) -> Option<u32> {
        self.decoration(id, kind).map(|decoration| decoration.literal())
    }

    /// The first literal of a decoration of a member.
    pub fn member_decoration_literal(&self, ty: Id, member: u32, kind: spirv::Decoration) -> Option<u32> {
        self.member_decoration(ty, member, kind).map(|decoration| decoration.literal())
    }

    /// The built-in that an id is decorated with.
    pub fn built_in(&self, id: Id) -> Option<BuiltIn> {
        BuiltIn::from_u32(self.decoration_literal(id, spirv::Decoration::BuiltIn)?)
    }

    /// The built-in that a member is decorated with.
    pub fn member_built_in(&self, ty: Id, member: u32) -> Option<BuiltIn> {
        BuiltIn::from_u32(self.member_decoration_literal(ty, member, spirv::Decoration::BuiltIn)?)
    }
}
