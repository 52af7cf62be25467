//! From `vk.xml` to the rules on handles of other devices or instances.
//!
//! The specification's implicit rules follow from the registry: a handle whose type's `parent` is another
//! parameter's type has the rule `-parent`; several handles that have no parent among the parameters have
//! `-commonparent` together; one alone has only the rule that it is valid, `-parameter`. A command has its
//! own rules and those of the structures that its parameters lead to.

use crate::extract::{attribute, children, text_of, within};
use roxmltree::Node;
use std::collections::{BTreeMap, BTreeSet};

/// A handle's type.
struct Handle {
    /// The type that it belongs to; empty for an instance.
    parent: String,
    /// Its `VkObjectType`, without `VK_OBJECT_TYPE_`.
    object_type: String,
}

/// A parameter of a command or a member of a structure.
struct Item {
    name: String,
    ty: String,
    is_output: bool,
}

/// A rule's name and the object types that it is about.
type Rule = (String, BTreeSet<String>);

struct Types<'a> {
    handles: BTreeMap<&'a str, Handle>,
    structs: BTreeMap<&'a str, Vec<Item>>,
    aliases: BTreeMap<&'a str, &'a str>,
    /// The structures that may be in the chain of one.
    extensions: BTreeMap<&'a str, Vec<&'a str>>,
}

fn items<'a>(node: Node<'a, 'a>, tag: &'static str) -> Vec<Item> {
    let item = |item: Node<'a, 'a>| {
        let text: String = item.descendants().filter(Node::is_text).filter_map(|text| text.text()).collect();
        Item {
            name: text_of(item, "name").to_owned(),
            ty: text_of(item, "type").to_owned(),
            is_output: text.contains('*') && !text.contains("const"),
        }
    };
    children(node, tag).map(item).collect()
}

impl<'a> Types<'a> {
    fn read(root: Node<'a, 'a>) -> Types<'a> {
        let (mut handles, mut structs) = (BTreeMap::new(), BTreeMap::new());
        let (mut aliases, mut extensions) = (BTreeMap::new(), BTreeMap::<&str, Vec<&str>>::new());
        for node in within(root, "types", "type") {
            let (name, alias) = (attribute(node, "name"), attribute(node, "alias"));
            match attribute(node, "category") {
                _ if !alias.is_empty() => {
                    aliases.insert(name, alias);
                }
                "handle" => {
                    let object_type = attribute(node, "objtypeenum").trim_start_matches("VK_OBJECT_TYPE_");
                    let parent = attribute(node, "parent").to_owned();
                    let handle = Handle { parent, object_type: object_type.to_owned() };
                    handles.insert(text_of(node, "name"), handle);
                }
                "struct" | "union" => {
                    structs.insert(name, items(node, "member"));
                    for of in attribute(node, "structextends").split(',').filter(|of| !of.is_empty()) {
                        extensions.entry(of).or_default().push(name);
                    }
                }
                _ => {}
            }
        }
        Types { handles, structs, aliases, extensions }
    }

    /// The rules of a command's parameters or of a structure's members.
    fn rules(&self, owner: &str, items: &[Item]) -> Vec<Rule> {
        let handles: Vec<_> = items
            .iter()
            .filter(|item| !item.is_output)
            .filter_map(|item| self.handles.get(item.ty.as_str()).map(|handle| (item, handle)))
            .collect();
        let is_parent = |item: &Item| handles.iter().any(|(_, handle)| handle.parent == item.ty);
        let has_parent = |handle: &Handle| handles.iter().any(|(item, _)| handle.parent == item.ty);
        let mut rules = Vec::new();
        let mut common = Vec::new();
        for (item, handle) in &handles {
            if has_parent(handle) {
                let types = BTreeSet::from([handle.object_type.clone()]);
                rules.push((format!("VUID-{owner}-{}-parent", item.name), types));
            } else if !is_parent(item) && !handle.parent.is_empty() {
                common.push((item, handle));
            }
        }
        let types = common.iter().map(|(_, handle)| handle.object_type.clone()).collect();
        match common[..] {
            [] => {}
            [(item, _)] => rules.push((format!("VUID-{owner}-{}-parameter", item.name), types)),
            _ => rules.push((format!("VUID-{owner}-commonparent"), types)),
        }
        rules
    }

    /// Adds the structures that one leads to, and itself.
    fn reach(&'a self, ty: &'a str, reached: &mut BTreeSet<&'a str>) {
        let ty = self.aliases.get(ty).copied().unwrap_or(ty);
        let Some(members) = self.structs.get(ty) else { return };
        if reached.insert(ty) {
            members.iter().for_each(|member| self.reach(&member.ty, reached));
            let chained = self.extensions.get(ty).map_or(&[][..], Vec::as_slice);
            chained.iter().for_each(|one| self.reach(one, reached));
        }
    }
}

/// Lines of the rules of each command: its name, the rule, the object types, and who brings the structure
/// whose rule it is.
pub(crate) fn parents(root: Node, providers: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let types = Types::read(root);
    // A structure is also brought by who brings it under another name.
    let brought_by = |name: &str| {
        let others = types.aliases.iter().filter(|(_, real)| **real == name).map(|(other, _)| *other);
        let names = others.chain([name]).filter_map(|name| providers.get(name));
        let by: BTreeSet<&str> = names.flatten().map(String::as_str).collect();
        by.into_iter().collect::<Vec<_>>().join(" ")
    };
    let mut lines = Vec::new();
    for node in within(root, "commands", "command") {
        let Some(proto) = children(node, "proto").next() else { continue };
        let (command, parameters) = (text_of(proto, "name"), items(node, "param"));
        if !providers.contains_key(command) {
            continue;
        }
        let mut add = |rules: Vec<Rule>, by: &str| {
            for (rule, of) in rules {
                let of: Vec<&str> = of.iter().map(String::as_str).collect();
                lines.push(format!("parent\t{command}\t{rule}\t{}\t{by}", of.join(" ")));
            }
        };
        add(types.rules(command, &parameters), "-");
        let mut reached = BTreeSet::new();
        for parameter in parameters.iter().filter(|parameter| !parameter.is_output) {
            types.reach(&parameter.ty, &mut reached);
        }
        for name in reached {
            add(types.rules(name, &types.structs[name]), &brought_by(name));
        }
    }
    lines.sort();
    lines
}
