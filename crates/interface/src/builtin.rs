//! The table of built-ins, and the rules of Vulkan that follow from it.
//!
//! The table is `builtins.tsv` beside this file: where each built-in may be declared, its type, and the
//! numbers of Vulkan's rules on both. [`check`] holds an interface against it.

use crate::stage::{BuiltInVariable, Interface};
use pyro_spirv::spirv::{BuiltIn, ExecutionModel, StorageClass};
use pyro_spirv::{ConstantValues, Id, Type};
use std::sync::OnceLock;

/// Where a built-in may be declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// The stages; none for every stage.
    pub models: Option<Vec<ExecutionModel>>,
    /// The storage classes; empty for what decorates a constant.
    pub classes: Vec<StorageClass>,
}

/// A built-in.
#[derive(Clone, Debug)]
pub struct Info {
    /// The built-in.
    pub built_in: BuiltIn,
    /// Its name.
    pub name: &'static str,
    /// Where it may be declared.
    pub uses: Vec<Use>,
    /// Its type as in the table, such as `float4` or `int[]`; none when it is not checked.
    pub ty: Option<&'static str>,
    stage_rule: &'static str,
    direction_rules: &'static str,
    type_rule: &'static str,
}

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule: a VUID.
    pub rule: String,
    /// The variable.
    pub variable: Id,
    /// What is wrong, in plain words.
    pub message: String,
}

/// Every built-in that Vulkan describes, by number.
pub fn table() -> &'static [Info] {
    static TABLE: OnceLock<Vec<Info>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let text = include_str!("builtins.tsv");
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let mut table: Vec<_> = lines.map(|line| parse(line).expect("the table is well formed")).collect();
        table.sort_by_key(|info| (info.built_in as u32, info.name));
        // Aliases have rules of their own that say the same.
        table.dedup_by_key(|info| info.built_in);
        table
    })
}

/// Every VUID that [`check`] may report, sorted.
pub fn covered_vuids() -> Vec<String> {
    let mut covered: Vec<_> =
        ["09658", "09659"].map(|number| format!("VUID-StandaloneSpirv-OpEntryPoint-{number}")).into();
    for info in table() {
        let directions = (0..info.uses.len()).map(|place| info.direction_rule(place));
        let rules = directions.chain([info.rule(info.stage_rule), info.rule(info.type_rule)]);
        covered.extend(rules.filter(|rule| rule.starts_with("VUID")));
    }
    covered.sort_unstable();
    covered.dedup();
    covered
}

/// The row of a built-in in the table, if Vulkan describes it.
pub fn info(built_in: BuiltIn) -> Option<&'static Info> {
    let table = table();
    table
        .binary_search_by_key(&(built_in as u32), |info| info.built_in as u32)
        .ok()
        .map(|place| &table[place])
}

fn parse(line: &'static str) -> Option<Info> {
    let fields: Vec<&'static str> = line.split('\t').collect();
    let [name, uses, ty, stage_rule, direction_rules, type_rule] = fields[..] else { return None };
    let uses = uses.split(';').map(|part| {
        let (models, classes) = part.split_once('=')?;
        let models = match models {
            "any" => None,
            list => Some(list.split('|').map(|model| model.parse().ok()).collect::<Option<_>>()?),
        };
        let classes = match classes {
            "Constant" => Vec::new(),
            list => list.split('|').map(|class| class.parse().ok()).collect::<Option<_>>()?,
        };
        Some(Use { models, classes })
    });
    Some(Info {
        built_in: name.parse().ok()?,
        name,
        uses: uses.collect::<Option<_>>()?,
        ty: Some(ty).filter(|ty| *ty != "-"),
        stage_rule,
        direction_rules,
        type_rule,
    })
}

impl Info {
    /// The use for a stage, if it has one.
    pub fn use_in(&self, model: ExecutionModel) -> Option<&Use> {
        self.uses.get(self.place_in(model)?)
    }

    fn place_in(&self, model: ExecutionModel) -> Option<usize> {
        self.uses.iter().position(|found| found.models.as_ref().is_none_or(|models| models.contains(&model)))
    }

    /// The rule on storage classes of a use: there is one for each, in order, or one for all.
    fn direction_rule(&self, place: usize) -> String {
        let mut numbers = self.direction_rules.split(',');
        let count = numbers.clone().count();
        let own = if count == self.uses.len() { numbers.nth(place) } else { numbers.next() };
        self.rule(own.unwrap_or("-"))
    }

    fn rule(&self, numbers: &str) -> String {
        match numbers.split(',').next() {
            Some(number) if number != "-" => format!("VUID-{0}-{0}-{number}", self.name),
            _ => format!("Built-in {}", self.name),
        }
    }
}

/// Holds the built-ins of an interface against the table: stage, storage class, type. Also: none has a
/// location, and no two of a direction are the same.
pub fn check(constants: &ConstantValues<'_>, interface: &Interface) -> Vec<Finding> {
    let mut findings = Vec::new();
    for found in &interface.built_ins {
        if let Some(info) = info(found.built_in) {
            check_one(constants, interface, found, info, &mut findings);
        }
    }
    for pair in interface.built_ins.windows(2) {
        if (pair[0].built_in, pair[0].class) == (pair[1].built_in, pair[1].class) {
            findings.push(Finding {
                rule: match pair[1].class {
                    StorageClass::Output => "VUID-StandaloneSpirv-OpEntryPoint-09659",
                    _ => "VUID-StandaloneSpirv-OpEntryPoint-09658",
                }
                .to_owned(),
                variable: pair[1].variable,
                message: format!("the built-in {:?} is declared twice", pair[1].built_in),
            });
        }
    }
    findings
}

fn check_one(
    constants: &ConstantValues<'_>,
    interface: &Interface,
    found: &BuiltInVariable,
    info: &Info,
    findings: &mut Vec<Finding>,
) {
    let mut report = |rule: String, message: String| {
        findings.push(Finding { rule, variable: found.variable, message });
    };
    let Some(place) = info.use_in(interface.model) else {
        let message = format!("{} cannot be used in {:?} shaders", info.name, interface.model);
        report(info.rule(info.stage_rule), message);
        return;
    };
    if !place.classes.contains(&found.class) {
        let message =
            format!("{} is {:?}, but must be {:?} in this stage", info.name, found.class, place.classes);
        report(info.direction_rule(info.place_in(interface.model).unwrap_or(0)), message);
    }
    let is_of = |name: &str| {
        // Mesh shaders write one value for each view on top.
        let per_view = match constants.module().ty(found.ty) {
            Type::Array { element, .. } if info.name.ends_with("PerViewNV") => Some(element),
            _ => None,
        };
        is_type(constants, found.ty, name) || per_view.is_some_and(|ty| is_type(constants, ty, name))
    };
    if info.ty.is_some_and(|ty| !is_of(ty)) {
        let message = format!("{} must be of type {}", info.name, info.ty.unwrap_or_default());
        report(info.rule(info.type_rule), message);
    }
}

/// Whether a type is one that the table names. Integers may be signed or not.
fn is_type(constants: &ConstantValues<'_>, ty: Id, name: &str) -> bool {
    let module = constants.module();
    if let Some((element, len)) = name.strip_suffix(']').and_then(|name| name.rsplit_once('[')) {
        let Type::Array { element: found, .. } = module.ty(ty) else {
            return matches!(module.ty(ty), Type::RuntimeArray { element: found }
                if len.is_empty() && is_type(constants, found, element));
        };
        let fits = len.is_empty() || len.parse().ok() == constants.array_len(ty);
        return fits && is_type(constants, found, element);
    }
    let is_scalar = |id: Id, name: &str| match name {
        "int" => matches!(module.ty(id), Type::Int { width: 32, .. }),
        "float" => module.ty(id) == Type::Float { width: 32, encoding: None },
        "bool" => module.ty(id) == Type::Bool,
        _ => false,
    };
    let (scalar, sizes) = match name.find(|c: char| c.is_ascii_digit()) {
        Some(at) => name.split_at(at),
        None => return is_scalar(ty, name),
    };
    // "float3x4" is four columns of three.
    let (rows, columns) = sizes.split_once('x').unwrap_or((sizes, ""));
    let column = match (module.ty(ty), columns.parse::<u32>()) {
        (Type::Matrix { column, count }, Ok(columns)) if count == columns => column,
        (_, Err(_)) => ty,
        _ => return false,
    };
    match module.ty(column) {
        Type::Vector { component, count } => Ok(count) == rows.parse() && is_scalar(component, scalar),
        _ => false,
    }
}
