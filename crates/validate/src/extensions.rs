//! Which version or extension capabilities, storage classes, opcodes and enumerants need (SPIR-V, 3.7, 3.31
//! and the tables of each enumeration); checked with [`Environment::strict`](crate::Environment::strict), as
//! no compiler needs it. The table is `extensions.tsv` beside this file.

use crate::context::Context;
use pyro_spirv::Inst;
use pyro_spirv::grammar::{self, Operand, OperandKind};
use pyro_spirv::spirv::{Capability, Op, StorageClass};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

const RULE: &str = "Extensions";

/// The version that has it, and the extensions that bring it before.
struct Needed {
    name: &'static str,
    version: Option<(u8, u8)>,
    extensions: Cow<'static, [&'static str]>,
}

struct Table {
    /// By value.
    capabilities: HashMap<u32, Needed>,
    classes: HashMap<StorageClass, Needed>,
    ops: HashMap<Op, Needed>,
    /// Of masks: by the bit.
    enumerants: HashMap<(OperandKind, u32), Needed>,
    /// By opcode: whether it is in `ops`, or takes operands of the kinds of `enumerants`.
    is_of_interest: Vec<bool>,
}

/// The kinds of enumerants that have rows, by their names there.
const KINDS: [(&str, OperandKind); 6] = [
    ("ImageOperands", OperandKind::ImageOperands),
    ("LoopControl", OperandKind::LoopControl),
    ("ExecutionMode", OperandKind::ExecutionMode),
    ("Decoration", OperandKind::Decoration),
    ("BuiltIn", OperandKind::BuiltIn),
    ("PackedVectorFormat", OperandKind::PackedVectorFormat),
];

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = Table {
            capabilities: HashMap::new(),
            classes: HashMap::new(),
            ops: HashMap::new(),
            enumerants: HashMap::new(),
            is_of_interest: Vec::new(),
        };
        for line in include_str!("extensions.tsv").lines().filter(|line| !line.starts_with('#')) {
            let fields: Vec<&'static str> = line.split('\t').collect();
            let [kind, name, version, extensions] = fields[..] else { continue };
            let version = version
                .split_once('.')
                .and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
            let extensions =
                extensions.split_whitespace().filter(|name| *name != "-").collect::<Vec<_>>().into();
            let needed = Needed { name, version, extensions };
            // Names that the grammar in use does not have, no module can use.
            match kind {
                "Capability" => {
                    let key = grammar::enumerant_value(OperandKind::Capability, name);
                    key.map(|key| table.capabilities.insert(key, needed))
                }
                "StorageClass" => name.parse().ok().map(|key| table.classes.insert(key, needed)),
                "Op" => grammar::op_from_name(name).map(|key| table.ops.insert(key, needed)),
                _ => {
                    let kind = KINDS.iter().find(|(known, _)| *known == kind).map(|(_, kind)| *kind);
                    let key = kind.and_then(|kind| Some((kind, grammar::enumerant_value(kind, name)?)));
                    key.map(|key| table.enumerants.insert(key, needed))
                }
            };
        }
        table.is_of_interest = (0..=u16::MAX)
            .map(|opcode| {
                grammar::table().lookup(opcode).is_some_and(|info| {
                    let kinds = || info.operands.iter().map(|operand| operand.kind);
                    table.ops.contains_key(&info.op)
                        || kinds().any(|kind| KINDS.iter().any(|(_, known)| *known == kind))
                })
            })
            .collect();
        table
    })
}

/// Each declared capability, the storage class of each pointer type, each opcode and enumerant is there by
/// version or extension.
pub(crate) fn check(cx: &Context<'_, '_>) {
    let table = table();
    for inst in cx.module.insts() {
        let needed = match inst.op() {
            Op::Capability => table.capabilities.get(&inst.word(0)),
            Op::TypePointer | Op::TypeUntypedPointerKHR => {
                StorageClass::from_u32(inst.word(0)).and_then(|key| table.classes.get(&key))
            }
            Op::ExtInstImport if inst.string(0).starts_with("NonSemantic.") => Some(&NON_SEMANTIC),
            op if table.is_of_interest[op as usize] => {
                for operand in inst.operands() {
                    enumerants(cx, table, inst.index(), operand);
                }
                table.ops.get(&op)
            }
            _ => None,
        };
        if let Some(needed) = needed {
            must_have(cx, inst.index(), needed);
        }
    }
}

static NON_SEMANTIC: Needed = Needed {
    name: "a set of non-semantic instructions",
    version: Some((1, 6)),
    extensions: Cow::Borrowed(&["SPV_KHR_non_semantic_info"]),
};

fn enumerants(cx: &Context<'_, '_>, table: &Table, inst: Inst, operand: Operand<'_>) {
    let (kind, value) = (operand.kind, operand.words[0]);
    if !KINDS.iter().any(|(_, known)| *known == kind) {
        return;
    }
    if grammar::is_mask(kind) {
        let bits = (0..32).map(|bit| 1 << bit).filter(|bit| value & bit != 0);
        bits.filter_map(|bit| table.enumerants.get(&(kind, bit)))
            .for_each(|found| must_have(cx, inst, found));
    } else if let Some(found) = table.enumerants.get(&(kind, value)) {
        must_have(cx, inst, found);
    }
}

fn must_have(cx: &Context<'_, '_>, inst: Inst, needed: &Needed) {
    let Needed { name, version, extensions } = needed;
    let by_version = version.is_some_and(|version| cx.module.header().version() >= version);
    if by_version || extensions.iter().any(|extension| cx.module.has_extension(extension)) {
        return;
    }
    let mut ways: Vec<String> = extensions.iter().map(|name| format!("OpExtension \"{name}\"")).collect();
    ways.extend(version.map(|(major, minor)| format!("SPIR-V {major}.{minor}")));
    cx.report(RULE, inst, format!("{name} needs {}", ways.join(" or ")));
}

/// The extensions that bring a capability, any of which a module of a version without it declares; none for
/// capabilities that every version has.
pub fn extensions_of(capability: Capability) -> &'static [&'static str] {
    extensions_of_value(capability as u32)
}

/// The same for a capability by value, which [`Capability`] may lack.
pub fn extensions_of_value(capability: u32) -> &'static [&'static str] {
    table().capabilities.get(&capability).map_or(&[], |needed| &needed.extensions)
}
