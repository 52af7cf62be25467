//! What an entry point's interface looks like to a person: names of types, and tables.

use crate::check::Reflected;
use crate::stage;
use pyro_interface::{Access, Direction, Interpolation, Payload, Resource, ResourceKind, Variable};
use pyro_spirv::spirv::{ExecutionMode, StorageClass};
use pyro_spirv::{ConstantValues, Id, Type};
use serde_json::{Value, json};

/// A table of one kind of thing.
pub(crate) struct Table {
    pub(crate) title: &'static str,
    pub(crate) columns: Vec<&'static str>,
    pub(crate) rows: Vec<Vec<String>>,
}

/// The title over an entry point's tables.
pub(crate) fn title(shader: &Reflected<'_>) -> String {
    let interface = &shader.interface;
    format!("{} '{}' of {}", stage::short_name(interface.model), interface.name, shader.loaded.name)
}

/// A type as GLSL would write it, near enough.
pub(crate) fn type_name(constants: &ConstantValues<'_>, ty: Id) -> String {
    let name = constants.type_name(ty);
    match name.strip_prefix("struct ") {
        Some(own) if !own.starts_with('{') => own.to_owned(),
        _ => name,
    }
}

fn interpolation(found: Interpolation) -> String {
    let names = [
        (found.flat, "flat"),
        (found.no_perspective, "noperspective"),
        (found.centroid, "centroid"),
        (found.sample, "sample"),
        (found.per_vertex, "pervertex"),
    ];
    names.iter().filter(|(is_on, _)| *is_on).map(|(_, name)| *name).collect::<Vec<_>>().join(" ")
}

fn access(resource: &Resource) -> String {
    let is_storage = matches!(
        resource.kind,
        ResourceKind::StorageBuffer | ResourceKind::StorageImage | ResourceKind::StorageTexelBuffer
    );
    if !is_storage {
        return if resource.is_non_uniform { "read non-uniform" } else { "read" }.to_owned();
    }
    let Access { non_writable, non_readable, coherent, volatile, restrict } = resource.access;
    let mut words = vec![match (non_readable, non_writable) {
        (false, false) => "read write",
        (false, true) => "read",
        (true, false) => "write",
        (true, true) => "none",
    }];
    words.extend(coherent.then_some("coherent"));
    words.extend(volatile.then_some("volatile"));
    words.extend(restrict.then_some("restrict"));
    words.extend(resource.is_non_uniform.then_some("non-uniform"));
    words.join(" ")
}

fn descriptor(kind: ResourceKind) -> String {
    // As in the API: an underscore before each capital but the first.
    let name = format!("{kind:?}");
    let mut out = String::new();
    for (place, character) in name.chars().enumerate() {
        if character.is_uppercase() && place != 0 {
            out.push('_');
        }
        out.extend(character.to_uppercase());
    }
    out
}

fn class_name(class: StorageClass) -> String {
    format!("{class:?}").trim_end_matches("KHR").trim_end_matches("EXT").to_owned()
}

fn payload_name(constants: &ConstantValues<'_>, payload: &Payload) -> String {
    constants.module().name(payload.variable).map_or_else(String::new, |name| name.into_owned())
}

fn words(variable: &Variable) -> String {
    match (variable.leaves.first(), variable.leaves.last()) {
        (Some(first), Some(last)) if first.location != last.location => {
            format!("{}–{}", first.location, last.location)
        }
        (Some(first), _) if first.words() != (0..4) => {
            let words = first.words();
            format!("{}.{}", first.location, &"xyzw    "[words.start as usize..(words.end as usize).min(4)])
        }
        (Some(first), _) => first.location.to_string(),
        _ => "—".to_owned(),
    }
}

fn name_or_unnamed(name: &str) -> String {
    if name.is_empty() { "(unnamed)".to_owned() } else { name.to_owned() }
}

/// Location, name, type and qualifiers of an input or output.
fn variable_row(constants: &ConstantValues<'_>, variable: &Variable) -> Vec<String> {
    let mut qualifiers = interpolation(variable.interpolation);
    if variable.is_patch {
        qualifiers = format!("patch {qualifiers}");
    }
    if variable.is_per_primitive {
        qualifiers = format!("perprimitive {qualifiers}");
    }
    if variable.index != 0 {
        qualifiers = format!("index {} {qualifiers}", variable.index);
    }
    let ty = type_name(constants, variable.ty);
    let ty = match (variable.is_arrayed, variable.is_per_primitive) {
        (false, _) => ty,
        (true, false) => format!("{ty}[per vertex]"),
        (true, true) => format!("{ty}[per primitive]"),
    };
    vec![words(variable), name_or_unnamed(&variable.name), ty, qualifiers.trim().to_owned()]
}

/// The tables of an entry point that have rows.
pub(crate) fn tables(shader: &Reflected<'_>) -> Vec<Table> {
    let Reflected { constants, interface, .. } = shader;
    let name = name_or_unnamed;
    let mut tables = Vec::new();
    let mut add = |title, columns: &[&'static str], rows: Vec<Vec<String>>| {
        if !rows.is_empty() {
            tables.push(Table { title, columns: columns.to_vec(), rows });
        }
    };
    for (direction, title) in [(Direction::Input, "Inputs"), (Direction::Output, "Outputs")] {
        let rows = interface.variables(direction).iter().map(|variable| variable_row(constants, variable));
        add(title, &["location", "name", "type", "qualifiers"], rows.collect());
    }
    let rows = interface.built_ins.iter().map(|found| {
        vec![format!("{:?}", found.built_in), class_name(found.class), type_name(constants, found.ty)]
    });
    add("Built-ins", &["built-in", "direction", "type"], rows.collect());
    let rows = interface.resources.iter().map(|resource| {
        let count = resource.count.map_or("runtime".to_owned(), |count| count.to_string());
        let size = match (resource.block_size, resource.element_stride) {
            (0, None) => String::new(),
            (size, None) => size.to_string(),
            (size, Some(stride)) => format!("{size} + n·{stride}"),
        };
        vec![
            format!("{}.{}", resource.set, resource.binding),
            name(&resource.name),
            descriptor(resource.kind),
            count,
            type_name(constants, resource.ty),
            size,
            access(resource),
        ]
    });
    add(
        "Resources",
        &["set.binding", "name", "descriptor", "count", "type", "bytes", "access"],
        rows.collect(),
    );
    let blocks = &interface.push_constant_banks;
    // Banks are rare: a column for them only where one is named.
    let has_banks = blocks.iter().any(|block| block.bank != 0);
    let rows = blocks.iter().map(|block| {
        let mut row = vec![format!("{}..{}", block.offset, block.end), type_name(constants, block.ty)];
        if has_banks {
            row.insert(0, block.bank.to_string());
        }
        row
    });
    let columns: &[&str] = if has_banks { &["bank", "bytes", "type"] } else { &["bytes", "type"] };
    add("Push constants", columns, rows.collect());
    let rows = interface.payloads.iter().map(|payload| {
        vec![
            class_name(payload.class),
            name(&payload_name(constants, payload)),
            payload.location.map_or(String::new(), |location| location.to_string()),
            type_name(constants, payload.ty),
            payload.size.to_string(),
        ]
    });
    add("Payloads", &["storage", "name", "location", "type", "bytes"], rows.collect());
    let rows = interface.spec_constants.iter().map(|constant| {
        let value = match constants.module().ty(constant.ty) {
            Type::Bool => (constant.bits != 0).to_string(),
            Type::Float { width: 32, .. } => f32::from_bits(constant.bits as u32).to_string(),
            Type::Float { width: 64, .. } => f64::from_bits(constant.bits).to_string(),
            Type::Int { signed: true, .. } => {
                constants.integer(constant.id).map_or(String::new(), |value| value.to_string())
            }
            _ => constant.bits.to_string(),
        };
        vec![constant.spec_id.to_string(), name(&constant.name), type_name(constants, constant.ty), value]
    });
    add("Specialization constants", &["id", "name", "type", "value"], rows.collect());
    let mut rows = Vec::new();
    if let Some([x, y, z]) = interface.workgroup_size {
        rows.push(vec!["workgroup size".to_owned(), format!("{x} × {y} × {z}")]);
    }
    if interface.workgroup_storage_size != 0 {
        rows.push(vec![
            "workgroup storage".to_owned(),
            format!("{} bytes", interface.workgroup_storage_size),
        ]);
    }
    for mode in modes(shader) {
        rows.push(vec!["mode".to_owned(), mode]);
    }
    add("Execution", &["what", "value"], rows);
    tables
}

fn modes(shader: &Reflected<'_>) -> Vec<String> {
    let found = shader.constants.module().execution_modes(shader.interface.function);
    let other =
        found.filter(|mode| !matches!(mode.mode, ExecutionMode::LocalSize | ExecutionMode::LocalSizeId));
    let text = other.map(|mode| {
        let operands: String = mode.operands.iter().map(|word| format!(" {word}")).collect();
        format!("{:?}{operands}", mode.mode)
    });
    text.collect()
}

/// Tables as text.
pub(crate) fn render(shader: &Reflected<'_>) -> String {
    let mut out = format!("{}\n", title(shader));
    for table in tables(shader) {
        out += &format!("\n  {}\n", table.title);
        let header: Vec<String> = table.columns.iter().map(|column| (*column).to_owned()).collect();
        let rows: Vec<&Vec<String>> = std::iter::once(&header).chain(&table.rows).collect();
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..header.len()).map(width).collect();
        for row in rows {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
            out += &format!("    {}\n", cells.collect::<Vec<_>>().join("  ").trim_end());
        }
    }
    out
}

/// An entry point's interface as JSON.
pub(crate) fn to_json(shader: &Reflected<'_>) -> Value {
    let Reflected { loaded, constants, interface } = shader;
    let ty = |id: Id| type_name(constants, id);
    let variables = |direction: Direction| -> Vec<Value> {
        let each = interface.variables(direction).iter().map(|variable| {
            json!({
                "name": variable.name,
                "location": variable.location,
                "component": variable.component,
                "index": variable.index,
                "type": ty(variable.ty),
                "arrayed": variable.is_arrayed,
                "patch": variable.is_patch,
                "per_primitive": variable.is_per_primitive,
                "interpolation": interpolation(variable.interpolation),
                "locations": variable.leaves.iter().map(|leaf| json!({
                    "location": leaf.location, "component": leaf.component, "components": leaf.count,
                    "bits": leaf.width, "type": ty(leaf.scalar),
                })).collect::<Vec<_>>(),
            })
        });
        each.collect()
    };
    json!({
        "file": loaded.name,
        "stage": stage::short_name(interface.model),
        "entry_point": interface.name,
        "inputs": variables(Direction::Input),
        "outputs": variables(Direction::Output),
        "built_ins": interface.built_ins.iter().map(|found| json!({
            "built_in": format!("{:?}", found.built_in), "storage": format!("{:?}", found.class),
            "type": ty(found.ty), "arrayed": found.is_arrayed,
        })).collect::<Vec<_>>(),
        "resources": interface.resources.iter().map(|resource| json!({
            "name": resource.name,
            "set": resource.set,
            "binding": resource.binding,
            "descriptor": descriptor(resource.kind),
            "count": resource.count,
            "type": ty(resource.ty),
            "block_size": resource.block_size,
            "element_stride": resource.element_stride,
            "format": resource.format().map(|format| format!("{format:?}")),
            "access": access(resource),
            "input_attachment_index": resource.input_attachment_index,
            "non_uniform": resource.is_non_uniform,
        })).collect::<Vec<_>>(),
        "push_constants": interface.push_constants.as_ref().map(|block| json!({
            "bank": block.bank, "offset": block.offset, "end": block.end, "type": ty(block.ty),
        })),
        "payloads": interface.payloads.iter().map(|payload| json!({
            "storage": format!("{:?}", payload.class), "name": payload_name(constants, payload), "location": payload.location,
            "type": ty(payload.ty), "size": payload.size,
        })).collect::<Vec<_>>(),
        "specialization_constants": interface.spec_constants.iter().map(|constant| json!({
            "id": constant.spec_id, "name": constant.name, "type": ty(constant.ty), "bits": constant.bits,
        })).collect::<Vec<_>>(),
        "workgroup_size": interface.workgroup_size,
        "workgroup_storage_size": interface.workgroup_storage_size,
        "execution_modes": modes(shader),
    })
}
