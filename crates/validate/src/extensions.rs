//! Which version or extension capabilities and storage classes need (SPIR-V, 3.31 and 3.7); checked with
//! [`Environment::strict`](crate::Environment::strict), as no compiler needs it. The table is `extensions.tsv` beside
//! this file.

use crate::context::Context;
use pyro_spirv::spirv::{Capability, Op, StorageClass};
use std::collections::HashMap;
use std::sync::OnceLock;

const RULE: &str = "Extensions";

/// The version that has it, and the extensions that bring it before.
struct Needed {
    name: &'static str,
    version: Option<(u8, u8)>,
    extensions: Vec<&'static str>,
}

struct Table {
    capabilities: HashMap<Capability, Needed>,
    classes: HashMap<StorageClass, Needed>,
}

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = Table { capabilities: HashMap::new(), classes: HashMap::new() };
        for line in include_str!("extensions.tsv").lines().filter(|line| !line.starts_with('#')) {
            let fields: Vec<&'static str> = line.split('\t').collect();
            let [kind, name, version, extensions] = fields[..] else { continue };
            let version = version
                .split_once('.')
                .and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
            let extensions = extensions.split_whitespace().filter(|name| *name != "-").collect();
            let needed = Needed { name, version, extensions };
            // Names that the grammar in use does not have, no module can use.
            match kind {
                "Capability" => name.parse().ok().map(|key| table.capabilities.insert(key, needed)),
                _ => name.parse().ok().map(|key| table.classes.insert(key, needed)),
            };
        }
        table
    })
}

/// Each declared capability, and each storage class of a pointer type, is there by version or extension.
pub(crate) fn check(cx: &Context<'_, '_>) {
    let table = table();
    for inst in cx.module.global_insts() {
        let needed = match inst.op() {
            Op::Capability => Capability::from_u32(inst.word(0)).and_then(|key| table.capabilities.get(&key)),
            Op::TypePointer | Op::TypeUntypedPointerKHR => {
                StorageClass::from_u32(inst.word(0)).and_then(|key| table.classes.get(&key))
            }
            _ => None,
        };
        let Some(Needed { name, version, extensions }) = needed else { continue };
        let by_version = version.is_some_and(|version| cx.module.header().version() >= version);
        if by_version || extensions.iter().any(|extension| cx.module.has_extension(extension)) {
            continue;
        }
        let mut ways: Vec<String> = extensions.iter().map(|name| format!("OpExtension \"{name}\"")).collect();
        ways.extend(version.map(|(major, minor)| format!("SPIR-V {major}.{minor}")));
        cx.report(RULE, inst.index(), format!("{name} needs {}", ways.join(" or ")));
    }
}

/// The extensions that bring a capability, any of which a module of a version without it declares; none for
/// capabilities that every version has.
pub fn extensions_of(capability: Capability) -> &'static [&'static str] {
    table().capabilities.get(&capability).map_or(&[], |needed| &needed.extensions)
}
